// Package diff compares two histories: two branches of a session, or two
// sessions with a common beginning. It reports where they diverge and what each
// side did from there on.
//
// The package only reads the given sessions. It opens no file, compares no
// project files, and does not merge.
//
// # Invariants
//
//	D1  The common part is the longest beginning of both paths that is the same,
//	    entry by entry. Two entries are the same if they have the same id and type,
//	    or if only their place in the tree differs.
//	D2  Bookkeeping, which a fork may drop or rewrite, does not make histories
//	    diverge.
//	D3  Swapping the sides swaps the result and changes nothing else.
//
// Stability: outside the core. Its exported names may still change.
package diff
