// Package cost adds up what models consumed over many sessions: tokens and
// cost, each response once.
//
// A fork copies the responses of its parent, a branch shares the responses
// before it, and the spending of a subagent is recorded both in its parent's
// result and in its own session. A plain sum over files would count such
// spending several times. So each response is identified by a fingerprint and
// belongs to the session in which it was made: of several sessions that contain
// it, the one created first.
//
// A recorded cost is used as it is, another one is estimated by published prices:
// see package prices. The package only reads. Messages are not decoded, and lines
// without a usage are skipped.
//
// # Invariants
//
//	U1  The sums over days, projects, models or sessions each equal the total.
//	U2  Adding a fork, a clone or a copy of a session to the list changes no sum.
//	U3  Deleting a parent moves its shared responses to its forks; only the
//	    responses that it alone had are gone.
//	U4  A file may contain any number: no result is negative, and no sum overflows.
//
// Stability: outside the core. Its exported names may still change.
package cost
