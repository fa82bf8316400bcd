package main

import (
	"context"
	"path/filepath"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures the list of all sessions, read from the files: no index.

func (b *bench) listSection(ctx context.Context) (section, error) {
	dir, err := b.store(ctx)
	if err != nil {
		return section{}, err
	}
	return section{
		title: "A list of 1,000 sessions, 500 MB in 20 project folders, without an index",
		note:  "pi always collects the text of all messages, so its figures are the same with and without.",
		trials: []trial{{
			what: "the list of 1,000 sessions",
			rows: []row{
				{key: "list+text", title: "all facts, with the text of all messages", unit: secondsUnit, goal: atLeast(10)},
				{key: "peak+text", title: "peak memory of that", unit: bytesUnit},
				{key: "list", title: "all facts but the text", unit: secondsUnit},
				{key: "peak", title: "peak memory of that", unit: bytesUnit},
			},
			contenders: b.contenders(b.o.piRuns,
				func(ctx context.Context) (reading, error) { return readList(ctx, dir) },
				func(ctx context.Context, h *pi.Host) (reading, error) { return piList(ctx, h, dir) }),
		}},
	}, nil
}

func readList(ctx context.Context, dir string) (reading, error) {
	text, err := inChild(ctx, task{Name: "list+text", Path: dir})
	if err != nil {
		return reading{}, err
	}
	bare, err := inChild(ctx, task{Name: "list", Path: dir})
	return reading{
		values: map[string]value{
			"list+text": text.time(), "peak+text": text.memory(), "list": bare.time(), "peak": bare.memory(),
		},
		counts: map[string]int{"sessions": text.Sessions, "messages": text.Messages},
	}, err
}

func piList(ctx context.Context, h *pi.Host, dir string) (reading, error) {
	var t pi.ListTiming
	cpu, err := cpuOf(ctx, h, func() (err error) {
		t, err = h.TimeListAll(ctx, dir)
		return err
	})
	time, peak := value{millis(t.ListMS), cpu}, piPeak(t.PeakRSSMB)
	return reading{
		values: map[string]value{"list+text": time, "peak+text": peak, "list": time, "peak": peak},
		counts: map[string]int{"sessions": t.Sessions},
	}, err
}

func listTask(o catalog.Options) func(context.Context, task) (sample, error) {
	return func(ctx context.Context, t task) (sample, error) { return list(ctx, t, o) }
}

// list reads the sessions folder of the task as if it were pi's own, and
// nothing of the user's.
func list(ctx context.Context, t task, o catalog.Options) (out sample, err error) {
	o = t.only(o)
	var infos []catalog.Info
	err = out.timed(func() (err error) {
		infos, err = catalog.Sorted(catalog.ListAll(ctx, o))
		return err
	})
	out.Sessions = len(infos)
	for i := range infos {
		out.Messages += infos[i].MessageCount
	}
	return out, err
}

// only are options that see the sessions folder of the task and no other.
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
