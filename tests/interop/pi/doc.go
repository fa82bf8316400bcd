// Package pi puts the real pi on the other side of tests and benchmarks:
// it fetches a pinned release from npm, runs its session manager in a Node
// child process and speaks with it, one JSON message a line.
//
// A Host never runs pi's agent and never talks to a model; Installation.Program
// does, with the models that its caller names. Neither touches the user's own
// sessions: the child gets a work folder of its own as home and as pi's folder.
// The package knows nothing about pith, so that what it reports is what pi found.
//
// # Invariants
//
//	H1  A Host serves one call at a time, in the order in which they came.
//	H2  After Close the child is gone, and so is every goroutine of the Host.
//	H3  Releases and the Node that runs them are pinned; nothing is fetched
//	    twice, and each fetch is announced in one line.
package pi
