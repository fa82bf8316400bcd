package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
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
	runs, piRuns  int
	quick, skipPi bool
	build         bool // measure the first build
	only          string
	write         string // the document to rewrite; empty for none
	progress      *progress
	work          string // a temporary directory, removed at the end
	pis           []pi.Installation
	results       map[string]result // by the label of the figure
	homes         map[int]string    // home directories with an index of so many small sessions
	wordsMade     []figure          // the cost of the index of words
	teamSessions  int               // in the team's database
	atEnd         []func()
}

// The sections that are measured only on request: millions with -write, since
// its index takes long to build, and build with -build, since it downloads. Both
// also when they are named.
const (
	millionsSection = "millions"
	buildSection    = "build"
)

// sections are the measured sections in the order of the report.
var sections = []section{
	{"open", "A session of 100 MB and 52,000 entries, compacted now and then", (*bench).openTrials, ""},
	{"whole", "The same size, never compacted: the context is the whole session", (*bench).wholeTrials, ""},
	{"plan", "Planning a compaction of an open session of 100 MB", (*bench).planTrials,
		"pi's figure covers getBranch and prepareCompaction, which also lists the files that the history touched. pith lists them only on request and then reads the messages to summarize from the file."},
	{"list", "A list of 1,000 sessions, 500 MB in 20 project directories", (*bench).listTrials,
		"pi always collects the text of all messages, so its figures are the same in all rows. It has no index."},
	{"many", "Lists of many small sessions: whole processes", (*bench).manyTrials,
		"A session has 3 KB on average. find prints path, size and time of each file. With -quick, up to 10,000 sessions."},
	{"usage", "Tokens and cost of 1,000 sessions, 500 MB", (*bench).usageTrials,
		"Whole processes, the first with an empty cache. The time of ccusage includes the start of Node. Both find the same tokens."},
	{"agents", "Sessions of other agents, and the same number of pi sessions", (*bench).agentsTrials,
		"The first list translates the sessions; later ones do not. The time of ccusage includes the start of Node. With -quick, a tenth of the sessions and of the thread."},
	{"append", "Append one user message of 400 bytes", (*bench).appendTrials,
		"pi takes no lock, does not check for other writers, and never syncs."},
	{"growth", "Growth with the size of the session, compared with pi", (*bench).growthTrials, ""},
	{"chain", "One chain of short messages without branches: views of the open session", (*bench).chainTrials, ""},
	{"entries", "One session of 1, 5 and 10 million entries: whole processes, output discarded", (*bench).entriesTrials,
		"With -quick only 1 million."},
	{"export", "A session as a page: pith export and pi --export", (*bench).exportTrials,
		"Both are whole processes, including the start of Node. pi's export redacts and checks nothing. pi's page of 100 MB is not opened: it shows no text within a minute."},
	{"mcp", "pith mcp over 1,000 sessions, 500 MB, indexed", (*bench).mcpTrials, ""},
	{"blame", "pith blame of a file of 1,000 lines that 20 sessions wrote, among 1,000 others of 500 MB", (*bench).blameTrials,
		"The first run has an empty cache, so all sessions are read."},
	{"web", "pith serve in Chromium, and the page that pi exports", (*bench).webTrials,
		"The page itself measures the time to the first text, from its opening. pi's page was exported before. Chromium uses both cores."},
	{"screens", "Screens: the app in a terminal of 120x36, and pages in Chromium", (*bench).screensTrials,
		"The app runs in a pseudo-terminal with a warm index. The first screen is timed from the start of the process until a row of the list is written. " +
			"A key is timed from its write to the last byte of the frame that answers it, each key when the app is idle. With -quick, 10,000 sessions instead of 100,000."},
	{"command", "The command, from its start to its end, with an empty cache", (*bench).commandTrials,
		"pi's figures exclude the start of Node. Commands on one session have three times as many runs of pith."},
	{"hostile", "Malformed and oversized files: whole processes, empty cache", (*bench).hostileTrials, ""},
	{millionsSection, "Searching 1 and 10 million entries in 1,000 and 10,000 sessions, as the mirror of a team database", (*bench).millionsTrials,
		"10 million entries have 2.5 GB. The index is kept in the test cache; building it takes minutes. With -quick only 1 million."},
	{"team", "A team of 1,000 people in PostgreSQL: whole processes of one member, who may read 8 of 10 sessions", (*bench).teamTrials,
		"Each process connects through a Unix socket. Sessions have 1,000 entries; -team sets their number."},
	{buildSection, "The first build of the command", (*bench).buildTrials, ""},
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	b := &bench{progress: newProgress(stderr), homes: map[int]string{}}
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
	defer func() {
		for _, end := range b.atEnd {
			end()
		}
	}()
	b.logf("session files and releases of pi are kept in %s; what is missing is made or fetched now, once", cache)
	if !b.skipPi {
		if err := b.installPi(ctx); err != nil {
			return err
		}
	}
	var machine, tables, table strings.Builder
	b.printMachine(io.MultiWriter(stdout, &machine))
	var failed error
	for i, s := range sections {
		if !b.chosen(s.name) {
			continue
		}
		b.progress.section(fmt.Sprintf("%s (%d of %d)", s.name, i+1, len(sections)))
		trials, err := s.build(b, ctx)
		if err == nil {
			err = b.measure(ctx, io.MultiWriter(stdout, &tables), s, trials)
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
	b.printLimits(io.MultiWriter(stdout, &table))
	b.printGrowth(io.MultiWriter(stdout, &table))
	if b.write != "" {
		failed = errors.Join(failed, rewrite(b.write, machine.String()+table.String()+charts+tables.String()), b.draw(filepath.Dir(b.write)))
	}
	return failed
}

// chosen reports whether a section is measured.
func (b *bench) chosen(name string) bool {
	if b.only != "" {
		return slices.Contains(strings.Split(b.only, ","), name)
	}
	switch name {
	case millionsSection:
		return b.write != ""
	case buildSection:
		return b.build
	}
	return true
}

func (b *bench) parse(args []string, stderr io.Writer) error {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&b.runs, "runs", 0, "runs of pith for each figure (default 5, with -quick 3); three times as many of commands on one session")
	flags.IntVar(&b.piRuns, "pi-runs", 0, "runs of pi for each figure (default 3, with -quick 1)")
	flags.BoolVar(&b.quick, "quick", false, "fewer runs, only the newest pi, no 1 GB file")
	flags.BoolVar(&b.skipPi, "skip-pi", false, "measure pith alone; needs neither npm nor node")
	flags.IntVar(&b.teamSessions, "team", 1_000, "sessions of 1,000 entries in the team section")
	flags.StringVar(&b.only, "only", "", "sections to measure, comma separated: "+strings.Join(names, ", "))
	flags.StringVar(&b.write, "write", "", "replace the printed part of this document, and draw the charts next to it; for a run of all sections")
	flags.BoolVar(&b.build, "build", false, "also build the command with empty caches, which downloads all modules")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if b.write != "" && b.only != "" {
		return errors.New("-write replaces all tables, so it excludes -only")
	}
	if flags.NArg() > 0 || b.runs < 0 || b.piRuns < 0 {
		return errors.New("an argument too many, or fewer than no runs; see -help")
	}
	for _, name := range strings.Split(b.only, ",") {
		if name != "" && !slices.Contains(names, name) {
			return fmt.Errorf("-only %s: no such section; there are %s", name, strings.Join(names, ", "))
		}
	}
	runs, piRuns := 5, 3
	if b.quick {
		runs, piRuns = 3, 1
	}
	if b.runs == 0 {
		b.runs = runs
	}
	if b.piRuns == 0 {
		b.piRuns = piRuns
	}
	return nil
}

func (b *bench) logf(format string, args ...any) { b.progress.logf(format, args...) }
