package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/sessiondir"
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

// addUp lists with an index and adds up the tokens of every day.
func addUp(ctx context.Context, t task, out *sample) error {
	ix, err := catalog.OpenIndex(t.Index)
	if err != nil {
		return err
	}
	defer ix.Close()
	o := t.only(catalog.Options{IncludeInternal: true, Index: ix})
	infos, err := out.list(ctx, o)
	if err != nil {
		return err
	}
	return out.time(func() error {
		ledger, err := cost.Count(ctx, infos, cost.Options{Environment: sessiondir.Environment{Getenv: o.Getenv, Home: o.Home}})
		if err != nil {
			return err
		}
		for _, day := range ledger.By(func(r *cost.Response) string { return r.Time.UTC().Format(time.DateOnly) }) {
			out.Counts["tokens"] += int(day.Input + day.Output + day.CacheRead + day.CacheWrite)
		}
		return nil
	})
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

// usageTrials compares with ccusage, which is timed from outside, so that its
// figure includes the start of Node.
func (b *bench) usageTrials(ctx context.Context) ([]trial, error) {
	dir, err := warmed(ctx, corpus.CachedStore)
	if err != nil {
		return nil, err
	}
	index := filepath.Join(b.work, "usage")
	if _, err := inChild(ctx, task{Name: "list+index", Path: dir, Index: index}); err != nil {
		return nil, err
	}
	const what = "all responses, by day"
	t := trial{{"pith", b.runs, func(ctx context.Context) (reading, error) {
		s, err := inChild(ctx, task{Name: "usage", Path: dir, Index: index})
		return reading{[]figure{took(what, s.Took)}, map[string]int{"tokens": s.Counts["tokens"]}}, err
	}}}
	if len(b.pis) == 0 {
		return []trial{t}, nil
	}
	installed, err := pi.Fetch(ctx, ccusagePackage, ccusageVersion, b.logf)
	if err != nil {
		return nil, err
	}
	return []trial{append(t, contender{"ccusage " + ccusageVersion, b.piRuns, func(ctx context.Context) (reading, error) {
		d, tokens, err := b.ccusage(ctx, filepath.Join(installed, "dist", "index.js"), dir)
		return reading{[]figure{took(what, d)}, map[string]int{"tokens": tokens}}, err
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
