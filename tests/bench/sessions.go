package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures all sessions: listing them, and adding up their cost.

// only returns options that see only the sessions directory of the task.
func (t task) only(o catalog.Options) catalog.Options {
	o.Home = filepath.Dir(t.Path)
	o.Getenv = func(name string) string {
		if name == "PI_CODING_AGENT_DIR" {
			return filepath.Dir(t.Path)
		}
		return ""
	}
	return o
}

func list(o catalog.Options) func(context.Context, task, *sample) error {
	return func(ctx context.Context, t task, out *sample) error {
		_, err := out.list(ctx, t.only(o))
		return err
	}
}

func (s *sample) list(ctx context.Context, o catalog.Options) (infos []catalog.Info, err error) {
	err = s.time(func() (err error) {
		infos, err = catalog.Sorted(catalog.ListAll(ctx, o))
		return err
	})
	s.Counts["sessions"] = len(infos)
	return infos, err
}

// listWithIndex measures the list including opening the index.
func listWithIndex(ctx context.Context, t task, out *sample) error {
	var ix *catalog.Index
	err := out.time(func() (err error) {
		ix, err = catalog.OpenIndex(t.Index)
		return err
	})
	if err != nil {
		return err
	}
	defer ix.Close()
	_, err = out.list(ctx, t.only(catalog.Options{Index: ix}))
	return err
}

// listTrials measures lists. pi always collects the text of all messages and
// has no index, so its figures are the same each time.
func (b *bench) listTrials(ctx context.Context) ([]trial, error) {
	dir, err := warmed(ctx, corpus.CachedStore)
	if err != nil {
		return nil, err
	}
	rows := []string{"all facts, with the text of all messages", "all facts but the text", "with an index, the first list, which makes it", "with an index, nothing changed"}
	const peak = "peak memory of "
	return []trial{b.beside(b.piRuns, func(ctx context.Context) (reading, error) {
		index, err := os.MkdirTemp(b.work, "index-")
		if err != nil {
			return reading{}, err
		}
		var r reading
		for i, name := range []string{"list+text", "list", "list+index", "list+index"} {
			s, err := inChild(ctx, task{Name: name, Path: dir, Index: index})
			if err != nil {
				return reading{}, err
			}
			r.figures = append(r.figures, took(rows[i], s.Took), resident(peak+rows[i], s.Peak))
			r.counts = s.Counts
		}
		return r, nil
	}, func(ctx context.Context, h *pi.Host) (reading, error) {
		t, err := h.TimeListAll(ctx, dir)
		r := reading{counts: map[string]int{"sessions": t.Sessions}}
		for _, row := range rows {
			r.figures = append(r.figures, millis(row, t.ListMS), piResident(peak+row, t.PeakRSSMB))
		}
		return r, err
	})}, nil
}

// ccusage adds up tokens too, and has an edition for pi's sessions.
const (
	ccusagePackage = "@ccusage/pi"
	ccusageVersion = "18.0.11"
)

// Labels of pith usage, with an empty cache and again.
const (
	usageFirst = "all responses, by day"
	usageAgain = "all responses, by day, again"
)

// usageTrials compares whole processes of pith usage and ccusage.
func (b *bench) usageTrials(ctx context.Context) ([]trial, error) {
	dir, err := warmed(ctx, corpus.CachedStore)
	if err != nil {
		return nil, err
	}
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	t := trial{{"pith", b.runs, func(ctx context.Context) (r reading, err error) {
		home, err := os.MkdirTemp(b.work, "home-")
		if err != nil {
			return r, err
		}
		defer os.RemoveAll(home)
		for _, what := range []string{usageFirst, usageAgain} {
			cmd := command(ctx, home, filepath.Dir(dir), pith, "usage", "--json")
			var out bytes.Buffer
			cmd.Stdout = &out
			begin := time.Now()
			peak, err := watched(cmd)
			if err != nil {
				return r, err
			}
			r.figures = append(r.figures, took(what, time.Since(begin)), resident(what+", peak memory", peak))
			var report struct{ Total struct{ Tokens int } }
			if err := json.Unmarshal(out.Bytes(), &report); err != nil {
				return r, err
			}
			r.counts = map[string]int{"tokens": report.Total.Tokens}
		}
		return r, nil
	}}}
	if len(b.pis) == 0 {
		return []trial{t}, nil
	}
	installed, err := pi.Fetch(ctx, ccusagePackage, ccusageVersion, b.logf)
	if err != nil {
		return nil, err
	}
	return []trial{append(t, contender{"ccusage " + ccusageVersion, 1, func(ctx context.Context) (reading, error) {
		d, tokens, err := b.ccusage(ctx, filepath.Join(installed, "dist", "index.js"), dir)
		return reading{[]figure{took(usageFirst, d)}, map[string]int{"tokens": tokens}}, err
	}})}, nil
}

// ccusage runs ccusage on a sessions directory, with nothing else to count.
func (b *bench) ccusage(ctx context.Context, script, dir string) (d time.Duration, tokens int, err error) {
	home, err := os.MkdirTemp(b.work, "ccusage-")
	if err != nil {
		return 0, 0, err
	}
	if err := os.MkdirAll(filepath.Join(home, ".claude", "projects"), 0o700); err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, b.pis[0].Node, script, "daily", "--json", "--offline")
	cmd.Env = []string{"PI_AGENT_DIR=" + dir, "HOME=" + home, "CLAUDE_CONFIG_DIR=" + filepath.Join(home, ".claude"), "PATH=" + os.Getenv("PATH"), "TZ=UTC"}
	start := time.Now()
	out, err := output(cmd)
	if err != nil {
		return 0, 0, err
	}
	d = time.Since(start)
	var report struct {
		Daily []struct {
			InputTokens, OutputTokens, CacheCreationTokens, CacheReadTokens int
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return 0, 0, fmt.Errorf("ccusage printed %.100q: %w", out, err)
	}
	for _, day := range report.Daily {
		tokens += day.InputTokens + day.OutputTokens + day.CacheCreationTokens + day.CacheReadTokens
	}
	return d, tokens, nil
}
