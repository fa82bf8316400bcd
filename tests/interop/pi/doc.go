// Package pi runs the real pi in tests and benchmarks: it fetches a pinned
// release from npm, runs its session manager in a Node child process and talks
// to it, one JSON message per line.
//
// A Host never runs pi's agent and never calls a model; Installation.Program
// does, with the models that its caller names. Neither touches the user's own
// sessions: the child gets a work directory as its home and as pi's directory.
// The package is independent of pith, so that it reports only pi's results.
//
// # Invariants
//
//	H1  A Host serves one call at a time, in order.
//	H2  After Close the child is gone, and so is every goroutine of the Host.
//	H3  Releases and the Node that runs them are pinned. Nothing is fetched
//	    twice, and each fetch is announced in one line.
package pi
