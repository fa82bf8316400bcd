// Package recall answers questions of an agent about earlier sessions: whether
// something was done before and with what result, and when a file was changed
// and why.
//
// A question is plain words, or a query of package search. Plain words need not
// all occur. Entries are ranked by the weight of the words that they contain,
// most if these are close together, by the rest of the same turn, by
// whether they contain more than other entries, and slightly by role and age,
// so that a correction comes before the statement it corrects. Copies in forks,
// clones and subagents are reported once, where they were made.
//
// The package returns data: it neither redacts nor escapes it. A caller that
// displays it must do so, and must search with a search.Veil that hides the
// same. It only reads.
//
// # Invariants
//
//	M1  No session of Options.Except is in an answer.
//	M2  No two memories are of the same turn, nor of copies of it.
//	M3  A session that cannot be read is skipped; it is never an error.
//
// Stability: outside the core. Its exported names may still change.
package recall
