package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures whole processes of the command on one session.

// memoryGoal bounds the peak memory of every command, in bytes.
const memoryGoal = 150e6

// contextGoal is the ratio to pi of a context. Only amd64 has the scanner in
// assembly.
func contextGoal() float64 {
	if runtime.GOARCH == "amd64" {
		return 20
	}
	return 8
}

// commandTrials measures commands. Each run has its own home directory, and
// thus an empty cache.
func (b *bench) commandTrials(ctx context.Context) ([]trial, error) {
	file, err := warmed(ctx, corpus.CachedLarge)
	if err != nil {
		return nil, err
	}
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	const start, built, tree = "pith --version: the start of the program", "pith context PATH --json", "pith tree PATH"
	return []trial{b.besidePi(b.peerRuns, func(ctx context.Context) (r reading, err error) {
		for _, c := range []struct {
			what string
			goal goal
			args []string
		}{
			{start, within(12 * time.Millisecond), []string{"--version"}},
			{built, faster(contextGoal()), []string{"context", file, "--json"}},
			{tree, faster(5), []string{"tree", file}},
		} {
			home, err := os.MkdirTemp(b.work, "home-")
			if err != nil {
				return r, err
			}
			d, peak, err := process(command(ctx, home, home, pith, c.args...))
			if err != nil {
				return r, err
			}
			r.figures = append(r.figures, took(c.what, d).with(c.goal))
			if c.what != start { // which is over before its memory is read
				r.figures = append(r.figures, resident(c.what+", peak memory", peak).with(atMost(memoryGoal)))
			}
		}
		return r, nil
	}, func(ctx context.Context, h *pi.Host) (reading, error) {
		t, err := h.TimeOpen(ctx, file)
		return reading{figures: []figure{millis(built, t.OpenMS+t.ContextMS), piResident(built+", peak memory", t.PeakRSSMB), millis(tree, t.OpenMS+t.TreeMS)}}, err
	})}, nil
}

// command returns the path of the command, built as for a release. It is built
// once.
func (b *bench) command(ctx context.Context) (string, error) {
	path := filepath.Join(b.work, "pith")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	b.logf("building the command")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "github.com/pith-sessions/pith/cmd/pith")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	_, err := output(cmd)
	return path, err
}

// command returns a command with its own home and agent directory.
func command(ctx context.Context, home, agentDir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = []string{"HOME=" + home, "PI_CODING_AGENT_DIR=" + agentDir, "PATH=" + os.Getenv("PATH")}
	cmd.Dir = home
	return cmd
}

// process runs a command and returns its time and peak resident memory. The
// memory is zero if the system does not report it or the process was too short.
func process(cmd *exec.Cmd) (d time.Duration, peak int64, err error) {
	ended := make(chan error, 1)
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				err = fmt.Errorf("%s: %w", cmd, err)
			}
			return time.Since(begin), peak, err
		case <-tick.C:
			peak = max(peak, peakOf(cmd.Process.Pid))
		}
	}
}
