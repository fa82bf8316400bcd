package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/pith-sessions/pith/tests/corpus"
)

// This file measures commands on one session of millions of entries. What counts
// is their memory.

// entriesTrials runs each command twice in a new home directory: without and
// with an offset cache.
func (b *bench) entriesTrials(ctx context.Context) (trials []trial, err error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	for _, millions := range []int{1, 5} {
		if millions > 1 && b.quick {
			continue
		}
		n := millions * 1_000_000
		file, err := b.ownFile(ctx, fmt.Sprintf("chain-%d", n), func(w io.Writer) error { return corpus.Chain(w, n) })
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"tree", "show"} {
			say := fmt.Sprintf("pith %s, %d million: ", name, millions)
			trials = append(trials, trial{{"pith", b.runs, func(ctx context.Context) (r reading, err error) {
				home, err := os.MkdirTemp(b.work, "home-")
				if err != nil {
					return r, err
				}
				defer os.RemoveAll(home)
				for _, when := range []string{"the first time", "again"} {
					cmd := exec.CommandContext(ctx, pith, name, file)
					cmd.Env, cmd.Dir = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, home
					peak, err := watched(cmd)
					if err != nil {
						return r, err
					}
					r.figures = append(r.figures, took(say+"time of the processor, "+when, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()),
						resident(say+"peak memory, "+when, peak))
				}
				return r, nil
			}}})
		}
	}
	return trials, nil
}
