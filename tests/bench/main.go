package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

// taskArgument is the first argument of a bench that is the child of another.
const taskArgument = "run-task"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) == 3 && os.Args[1] == taskArgument {
		exit(runTask(ctx, os.Args[2], os.Stdout))
	}
	o, err := parseOptions(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		exit(err)
	}
	if o.from != "" {
		exit(reprint(o, os.Stdout))
	}
	exit(run(ctx, o, os.Stdout, os.Stderr))
}

func exit(err error) {
	if err == nil {
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, "bench:", err)
	os.Exit(1)
}

// options are what the command line says.
type options struct {
	runs, piRuns int
	quick        bool
	skipPi       bool
	only         []string // names of sections; empty means all
	from         string   // a report to print instead of measuring
	print        func(io.Writer, *report) error
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	var only string
	var asJSON, asMarkdown bool
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.runs, "runs", 0, "runs of pith for each figure (default 5, with -quick 3)")
	flags.IntVar(&o.piRuns, "pi-runs", 0, "runs of pi for each figure (default 3, with -quick 1)")
	flags.BoolVar(&o.quick, "quick", false, "fewer runs, only the newest pi, no 1 GB file")
	flags.BoolVar(&o.skipPi, "skip-pi", false, "measure pith alone; needs neither npm nor node")
	flags.StringVar(&only, "only", "", "sections to measure, comma separated: "+strings.Join(sectionNames(), ", "))
	flags.StringVar(&o.from, "from", "", "measure nothing; print the report that -json wrote to this file")
	flags.BoolVar(&asJSON, "json", false, "print the report as JSON")
	flags.BoolVar(&asMarkdown, "markdown", false, "print the tables as docs/performance.md has them")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q; see -help", flags.Arg(0))
	}
	if asJSON && asMarkdown {
		return o, errors.New("-json and -markdown: choose one")
	}
	o.print = printText
	switch {
	case asJSON:
		o.print = printJSON
	case asMarkdown:
		o.print = printMarkdown
	}
	return o.withDefaults(only)
}

func (o options) withDefaults(only string) (options, error) {
	runs, piRuns := 5, 3
	if o.quick {
		runs, piRuns = 3, 1
	}
	if o.runs == 0 {
		o.runs = runs
	}
	if o.piRuns == 0 {
		o.piRuns = piRuns
	}
	if o.runs < 0 || o.piRuns < 0 {
		return o, errors.New("-runs and -pi-runs: at least 1")
	}
	for name := range strings.SplitSeq(only, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if _, ok := findSection(name); !ok {
			return o, fmt.Errorf("-only %s: no such section; there are %s", name, strings.Join(sectionNames(), ", "))
		}
		o.only = append(o.only, name)
	}
	return o, nil
}
