// Command bench compares pith with the real pi and other programs on the same
// files in the same run. It prints the tables of docs/explanation/performance.md:
// the figures of every kind of work, with their goals.
//
//	go run ./tests/bench              everything but the search section
//	go run ./tests/bench -skip-peers  pith alone
//	go run ./tests/bench -write docs/explanation/performance.md
//	                                  everything; rewrites the tables
//	go run ./tests/bench -quick       fewer runs and smaller files
//	go run ./tests/bench -only list   one section
//
// Other work is measured by benchmarks of the packages: go test -run='^$'
// -bench=. with benchstat. A missed goal never fails a run, since the machine
// may be busy.
//
// It never reads the user's own sessions. It makes or fetches its files into
// the test cache, once, and reports that.
//
// # Invariants
//
//	B1  Every run of a program is a separate process, started for that run: only
//	    the page cache is warm, and a memory peak belongs to one run.
//	B2  The sections "open", "append" and "growth" measure inside the process
//	    that does the work; the others measure whole processes.
//	B3  All programs must find the same. If their counts of entries, messages,
//	    sessions or tokens differ, the section fails and prints no table.
//	B4  The runs of the programs alternate, so that a busy minute of the machine
//	    affects all of them.
package main
