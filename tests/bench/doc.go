// Command bench measures pith beside the real pi, on the same files in the same
// run, and prints the tables of docs/internals/performance.md: time and peak memory, and
// how many times more pi needs.
//
//	go run ./tests/bench              everything, some minutes
//	go run ./tests/bench -quick       fewer runs, one pi, no 1 GB file
//	go run ./tests/bench -only list   one section; millions runs only this way
//
// Where there is no other program to compare with, benchmarks of the packages
// measure: go test -run='^$' -bench=. with benchstat.
//
// It never looks at the user's own sessions. What it needs it makes or fetches
// into the test cache, once, and says so.
//
// # Invariants
//
//	B1  Every run of either program is a process of its own, started for that
//	    run: nothing is warm but the page cache, and a peak of memory belongs
//	    to one run.
//	B2  A clock runs inside the process that does the work, but for the section
//	    that measures whole processes.
//	B3  Both programs must find the same: where their counts of entries,
//	    messages, sessions or tokens differ, there is no table but an error.
//	B4  The runs of the programs alternate, so that a busy minute of the machine
//	    hits all of them.
package main
