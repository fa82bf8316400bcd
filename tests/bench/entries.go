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

// entriesTrials runs each command once in a new home directory, without an
// offset cache, and those on 1 million entries once more with one.
func (b *bench) entriesTrials(ctx context.Context) (trials []trial, err error) {
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	for _, millions := range []int{1, 5, 10} {
		if millions > 1 && b.quick {
			continue
		}
		n := millions * 1_000_000
		file, err := b.ownFile(ctx, fmt.Sprintf("chain-%d", n), func(w io.Writer) error { return corpus.Chain(w, n) })
		if err != nil {
			return nil, err
		}
		if millions == 1 {
			trials = append(trials, trial{{"pith", min(b.runs, 2), func(ctx context.Context) (reading, error) { return b.interactiveTree(ctx, pith, file) }}})
		}
		for _, name := range []string{"tree", "show"} {
			if name == "show" && millions == 10 {
				continue // a minute
			}
			say := fmt.Sprintf("pith %s, %d million: ", name, millions)
			trials = append(trials, trial{{"pith", 1, func(ctx context.Context) (r reading, err error) {
				home, err := os.MkdirTemp(b.work, "home-")
				if err != nil {
					return r, err
				}
				defer os.RemoveAll(home)
				for _, when := range []string{"the first time", "again"} {
					if when == "again" && millions > 1 {
						break
					}
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

// Labels of pith tree -i, for the table of limits.
const (
	interactiveFirst = "pith tree -i, 1 million: first screen"
	interactivePeak  = "pith tree -i, 1 million: peak memory"
)

// interactiveTree opens the tree in a terminal and goes to both of its ends.
func (b *bench) interactiveTree(ctx context.Context, pith, file string) (r reading, err error) {
	home, err := os.MkdirTemp(b.work, "home-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(home)
	t, err := inTerminal(ctx, home, home, pith, "tree", "-i", file)
	if err != nil {
		return r, err
	}
	first, err := t.await("999999") // the number of the last entry, which is the current one
	for _, key := range []string{"g", "G"} {
		if err == nil {
			_, err = t.press(key)
			t.settle()
		}
	}
	peak := t.close()
	return reading{figures: []figure{took(interactiveFirst, first), resident(interactivePeak, peak)}}, err
}
