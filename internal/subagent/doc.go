// Package subagent finds the runs of subagents in a session: who was asked to do
// what, how it ended, what it cost, and where the child's own conversation is.
//
// Every producer of such runs is read: pi's example extension, pi-subagents of
// any age, Atomic, and the task tool of oh-my-pi; runs in the background and the
// results that a wait tool brought; nested runs and workflows.
//
// The package only reads. It starts nothing, writes nothing, follows no process
// and asks no other program how a run is doing: what it says of a run is what the
// files say. It has no colours and no widths; it gives data.
//
// # Invariants
//
//	S1  What a session says about a run is not trusted. A member of the wrong type
//	    reads as missing, a number is never negative, a sum never runs over.
//	S2  A call and its result belong together by the id of the call alone.
//	S3  Only regular files are opened, for reading, and only those that a path of
//	    the session names or that lie where producers put them. A path that is
//	    gone, of another system or in the network is reported, not an error.
//	S4  Money counts once. The details of a result, the message around them and
//	    the child's own file mention the same money; the history that a forked
//	    child has copied is its parent's.
//	S5  Reading ends: a file is followed once, a session inside itself not at all,
//	    and levels, lists and files have limits.
//
// Stability: outside the core. Its exported names may still change.
package subagent
