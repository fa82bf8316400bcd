package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures one session: opening it, its views, appending to it.

// tasks maps names to tasks.
var tasks = map[string]func(context.Context, task, *sample) error{
	"open":         session(true, nothing),
	"open+context": session(true, readContext),
	"context":      session(false, readContext),
	"tree":         session(false, readTree),
	"append":       appends(pith.Options{}),
	"append+sync":  appends(pith.Options{Sync: true}),
	"search words": searchWords,
}

// session returns a task on a session. opening reports whether opening it is
// measured too.
func session(opening bool, work func(*pith.Session, *sample) error) func(context.Context, task, *sample) error {
	return func(ctx context.Context, t task, out *sample) error {
		start := time.Now()
		s, err := pith.Open(ctx, t.Path, pith.Options{ReadOnly: true})
		if err != nil {
			return err
		}
		defer s.Close()
		if !opening {
			start = time.Now()
		}
		if err := work(s, out); err != nil {
			return err
		}
		out.Took = time.Since(start)
		out.Counts["entries"] = s.View().Len()
		return nil
	}
}

func nothing(*pith.Session, *sample) error { return nil }

// readContext builds the context and reads the bytes of every message in it.
func readContext(s *pith.Session, out *sample) error {
	c, err := s.Context()
	if err != nil {
		return err
	}
	for m, err := range c.ReusedMessages() {
		if err != nil {
			return err
		}
		if len(m.Raw) == 0 {
			return fmt.Errorf("the message of entry %s is empty", m.EntryID)
		}
		out.Counts["messages"]++
	}
	return nil
}

func readTree(s *pith.Session, _ *sample) error {
	if len(s.View().Tree()) == 0 {
		return fmt.Errorf("a tree without roots")
	}
	return nil
}

// appends does the same work as [pi.Host.TimeAppend].
func appends(o pith.Options) func(context.Context, task, *sample) error {
	return func(_ context.Context, t task, out *sample) error {
		o.Dir, o.Cwd = t.Path, "/timing"
		s, err := pith.Create(o)
		if err != nil {
			return err
		}
		defer s.Close()
		at := time.UnixMilli(1765233665292)
		answer := &format.Assistant{
			Content: format.BlockContent(&format.TextBlock{Text: "ready"}), API: "anthropic-messages", Provider: "anthropic",
			Model: "claude-opus-4-5", StopReason: "stop", Timestamp: at.UnixMilli(),
		}
		for _, m := range []format.Message{format.NewUser("start", at), answer} {
			if _, err := s.AppendMessage(context.Background(), m); err != nil {
				return err
			}
		}
		text := strings.Repeat("the quick brown fox jumps over the lazy dog ", 6)
		return out.time(func() error {
			for range t.N {
				if _, err := s.AppendMessage(context.Background(), format.NewUser(text, at)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// openTrials measures opening a session and building its views.
func (b *bench) openTrials(ctx context.Context) ([]trial, error) {
	path, err := warmed(ctx, corpus.CachedLarge)
	if err != nil {
		return nil, err
	}
	const both, peak, open, built, tree = "open + context, every message read", "peak memory of that", "open alone", "context of the open session", "tree of the open session"
	return []trial{b.besidePi(b.peerRuns, func(ctx context.Context) (reading, error) {
		got, err := eachInChild(ctx, path, "open+context", "open", "context", "tree")
		if err != nil {
			return reading{}, err
		}
		return reading{
			[]figure{took(both, got[0].Took).with(faster(contextGoal())), resident(peak, got[0].Peak).with(atMost(memoryGoal)), took(open, got[1].Took), took(built, got[2].Took), took(tree, got[3].Took).with(faster(5))},
			got[0].Counts,
		}, nil
	}, func(ctx context.Context, h *pi.Host) (reading, error) {
		t, err := h.TimeOpen(ctx, path)
		return reading{
			[]figure{millis(both, t.OpenMS+t.ContextMS), piResident(peak, t.PeakRSSMB), millis(open, t.OpenMS), millis(built, t.ContextMS), millis(tree, t.TreeMS)},
			map[string]int{"entries": t.Entries, "messages": t.Messages},
		}, err
	})}, nil
}

// eachInChild runs several tasks on one file.
func eachInChild(ctx context.Context, path string, names ...string) ([]sample, error) {
	out := make([]sample, len(names))
	for i, name := range names {
		s, err := inChild(ctx, task{Name: name, Path: path})
		if err != nil {
			return nil, err
		}
		out[i] = s
	}
	return out, nil
}

// The number of appended messages. On a spinning disk, one sync takes as long
// as a thousand appends without.
const (
	plainAppends  = 5000
	syncedAppends = 300
)

// appendTrials measures appends. pi takes no lock, does not check for other
// writers, and never syncs.
func (b *bench) appendTrials(context.Context) ([]trial, error) {
	const plain, synced = "without fsync", "with fsync"
	one := func(ctx context.Context, what string, t task) (f figure, err error) {
		if t.Path, err = os.MkdirTemp(b.work, "append-"); err != nil {
			return f, err
		}
		s, err := inChild(ctx, t)
		return took(what, s.Took/time.Duration(t.N)), err
	}
	return []trial{b.besidePi(b.peerRuns, func(ctx context.Context) (reading, error) {
		first, err := one(ctx, plain, task{Name: "append", N: plainAppends})
		if err != nil {
			return reading{}, err
		}
		second, err := one(ctx, synced, task{Name: "append+sync", N: syncedAppends})
		return reading{figures: []figure{first.with(over(1)), second}}, err
	}, func(ctx context.Context, h *pi.Host) (reading, error) {
		dir, err := os.MkdirTemp(b.work, "append-")
		if err != nil {
			return reading{}, err
		}
		t, err := h.TimeAppend(ctx, plainAppends, dir)
		return reading{figures: []figure{millis(plain, t.PerAppendUS/1e3)}}, err
	})}, nil
}

func (b *bench) growthTrials(ctx context.Context) (trials []trial, err error) {
	for _, mb := range []int64{10, 100, 1000} {
		runs := b.peerRuns
		if mb > 100 {
			if b.quick {
				continue
			}
			runs = 1 // half a minute and gigabytes each
		}
		path, err := b.sized(ctx, mb)
		if err != nil {
			return nil, err
		}
		both, peak := fmt.Sprintf("%d MB, open + context", mb), fmt.Sprintf("%d MB, peak memory of that", mb)
		trials = append(trials, b.besidePi(runs, func(ctx context.Context) (reading, error) {
			s, err := inChild(ctx, task{Name: "open+context", Path: path})
			if err != nil {
				return reading{}, err
			}
			return reading{[]figure{took(both, s.Took), resident(peak, s.Peak)}, s.Counts}, nil
		}, func(ctx context.Context, h *pi.Host) (reading, error) {
			t, err := h.TimeOpen(ctx, path)
			return reading{
				[]figure{millis(both, t.OpenMS+t.ContextMS), piResident(peak, t.PeakRSSMB)},
				map[string]int{"entries": t.Entries, "messages": t.Messages},
			}, err
		}))
	}
	return trials, nil
}
