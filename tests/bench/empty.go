package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// This file measures the first build of the command: with -build only, since it
// downloads all modules.

// Labels that the table of limits refers to.
const (
	emptyBuild = "go run ./cmd/pith, empty caches"
	emptyStd   = "go build std, empty cache"
)

func (b *bench) buildTrials(context.Context) ([]trial, error) {
	return []trial{{{"pith", 1, func(ctx context.Context) (r reading, err error) {
		for _, s := range []struct {
			what string
			args []string
		}{{emptyStd, []string{"build", "std"}}, {emptyBuild, []string{"run", "github.com/pith-sessions/pith/cmd/pith", "--version"}}} {
			caches, err := os.MkdirTemp(b.work, "caches-")
			if err != nil {
				return r, err
			}
			cmd := exec.CommandContext(ctx, "go", s.args...)
			cmd.Env = append(os.Environ(), "GOCACHE="+filepath.Join(caches, "build"), "GOMODCACHE="+filepath.Join(caches, "mod"), "GOFLAGS=-modcacherw")
			begin := time.Now()
			if _, err := output(cmd); err != nil {
				return r, err
			}
			r.figures = append(r.figures, took(s.what, time.Since(begin)))
			if err := os.RemoveAll(caches); err != nil {
				return r, err
			}
		}
		return r, nil
	}}}}, nil
}
