// Package adksession stores the sessions of agents built with Google's Agent
// Development Kit as pith sessions: in files, in memory or in PostgreSQL.
//
// A [Service] is a session.Service. Each ADK session is one append-only tree in
// pi's format, so the pith command lists, shows, searches and exports it like
// any other session. [Service.Fork], [Service.Rewind], [Service.Compact] and
// [Service.Search] go beyond what ADK offers.
//
// # Layout
//
// A session is the log <Dir>/--<app>--<user>--/<id>.jsonl, where each part is a
// short readable prefix and a hash of the whole text. Any text is safe as an
// id, and different ids are different logs. State with the prefix "app:" is in
// <Dir>/<app>.state, state with the prefix "user:" in
// <Dir>/--<app>--<user>--/user.state.
//
// # Invariants
//
//	A1  An event is written in one append: all of its lines or none.
//	A2  A line that completes an event contains the event's JSON, exactly as ADK
//	    encodes it, without the state keys that start with "temp:". Events are
//	    read from that JSON. The rest of the line is for readers of pi's format.
//	A3  Session state is the fold of the state deltas along the path to the leaf. So
//	    going back restores it. At most 32 events are between two lines with the
//	    whole state, which bounds what has to be read.
//	A4  An append states the length of the log that it was made for. If another
//	    writer was faster, nothing is written and the conflict policy decides.
//
// State with the prefixes "app:" and "user:" is shared and does not go back. It
// is written after the event; if that fails, AppendEvent returns a
// *[SharedStateError].
//
// Stability: outside the core. Its exported names may still change.
package adksession
