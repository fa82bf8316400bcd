package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/testcache"
)

// This file measures lists of many small sessions: whole processes, beside a
// find of the same files.

// crowds are the numbers of sessions.
var crowds = []int{1_000, 10_000, 100_000}

// crowdBytes is the mean size of a session.
const crowdBytes = 3_000

// Labels that the table of limits refers to.
func findOf(n int) string { return fmt.Sprintf("find -printf of %d sessions", n) }
func firstListOf(n int) string {
	return fmt.Sprintf("pith ls --all --limit 30, %d sessions, the first", n)
}
func listAgainOf(n int) string {
	return fmt.Sprintf("pith ls --all --limit 30, %d sessions, nothing changed", n)
}
func listPeakOf(n int) string {
	return fmt.Sprintf("pith ls --all --limit 30, %d sessions, nothing changed, peak memory", n)
}
func firstListPeakOf(n int) string {
	return fmt.Sprintf("pith ls --all --limit 30, %d sessions, the first, peak memory", n)
}

// crowd returns an agent directory with n small sessions. It is made once.
func (b *bench) crowd(ctx context.Context, n int) (string, error) {
	return testcache.Folder(ctx, fmt.Sprintf("bench-v%d-sessions-%d", corpus.ContentVersion, n), func(_ context.Context, dir string) error {
		b.logf("making %d sessions", n)
		return corpus.Store(filepath.Join(dir, "sessions"), corpus.StoreOptions{Sessions: n, Bytes: int64(n) * crowdBytes, Projects: max(20, n/500)})
	})
}

// indexedHome returns a home directory whose index has the n small sessions.
func (b *bench) indexedHome(ctx context.Context, pith string, n int) (home string, err error) {
	if home := b.homes[n]; home != "" {
		return home, nil
	}
	agentDir, err := b.crowd(ctx, n)
	if err != nil {
		return "", err
	}
	if home, err = os.MkdirTemp(b.work, "home-"); err != nil {
		return "", err
	}
	_, err = process(ctx, home, agentDir, pith, "ls", "--all", "--limit", "30")
	b.homes[n] = home
	return home, err
}

func (b *bench) manyTrials(ctx context.Context) (trials []trial, err error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	for _, n := range crowds {
		if b.quick && n > 10_000 {
			continue
		}
		agentDir, err := b.crowd(ctx, n)
		if err != nil {
			return nil, err
		}
		runs := b.runs
		if n > 1000 {
			runs = 1
		}
		trials = append(trials, trial{{"pith", runs, func(ctx context.Context) (reading, error) { return b.lists(ctx, pith, agentDir, n) }}})
	}
	return trials, nil
}

// lists lists sessions with an empty index, then several times with nothing
// changed, in turn with find.
func (b *bench) lists(ctx context.Context, pith, agentDir string, n int) (r reading, err error) {
	home, err := os.MkdirTemp(b.work, "home-")
	if err != nil {
		return r, err
	}
	ls := func() (time.Duration, int64, error) {
		cmd := command(ctx, home, agentDir, pith, "ls", "--all", "--limit", "30")
		begin := time.Now()
		peak, err := watched(cmd)
		return time.Since(begin), peak, err
	}
	if err := readAll(agentDir); err != nil {
		return r, err
	}
	first, peak, err := ls()
	if err != nil {
		return r, err
	}
	r.figures = append(r.figures, took(firstListOf(n), first), resident(firstListPeakOf(n), peak))
	var found, listed []time.Duration
	for range 5 {
		begin := time.Now()
		if err := exec.CommandContext(ctx, "find", agentDir, "-printf", `%p %s %T@\n`).Run(); err != nil {
			return r, err
		}
		found = append(found, time.Since(begin))
		d, p, err := ls()
		if err != nil {
			return r, err
		}
		listed, peak = append(listed, d), p
	}
	slices.Sort(found)
	slices.Sort(listed)
	b.homes[n] = home
	r.figures = append(r.figures, took(findOf(n), found[2]), took(listAgainOf(n), listed[2]), resident(listPeakOf(n), peak))
	return r, nil
}

// readAll reads all files of a directory, so that they are in the page cache.
func readAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = os.ReadFile(path)
		}
		return err
	})
}
