// Command mutants reports whether the tests of a package notice changes of its
// code. gremlins makes each change ("mutant") in a copy of the module that has
// only the tests of that package, so that no other test can notice it.
//
//	go run ./tests/mutants internal/journal compact catalog/shortid.go
//
// For a file, only that file is changed. A change costs a compilation and a run
// of the tests, so a package takes from a minute to hours. The command prints
// the changes that no test noticed, then a table.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"text/tabwriter"
)

func main() {
	var o options
	flag.IntVar(&o.workers, "workers", 1, "changes tried at once")
	flag.IntVar(&o.patience, "patience", 8, "how many times as long as usual the tests may take with a change, before it counts as timed out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, paths []string) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer table.Flush()
	fmt.Fprintln(table, "package\tchanges\tcovered\tkilled\tlived\ttimed out\tnot compiled\t")
	for _, path := range paths {
		t, err := try(ctx, o, path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		fmt.Fprintf(table, "%s\t%d\t%.1f %%\t%.1f %%\t%d\t%d\t%d\t\n", path, t.all(), t.covered(), t.killed(), t[lived], t[timedOut], t[notCompiled])
	}
	return nil
}

// A tally counts the changes of a package by result, in gremlins' words.
type tally map[string]int

const (
	killed      = "KILLED"
	lived       = "LIVED"
	timedOut    = "TIMED OUT"
	notCovered  = "NOT COVERED"
	notCompiled = "NOT VIABLE"
)

// all counts the changes that compile.
func (t tally) all() int { return t[killed] + t[lived] + t[timedOut] + t[notCovered] }

func (t tally) covered() float64 { return percent(t.all()-t[notCovered], t.all()) }

// killed returns the percentage of the terminating changes that a test noticed.
// A timeout counts in neither number: either the change never ends or the
// machine was busy.
func (t tally) killed() float64 { return percent(t[killed], t[killed]+t[lived]) }

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(whole, 1)) }
