// Package pihost puts the real pi on the other side of tests and benchmarks:
// it fetches a pinned release from npm, runs its session manager in a Node
// child process and speaks with it, one JSON message a line.
//
// It never runs pi's agent, never talks to a model, and never touches the
// user's own sessions: the child gets a work folder of its own as home and as
// pi's folder. It knows nothing about pith, so that what it reports is what pi
// found.
//
// # Invariants
//
//	H1  A Host serves one call at a time, in the order in which they came.
//	H2  After Close the child is gone, and so is every goroutine of the Host.
//	H3  Releases and the Node that runs them are pinned; nothing is fetched
//	    twice, and each fetch is announced in one line.
package pihost
