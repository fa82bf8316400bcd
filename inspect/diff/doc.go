// Package diff compares two histories: two branches of a session, or two sessions
// that have a beginning in common. It tells where they part and what each side did
// from there on.
//
// The package only reads the sessions that it is given. It opens no file, compares
// no files of the project, and does not merge.
//
// # Invariants
//
//	D1  What both sides have in common is the longest beginning of their paths that
//	    is the same, entry by entry. An entry is the same if it has the same id and
//	    type, or if nothing but its place in the tree differs.
//	D2  Bookkeeping, which a fork may drop or write anew, does not part histories.
//	D3  Swapping the sides swaps the answer and changes nothing else.
//
// Stability: outside the core. Its exported names may still change.
package diff
