package main

import (
	"context"
	"fmt"
	"os"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures a session that is one long chain: nothing may take time
// that grows faster than its depth, or a stack that grows with it.

// chainDepths are how many entries the chains have. A much shorter one would
// fit into the processor's caches and say nothing about growth.
var chainDepths = []int{50_000, 500_000}

// chainViews are the tasks that are timed on a chain.
var chainViews = []string{"path", "tree", "context"}

func (b *bench) chainSection(ctx context.Context) (section, error) {
	s := section{title: "One chain of short messages without branches: views of the open session"}
	for i, depth := range chainDepths {
		smaller := 0
		if i > 0 {
			smaller = chainDepths[i-1]
		}
		if b.o.quick && smaller > 0 {
			continue
		}
		path, err := b.ownFile(ctx, fmt.Sprintf("a chain of %d entries", depth), fmt.Sprintf("chain-%d", depth),
			func(path string) error { return writeChain(path, depth) })
		if err != nil {
			return s, err
		}
		s.trials = append(s.trials, b.chainTrial(depth, smaller, path))
	}
	return s, nil
}

func writeChain(path string, depth int) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := corpus.Chain(f, depth); err != nil {
		f.Close() // The error of the write says more.
		return err
	}
	return f.Close()
}

func chainKey(what string, depth int) string { return fmt.Sprintf("%s-%d", what, depth) }

func (b *bench) chainTrial(depth, smaller int, path string) trial {
	t := trial{what: fmt.Sprintf("a chain of %d entries", depth)}
	piRuns := b.o.piRuns
	for _, what := range chainViews {
		r := row{key: chainKey(what, depth), title: fmt.Sprintf("%s, %d deep", what, depth), unit: secondsUnit}
		if smaller > 0 {
			r.goal = linearFrom(chainKey(what, smaller), float64(depth/smaller))
			piRuns = 1 // old releases need a minute
		}
		t.rows = append(t.rows, r)
	}
	t.contenders = b.contenders(piRuns, func(ctx context.Context) (reading, error) {
		return readChain(ctx, depth, path)
	}, func(ctx context.Context, h *pi.Host) (reading, error) {
		got, err := h.TimeOpen(ctx, path)
		return reading{
			values: map[string]value{
				chainKey("tree", depth):    {amount: millis(got.TreeMS)},
				chainKey("context", depth): {amount: millis(got.ContextMS)},
			},
			counts: map[string]int{"entries": got.Entries, "messages": got.Messages},
		}, err
	})
	return t
}

func readChain(ctx context.Context, depth int, path string) (reading, error) {
	r := reading{values: map[string]value{}, counts: map[string]int{}}
	for _, what := range chainViews {
		s, err := inChild(ctx, task{Name: what, Path: path})
		if err != nil {
			return r, err
		}
		r.values[chainKey(what, depth)] = s.time()
		r.counts["entries"] = s.Entries
		if what == "context" {
			r.counts["messages"] = s.Messages
		}
	}
	return r, nil
}

func pathTask(_ context.Context, t task) (sample, error) {
	return onOpenSession(t, func(s *pith.Session, _ *sample) error {
		ids, err := s.PathIDs(s.LeafID())
		if err == nil && len(ids) != s.Len() {
			err = fmt.Errorf("%s has a path of %d entries and %d in all, and should be one chain", t.Path, len(ids), s.Len())
		}
		return err
	})
}
