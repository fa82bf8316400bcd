// Command bench compares pith with the real pi and with physical limits, on the
// same files in the same run. It prints the tables of
// docs/internals/performance.md: a table of limits with the goal and the result
// of every kind of work, and one table for each section.
//
//	go run ./tests/bench              everything, about 20 minutes
//	go run ./tests/bench -skip-pi     pith alone, about 12 minutes
//	go run ./tests/bench -write docs/internals/performance.md
//	                                  everything; rewrites the tables and charts
//	go run ./tests/bench -quick       fewer runs, one pi, no 1 GB file
//	go run ./tests/bench -only list   one section; millions runs only this way
//
// Work without another program to compare with is measured by benchmarks of the
// packages: go test -run='^$' -bench=. with benchstat.
//
// It never reads the user's own sessions. It makes or fetches its files into
// the test cache, once, and reports that.
//
// # Invariants
//
//	B1  Every run of either program is a separate process, started for that
//	    run: only the page cache is warm, and a memory peak belongs to one run.
//	B2  The clock runs inside the process that does the work, except in the
//	    section that measures whole processes.
//	B3  Both programs must find the same. If their counts of entries, messages,
//	    sessions or tokens differ, the run fails and prints no table.
//	B4  The runs of the programs alternate, so that a busy minute of the machine
//	    affects all of them.
package main
