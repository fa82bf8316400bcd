// Package subagent finds the runs of subagents in a session: which agent got
// which task, how it ended, what it cost, and where the child's own
// conversation is.
//
// Every producer of such runs is supported: pi's example extension,
// pi-subagents of any version, Atomic, and the task tool of oh-my-pi;
// background runs and the results returned by a wait tool; nested runs and
// workflows.
//
// The package only reads. It starts nothing, writes nothing, observes no
// process and asks no other program for the state of a run: its results come
// from files. It returns data without formatting.
//
// # Invariants
//
//	S1  The data of a session about a run is not trusted. A member of the wrong type
//	    reads as missing, a number is never negative, a sum never overflows.
//	S2  A call and its result are matched only by the id of the call.
//	S3  Only regular files are opened, for reading, and only those that a path of
//	    the session names or that are where producers put them. A path that is
//	    gone, of another system or on the network is reported, not an error.
//	S4  Cost counts once. The details of a result, the message around them and the
//	    child's own file mention the same cost; the history that a forked child
//	    has copied belongs to its parent.
//	S5  Reading terminates: a file is followed once, a session inside itself not at
//	    all, and levels, lists and files are limited.
package subagent
