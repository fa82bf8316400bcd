package main

import (
	"context"
	"os"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/corpus"
	"github.com/pith-sessions/pith/internal/pihost"
)

// This file measures the list of all sessions with an index: the list that makes
// it, and the next one. Opening the index is part of both.

func (b *bench) indexedSection(ctx context.Context) (section, error) {
	dir, err := b.file(ctx, "the 1,000 sessions of 500 MB", corpus.CachedStore)
	if err != nil {
		return section{}, err
	}
	return section{
		title: "The same list with an index",
		note:  "pi has no index: its figures are those of its list, each time.",
		trials: []trial{{
			what: "the list of 1,000 sessions with an index",
			rows: []row{
				{key: "first", title: "the first list, which makes the index", unit: secondsUnit, goal: atLeast(5)},
				{key: "peak", title: "peak memory of that", unit: bytesUnit},
				{key: "again", title: "the list when nothing changed", unit: secondsUnit, goal: atMost(0.030, secondsUnit)},
			},
			contenders: append([]contender{b.pithContender(func(ctx context.Context) (reading, error) { return b.readIndexedList(ctx, dir) })},
				b.piContenders(b.o.piRuns, func(ctx context.Context, h *pihost.Host) (reading, error) { return piIndexedList(ctx, h, dir) })...),
		}},
	}, nil
}

func (b *bench) readIndexedList(ctx context.Context, dir string) (reading, error) {
	index, err := os.MkdirTemp(b.work, "index-")
	if err != nil {
		return reading{}, err
	}
	defer os.RemoveAll(index)
	first, err := inChild(ctx, task{Name: "list+index", Path: dir, Index: index})
	if err != nil {
		return reading{}, err
	}
	again, err := inChild(ctx, task{Name: "list+index", Path: dir, Index: index})
	return reading{
		values: map[string]value{"first": first.time(), "peak": first.memory(), "again": again.time()},
		counts: map[string]int{"sessions": first.Sessions, "messages": first.Messages},
	}, err
}

func piIndexedList(ctx context.Context, h *pihost.Host, dir string) (reading, error) {
	r, err := piList(ctx, h, dir)
	r.values = map[string]value{"first": r.values["list"], "peak": r.values["peak"], "again": r.values["list"]}
	return r, err
}

func listIndexTask(ctx context.Context, t task) (sample, error) {
	if t.Index == "" {
		return list(ctx, t, catalog.Options{})
	}
	var ix *catalog.Index
	var opening sample
	err := opening.timed(func() (err error) {
		ix, err = catalog.OpenIndex(t.Index)
		return err
	})
	if err != nil {
		return sample{}, err
	}
	defer ix.Close()
	s, err := list(ctx, t, catalog.Options{Index: ix})
	s.Wall += opening.Wall
	s.CPU += opening.CPU
	s.Allocs += opening.Allocs
	s.AllocBytes += opening.AllocBytes
	return s, err
}
