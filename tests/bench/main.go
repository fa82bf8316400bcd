package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/testcache"
)

// taskArgument is the first argument of a bench that runs as a child.
const taskArgument = "run-task"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if len(os.Args) == 3 && os.Args[1] == taskArgument {
		err = runTask(ctx, os.Args[2], os.Stdout)
	} else {
		err = run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// A bench is one run of the command.
type bench struct {
	runs, peerRuns   int
	quick, skipPeers bool
	only             string
	write            string // the document to rewrite; empty for none
	progress         *progress
	work             string // a temporary directory, removed at the end
	pi               pi.Installation
}

// searchSection is measured only with -write or when it is named, since its
// index takes minutes to build.
const searchSection = "search"

// sections are the measured sections in the order of the report.
var sections = []section{
	{"open", "A session of 100 MB and 52,000 entries, compacted now and then", (*bench).openTrials, ""},
	{"command", "The command on that session, from its start to its end, with an empty cache", (*bench).commandTrials,
		"pi's figures exclude the start of Node."},
	{"append", "Append one user message of 400 bytes", (*bench).appendTrials,
		"pi takes no lock, does not check for other writers, and never syncs."},
	{"growth", "Growth with the size of the session, compared with pi", (*bench).growthTrials, ""},
	{"list", "Lists of sessions: whole processes", (*bench).listTrials,
		"1,000 sessions have 500 MB; 100,000 have 3 KB each. pi's figures exclude the start of Node. find prints path, size and time of each file. With -quick, 10,000 sessions instead of 100,000."},
	{"words", "The words of 1,000 sessions, 500 MB: whole processes", (*bench).wordsTrials,
		"deja-vu reports 65 s for an index of the same size."},
	{searchSection, "Searching 10 million entries in 10,000 sessions", (*bench).searchTrials,
		"The entries have 2.5 GB. The figures are the 95th percentile of 100 queries of the slowest kind. The index is kept in the test cache. With -quick, 1 million entries."},
	{"usage", "Tokens and cost of 1,000 sessions of Claude Code, 358 MB: whole processes", (*bench).usageTrials,
		"Both programs find the same tokens. With -quick, a tenth of the sessions."},
	{"web", "pith serve in Chromium", (*bench).webTrials,
		"The page itself measures the time to the first text, from its opening. Chromium uses both cores."},
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	b := &bench{progress: newProgress(stderr)}
	if err := b.parse(args, stderr); err != nil {
		return err
	}
	stop := b.progress.keepTalking()
	defer stop()
	cache, err := testcache.Dir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	// Next to the files that are read, so that appends go to the same disk.
	if b.work, err = os.MkdirTemp(cache, "bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.work)
	b.logf("session files and other programs are kept in %s; what is missing is made or fetched now, once", cache)
	if !b.skipPeers {
		versions := pi.Versions()
		if b.pi, err = pi.Install(ctx, versions[len(versions)-1], b.logf); err != nil {
			return fmt.Errorf("%w (-skip-peers measures pith alone)", err)
		}
	}
	var printed strings.Builder
	out := io.MultiWriter(stdout, &printed)
	b.printMachine(out)
	var failed error
	for i, s := range sections {
		if !b.chosen(s.name) {
			continue
		}
		b.progress.section(fmt.Sprintf("%s (%d of %d)", s.name, i+1, len(sections)))
		trials, err := s.build(b, ctx)
		if err == nil {
			err = b.measure(ctx, out, s, trials)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			// The other sections are worth having.
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.name, err))
			b.logf("failed: %v", err)
		}
	}
	if b.write != "" {
		failed = errors.Join(failed, rewrite(b.write, printed.String()))
	}
	return failed
}

// chosen reports whether a section is measured.
func (b *bench) chosen(name string) bool {
	if b.only != "" {
		return slices.Contains(strings.Split(b.only, ","), name)
	}
	return name != searchSection || b.write != ""
}

func (b *bench) parse(args []string, stderr io.Writer) error {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&b.runs, "runs", 0, "runs of pith for each figure (default 5, with -quick 3)")
	flags.IntVar(&b.peerRuns, "peer-runs", 0, "runs of other programs for each figure (default 3, with -quick 1)")
	flags.BoolVar(&b.quick, "quick", false, "fewer runs and smaller files")
	flags.BoolVar(&b.skipPeers, "skip-peers", false, "measure pith alone; needs neither npm nor node")
	flags.StringVar(&b.only, "only", "", "sections to measure, comma separated: "+strings.Join(names, ", "))
	flags.StringVar(&b.write, "write", "", "replace the printed part of this document; for a run of all sections")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if b.write != "" && b.only != "" {
		return errors.New("-write replaces all tables, so it excludes -only")
	}
	if flags.NArg() > 0 || b.runs < 0 || b.peerRuns < 0 {
		return errors.New("an argument too many, or fewer than no runs; see -help")
	}
	for _, name := range strings.Split(b.only, ",") {
		if name != "" && !slices.Contains(names, name) {
			return fmt.Errorf("-only %s: no such section; there are %s", name, strings.Join(names, ", "))
		}
	}
	runs, peerRuns := 5, 3
	if b.quick {
		runs, peerRuns = 3, 1
	}
	if b.runs == 0 {
		b.runs = runs
	}
	if b.peerRuns == 0 {
		b.peerRuns = peerRuns
	}
	return nil
}

func (b *bench) logf(format string, args ...any) { b.progress.logf(format, args...) }

// The comments around the printed part of a document.
const (
	printedBegin = "<!-- Printed by: go run ./tests/bench -->\n"
	printedEnd   = "<!-- End of the printed part. -->\n"
)

// rewrite replaces the printed part of a document.
func rewrite(path, printed string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(data), printedBegin)
	_, after, ended := strings.Cut(rest, printedEnd)
	if !begun || !ended {
		return fmt.Errorf("%s has no printed part: it begins with %q and ends with %q", path, printedBegin, printedEnd)
	}
	return os.WriteFile(path, []byte(before+printedBegin+"\n"+printed+"\n"+printedEnd+after), 0o644)
}
