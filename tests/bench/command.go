package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures whole processes of the command, from start to end. pi's
// figures are those of its work alone, without the start of Node.

// firstList is the list of all sessions without an index.
const firstList = "pith ls --all of 1,000 sessions, the first"

// oftener is the factor by which commands on one session run more often than
// others: they take milliseconds, and are compared with each other.
const oftener = 3

// A commandLine is a command to measure, and pi's time for the same.
type commandLine struct {
	what string
	args []string
	peer func(pi.OpenTiming) float64 // milliseconds; nil if pi has no equivalent
}

// commandTrials measures commands. Each run has its own home directory, and
// thus an empty cache.
func (b *bench) commandTrials(ctx context.Context) ([]trial, error) {
	file, err := warmed(ctx, corpus.CachedLarge)
	if err != nil {
		return nil, err
	}
	store, err := warmed(ctx, corpus.CachedStore)
	if err != nil {
		return nil, err
	}
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	hello, err := b.hello(ctx)
	if err != nil {
		return nil, err
	}
	trials := []trial{b.sessionCommands(pith, hello, file)}
	const first, again = firstList, "pith ls --all again"
	return append(trials, b.beside(b.piRuns, func(ctx context.Context) (reading, error) {
		home, err := os.MkdirTemp(b.work, "home-")
		if err != nil {
			return reading{}, err
		}
		cold, err := process(ctx, home, filepath.Dir(store), pith, "ls", "--all")
		if err != nil {
			return reading{}, err
		}
		warm, err := process(ctx, home, filepath.Dir(store), pith, "ls", "--all")
		return reading{figures: []figure{took(first, cold), took(again, warm)}}, err
	}, func(ctx context.Context, h *pi.Host) (reading, error) {
		t, err := h.TimeListAll(ctx, store)
		return reading{figures: []figure{millis(first, t.ListMS), millis(again, t.ListMS)}}, err
	})), nil
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

// Labels of physical limits: reading the file, and starting a Go program.
const (
	readingIt  = "cat PATH: reading the file"
	helloWorld = "a Go program that does nothing"
)

// hello builds a Go program that does nothing.
func (b *bench) hello(ctx context.Context) (string, error) {
	source, path := filepath.Join(b.work, "hello.go"), filepath.Join(b.work, "hello")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	_, err := output(cmd)
	return path, err
}

func (b *bench) sessionCommands(pith, hello, file string) trial {
	opened := func(t pi.OpenTiming) float64 { return t.OpenMS }
	lines := []commandLine{
		{"pith --version: the start of the program", []string{"--version"}, nil},
		{"pith context PATH --json", []string{"context", file, "--json"}, func(t pi.OpenTiming) float64 { return t.OpenMS + t.ContextMS }},
		{"pith tree PATH", []string{"tree", file}, func(t pi.OpenTiming) float64 { return t.OpenMS + t.TreeMS }},
		{"pith name PATH", []string{"name", file}, opened},
		{"pith show PATH --last 20", []string{"show", file, "--last", "20"}, opened},
	}
	t := b.beside(b.piRuns, func(ctx context.Context) (r reading, err error) {
		d, err := opens(ctx, b.work, file)
		if err != nil {
			return r, err
		}
		r.figures = append(r.figures, took(opening, d))
		for _, c := range []struct{ what, name string }{{readingIt, "cat"}, {helloWorld, hello}} {
			d, err := process(ctx, b.work, b.work, c.name, file)
			if err != nil {
				return r, err
			}
			r.figures = append(r.figures, took(c.what, d))
		}
		for _, line := range lines {
			home, err := os.MkdirTemp(b.work, "home-")
			if err != nil {
				return r, err
			}
			d, err := process(ctx, home, home, pith, line.args...)
			if err != nil {
				return r, err
			}
			r.figures = append(r.figures, took(line.what, d))
		}
		return r, nil
	}, func(ctx context.Context, h *pi.Host) (r reading, err error) {
		t, err := h.TimeOpen(ctx, file)
		for _, line := range lines {
			if line.peer != nil {
				r.figures = append(r.figures, millis(line.what, line.peer(t)))
			}
		}
		return r, err
	})
	t[0].runs *= oftener
	return t
}

// opens returns the time of a process that only opens a session.
func opens(ctx context.Context, home, file string) (time.Duration, error) {
	text, err := json.Marshal(task{Name: "open", Path: file})
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	return process(ctx, home, home, self, taskArgument, string(text))
}

// command returns a command with its own home and agent directory.
func command(ctx context.Context, home, agentDir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = []string{"HOME=" + home, "PI_CODING_AGENT_DIR=" + agentDir, "PATH=" + os.Getenv("PATH")}
	cmd.Dir = home
	return cmd
}

// process returns the time of a command and discards its output.
func process(ctx context.Context, home, agentDir, name string, args ...string) (time.Duration, error) {
	cmd := command(ctx, home, agentDir, name, args...)
	start := time.Now()
	err := cmd.Run()
	return time.Since(start), err
}
