// Package cost adds up what models took over many sessions: tokens and the cost
// that was recorded, each response once.
//
// A fork copies the responses of its parent, a branch shares those before it,
// and what a subagent spent is told by its parent's result and by its own
// session. Whoever adds up files counts such money again and again. So a
// response is known by a fingerprint, and belongs to the session in which it
// was made: of several that have it, the one that was created first.
//
// The package only reads. It knows no prices: a cost that was not recorded is
// none. Messages are not decoded, and lines without a usage are not looked at.
//
// # Invariants
//
//	U1  The sums over days, projects, models or sessions are each the sum of all.
//	U2  Adding a fork, a clone or a copy of a session to the list changes no sum.
//	U3  Deleting a parent moves what it shared to its forks; only what it had
//	    alone is gone.
//	U4  A file may claim any number: none is negative, and no sum runs over.
//
// Stability: outside the core. Its exported names may still change.
package cost
