// Package agent holds a live conversation over a session: it takes what a user
// says, asks a model, runs the tools that the model calls, and keeps the
// conversation within the model's window by compaction.
//
// A [Conversation] wraps one pith.Session at a time. Fork, Clone, New and Switch put
// another in its place. What happens is told to subscribers as an [Event];
// what should happen differently is decided by [Hooks].
//
// The package ships no tools, no prompts and no user interface, and knows no
// settings file: the caller gives all of that in a [Config]. It opens no
// connection; that is the work of an llm.Client.
//
// The package stands above the core of pith (the root, format and store): its API
// may still change.
//
// # Invariants
//
//	A1  A message is told as ended only when it is in the session. If it cannot
//	    be written the turn ends with the error, and nothing more is asked or run.
//	A2  Every call of a tool in an answer that was accepted gets a result in the
//	    session, in the order of the calls. A call that was interrupted, or never
//	    begun, gets one that says so.
//	A3  One thing at a time: a run, a compaction, a navigation and a switch
//	    exclude each other.
//	A4  A summary that failed, was aborted or is empty changes nothing.
//	A5  Automatic compaction ends: one recovery for each input of the user, and a
//	    bounded number of tries that do not help.
//	A6  Opening, resuming and switching write nothing. Model and thinking level are
//	    recorded when the user speaks, if they are not what the session says; tools
//	    as well, if the session says anything about tools.
//	A7  No goroutine outlives Close.
//	A8  A message that was recorded is written in the session that it was recorded
//	    for, or the failure is told.
//
// Stability: outside the core. Its exported names may still change.
package agent
