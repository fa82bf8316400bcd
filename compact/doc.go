// Package compact decides how to shorten a conversation that has grown too
// long: how many tokens it has, when that is too many, which part to summarize,
// which part to keep, and what a summarizer reads.
//
// The package is pure. It calls no model, writes no entry and opens no file: it
// reads an open [pith.Session] and returns a [Plan], a [Branch] or the content
// of an entry that the caller appends. The caller's [Summarizer] writes the
// text. Nothing changes until the caller appends the entry.
//
// The rules are those of pi 1.5.0, so both programs cut the same session at the
// same entry. Text lengths are in UTF-16 units, as in pi. Where pi's rule loses
// information, a better rule is used and its comment says so.
//
// # Invariants
//
//	K1  Only entries of the active path are considered.
//	K2  A plan summarizes everything that it does not keep, unless it was summarized
//	    before; the kept range of an earlier compaction is never skipped.
//	K3  A tool call and its results stay on the same side of the cut.
//	K4  No plan summarizes nothing: [Prepare] returns a [NothingError] instead.
//	K5  Planning takes at most one step for each entry of the path; messages are
//	    read from the end backwards, and only as many as needed.
//
// Stability: outside the core. Its exported names may still change.
package compact
