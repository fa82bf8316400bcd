package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures adding up tokens and cost, beside ccusage, which has an
// edition for pi's sessions.

const (
	ccusagePackage = "@ccusage/pi"
	ccusageVersion = "18.0.11"
)

func (b *bench) usageSection(ctx context.Context) (section, error) {
	dir, err := b.store(ctx)
	if err != nil {
		return section{}, err
	}
	s := section{
		title: "Tokens and cost of 1,000 sessions, 500 MB",
		note:  "ccusage is timed from outside, so that its figure has the start of Node in it. Its ratios stand in the columns of pi. Both find the same tokens.",
	}
	contenders := []contender{b.pithContender(func(ctx context.Context) (reading, error) { return b.readUsage(ctx, dir) })}
	if !b.o.skipPi {
		installed, err := pi.Fetch(ctx, ccusagePackage, ccusageVersion, b.logf)
		if err != nil {
			return section{}, fmt.Errorf("ccusage: %w (-skip-pi measures pith alone)", err)
		}
		contenders = append(contenders, contender{"ccusage " + ccusageVersion, b.o.piRuns, func(ctx context.Context) (reading, error) {
			return b.ccusage(ctx, filepath.Join(installed, "dist", "index.js"), dir)
		}})
	}
	s.trials = []trial{{
		what: "usage of 1,000 sessions",
		rows: []row{
			{key: "usage", title: "all responses, by day", unit: secondsUnit},
			{key: "peak", title: "peak memory of that", unit: bytesUnit},
		},
		contenders: contenders,
	}}
	return s, nil
}

func (b *bench) readUsage(ctx context.Context, dir string) (reading, error) {
	index := filepath.Join(b.work, "usage")
	if _, err := os.Stat(index); errors.Is(err, os.ErrNotExist) {
		if _, err := inChild(ctx, task{Name: "list+index", Path: dir, Index: index}); err != nil {
			return reading{}, err
		}
	}
	s, err := inChild(ctx, task{Name: "usage", Path: dir, Index: index})
	return reading{
		values: map[string]value{"usage": s.time(), "peak": s.memory()},
		counts: map[string]int{"tokens": s.Tokens},
	}, err
}

// usageTask lists with an index of facts and adds up.
func usageTask(ctx context.Context, t task) (out sample, err error) {
	o := t.only(catalog.Options{IncludeInternal: true})
	if o.Index, err = catalog.OpenIndex(t.Index); err != nil {
		return out, err
	}
	defer o.Index.Close()
	var ledger *cost.Ledger
	var days []cost.Group
	err = out.timed(func() error {
		infos, err := catalog.Sorted(catalog.ListAll(ctx, o))
		if err != nil {
			return err
		}
		out.Sessions = len(infos)
		environment := sessiondir.Environment{Getenv: o.Getenv, Home: o.Home}
		if ledger, err = cost.Count(ctx, infos, cost.Options{Environment: environment}); err != nil {
			return err
		}
		days = ledger.By(func(r *cost.Response) string { return r.Time.UTC().Format(time.DateOnly) })
		return nil
	})
	for _, day := range days {
		out.Tokens += int(day.Input + day.Output + day.CacheRead + day.CacheWrite)
	}
	return out, err
}

// ccusage runs ccusage on a sessions folder, with nothing else to count.
func (b *bench) ccusage(ctx context.Context, script, dir string) (reading, error) {
	home, err := os.MkdirTemp(b.work, "ccusage-")
	if err != nil {
		return reading{}, err
	}
	defer os.RemoveAll(home)
	if err := os.MkdirAll(filepath.Join(home, ".claude", "projects"), 0o700); err != nil {
		return reading{}, err
	}
	node := "node"
	if len(b.pis) > 0 {
		node = b.pis[0].Node
	}
	cmd := exec.CommandContext(ctx, node, script, "daily", "--json", "--offline")
	cmd.Env = []string{"PI_AGENT_DIR=" + dir, "HOME=" + home, "CLAUDE_CONFIG_DIR=" + filepath.Join(home, ".claude"), "PATH=" + os.Getenv("PATH"), "TZ=UTC"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	out, err := cmd.Output()
	took := time.Since(start)
	if err != nil {
		return reading{}, fmt.Errorf("%w: %.300s", err, stderr.String())
	}
	var report struct {
		Daily []struct {
			InputTokens, OutputTokens, CacheCreationTokens, CacheReadTokens int
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return reading{}, fmt.Errorf("it printed %.100q: %w", out, err)
	}
	tokens := 0
	for _, d := range report.Daily {
		tokens += d.InputTokens + d.OutputTokens + d.CacheCreationTokens + d.CacheReadTokens
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	r := reading{values: map[string]value{"usage": {took.Seconds(), cpu}}, counts: map[string]int{"tokens": tokens}}
	if peak := childPeak(cmd.ProcessState); peak > 0 {
		r.values["peak"] = value{amount: float64(peak)}
	}
	return r, nil
}
