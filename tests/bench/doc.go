// Command bench measures pith and the real pi on the same files in the same
// run, and prints one table: time, CPU time, peak memory, pi's figure divided
// by pith's, and the goal that the project has set itself beside it.
//
//	go run ./tests/bench              the whole table, some minutes
//	go run ./tests/bench -quick       fewer runs, one pi, no 1 GB file
//	go run ./tests/bench -only list   one section
//	go run ./tests/bench -markdown    the table of docs/performance.md
//
// It judges nobody: a missed goal is a word in the table, not an exit status.
// It never looks at the user's own sessions. What it needs it makes or fetches
// into the test cache, once, and says so.
//
// # Invariants
//
//	B1  Every run of either program is a process of its own, started for that
//	    run: nothing is warm but the page cache, and a peak of memory belongs
//	    to one run.
//	B2  A clock runs inside the process that does the work, so that starting
//	    the process and the way between processes do not count.
//	B3  Both programs must find the same: where their counts of entries,
//	    messages or sessions differ, there is no table but an error.
//	B4  The runs of the programs alternate, so that a busy minute of the machine
//	    hits all of them.
package main
