package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/testcache"
)

// A bench is one run of the command.
type bench struct {
	o    options
	log  io.Writer
	work string // a folder of its own, removed at the end
	pis  []pi.Installation
}

// sections are the measured things in the order of the report.
var sections = []struct {
	name  string
	build func(*bench, context.Context) (section, error)
}{
	{"open", (*bench).compactedSection},
	{"whole", (*bench).wholeSection},
	{"plan", (*bench).planSection},
	{"list", (*bench).listSection},
	{"indexed", (*bench).indexedSection},
	{"words", (*bench).wordsSection},
	{"search", (*bench).searchSection},
	{"usage", (*bench).usageSection},
	{"append", (*bench).appendSection},
	{"growth", (*bench).growthSection},
	{"reopen", (*bench).reopenSection},
	{"chain", (*bench).chainSection},
}

func sectionNames() []string {
	names := make([]string, len(sections))
	for i, s := range sections {
		names[i] = s.name
	}
	return names
}

func findSection(name string) (int, bool) {
	i := slices.Index(sectionNames(), name)
	return i, i >= 0
}

func run(ctx context.Context, o options, stdout, stderr io.Writer) error {
	cache, err := testcache.Dir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	// Beside the files that are read, so that appends go to the same disk.
	work, err := os.MkdirTemp(cache, "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := &bench{o: o, log: stderr, work: work}
	b.logf("session files and releases of pi are kept in %s; what is missing is made or fetched now, once", cache)
	r := &report{Machine: describeMachine(), Started: time.Now().UTC(), Runs: o.runs, PiRuns: o.piRuns}
	if !o.skipPi {
		if r.Pi, err = b.installPi(ctx); err != nil {
			return err
		}
	}
	for _, s := range sections {
		if len(o.only) > 0 && !slices.Contains(o.only, s.name) {
			continue
		}
		built, err := s.build(b, ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		measured, err := b.measure(ctx, s.name, built)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		r.Sections = append(r.Sections, measured)
	}
	r.Machine.LoadAfter = loadAverage()
	r.Seconds = time.Since(r.Started).Seconds()
	return o.print(stdout, r)
}

func (b *bench) logf(format string, args ...any) { fmt.Fprintf(b.log, format+"\n", args...) }
