// Package compact decides how a conversation that has grown too long is made
// short: how many tokens it has, when that is too many, which part is summarised
// and which part stays, and what a summarizer gets to read.
//
// The package is pure. It calls no model, writes no entry and opens no file: it
// reads an open [pith.Session], and what it returns is a [Plan], a [Branch] or
// the content of an entry that the caller appends. The text itself comes from a
// [Summarizer] of the caller. Until that entry is appended nothing has changed.
//
// Rules are those of pi 1.5.0, so that both programs cut the same session at the
// same entry. Lengths of text are UTF-16 units, because pi's are. Where pi's rule
// loses something, the better rule is taken and its comment says so.
//
// The package stands above the core of pith (the root, format and store): its API
// may still change.
//
// # Invariants
//
//	K1  Only entries of the active path are looked at.
//	K2  What a plan does not keep, it summarises, or it was summarised before;
//	    the kept range of an earlier compaction is never skipped.
//	K3  A call of a tool and its results stay on the same side of the cut.
//	K4  There is no plan that summarises nothing: [Prepare] fails with a
//	    [NothingError] instead.
//	K5  Planning costs one step for each entry of the path at most; messages are
//	    read from the end backwards, and no more of them than decide something.
//
// Stability: outside the core. Its exported names may still change.
package compact
