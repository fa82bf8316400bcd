package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/testcache"
)

// This file measures all sessions: listing them, and indexing their words.

// crowdBytes is the mean size of a session of a crowd.
const crowdBytes = 3_000

func (b *bench) listTrials(ctx context.Context) ([]trial, error) {
	store, err := warmed(ctx, corpus.CachedStore)
	if err != nil {
		return nil, err
	}
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	crowd, err := b.crowdTrial(ctx, pith)
	if err != nil {
		return nil, err
	}
	const first, again = "pith ls --all of 1,000 sessions, the first", "pith ls --all again"
	return []trial{b.besidePi(b.peerRuns, func(ctx context.Context) (r reading, err error) {
		home, err := os.MkdirTemp(b.work, "home-")
		if err != nil {
			return r, err
		}
		for _, c := range []struct {
			what string
			goal goal
		}{{first, faster(15)}, {again, faster(150)}} {
			d, peak, err := process(command(ctx, home, filepath.Dir(store), pith, "ls", "--all"))
			if err != nil {
				return r, err
			}
			r.figures = append(r.figures, took(c.what, d).with(c.goal), resident(c.what+", peak memory", peak).with(atMost(memoryGoal)))
		}
		out, err := output(command(ctx, home, filepath.Dir(store), pith, "ls", "--all", "--json"))
		if err != nil {
			return r, err
		}
		var listed []json.RawMessage
		err = json.Unmarshal(out, &listed)
		r.counts = map[string]int{"sessions": len(listed)}
		return r, err
	}, func(ctx context.Context, h *pi.Host) (reading, error) {
		t, err := h.TimeListAll(ctx, store)
		return reading{
			[]figure{millis(first, t.ListMS), piResident(first+", peak memory", t.PeakRSSMB), millis(again, t.ListMS)},
			map[string]int{"sessions": t.Sessions},
		}, err
	}), crowd}, nil
}

// crowdTrial lists many small sessions whose index is there, beside a find of
// their files.
func (b *bench) crowdTrial(ctx context.Context, pith string) (trial, error) {
	n := 100_000
	if b.quick {
		n = 10_000
	}
	agentDir, err := warmed(ctx, func(ctx context.Context) (string, error) {
		return testcache.Folder(ctx, fmt.Sprintf("bench-v%d-sessions-%d", corpus.ContentVersion, n), func(_ context.Context, dir string) error {
			b.logf("making %d sessions", n)
			return corpus.Store(filepath.Join(dir, "sessions"), corpus.StoreOptions{Sessions: n, Bytes: int64(n) * crowdBytes, Projects: n / 500})
		})
	})
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp(b.work, "home-")
	if err != nil {
		return nil, err
	}
	list := func(ctx context.Context) (time.Duration, int64, error) {
		return process(command(ctx, home, agentDir, pith, "ls", "--all", "--limit", "30"))
	}
	if _, _, err := list(ctx); err != nil {
		return nil, err
	}
	what := fmt.Sprintf("pith ls --all --limit 30, %d sessions, nothing changed", n)
	return trial{
		{"pith", b.runs, func(ctx context.Context) (reading, error) {
			d, peak, err := list(ctx)
			return reading{figures: []figure{took(what, d).with(over(3)), resident(what+", peak memory", peak).with(atMost(memoryGoal))}}, err
		}},
		{"find -printf", b.runs, func(ctx context.Context) (reading, error) {
			d, _, err := process(exec.CommandContext(ctx, "find", agentDir, "-printf", `%p %s %T@\n`))
			return reading{figures: []figure{took(what, d)}}, err
		}},
	}, nil
}

func (b *bench) wordsTrials(ctx context.Context) ([]trial, error) {
	store, err := warmed(ctx, corpus.CachedStore)
	if err != nil {
		return nil, err
	}
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	return []trial{{{"pith", 1, func(ctx context.Context) (r reading, err error) {
		home, err := os.MkdirTemp(b.work, "home-")
		if err != nil {
			return r, err
		}
		defer os.RemoveAll(home)
		const what = "pith doctor --reindex of 1,000 sessions, 500 MB"
		d, peak, err := process(command(ctx, home, filepath.Dir(store), pith, "doctor", "--reindex"))
		return reading{figures: []figure{took(what, d).with(within(20 * time.Second)), resident(what+", peak memory", peak).with(atMost(memoryGoal))}}, err
	}}}}, nil
}
