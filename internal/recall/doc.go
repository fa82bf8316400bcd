// Package recall answers what an agent wants to know of earlier sessions: whether
// something was done before and what came of it, and who touched a file and why.
//
// A question is plain words, or the language of package search. Of plain words not
// all must occur: entries are ranked by how much the words that they hold tell,
// most where these stand together, by what else stands in the same exchange, by
// whether they say more than what others say too, and a little by who said it and
// how new it is, so that a correction comes before what it corrects. What forks, clones and
// subagents have copied is told once, where it was made.
//
// The package returns data: it redacts nothing and makes no text harmless.
// Whoever shows it must do that, and must search behind a search.Veil that hides the
// same. It only reads.
//
// # Invariants
//
//	M1  No session of Options.Except is in an answer.
//	M2  No two memories are of the same exchange, nor of copies of it.
//	M3  A session that cannot be read is passed over; it is never an error.
//
// Stability: outside the core. Its exported names may still change.
package recall
