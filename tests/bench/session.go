package main

import (
	"context"
	"fmt"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures one large session: opening it, its context, its tree.

func (b *bench) compactedSection(ctx context.Context) (section, error) {
	path, err := b.file(ctx, "the 100 MB session", corpus.CachedLarge)
	if err != nil {
		return section{}, err
	}
	t := b.sessionTrial("compacted, 100 MB", path)
	return section{title: "A session of 100 MB and 52,000 entries, compacted now and then", note: sessionNote, trials: []trial{t}}, nil
}

func (b *bench) wholeSection(ctx context.Context) (section, error) {
	path, err := b.file(ctx, "the 100 MB session that was never compacted", corpus.CachedUncompacted)
	if err != nil {
		return section{}, err
	}
	t := b.sessionTrial("never compacted, 100 MB", path)
	return section{title: "The same size, never compacted: the context is the whole session", note: sessionNote, trials: []trial{t}}, nil
}

const sessionNote = "pi's CPU time is that of opening, context and tree together."

func (b *bench) sessionTrial(what, path string) trial {
	return trial{
		what: what,
		rows: []row{
			{key: "open+context", title: "open + context, every message read", unit: secondsUnit, goal: atLeastAiming(25, 50)},
			{key: "peak", title: "peak memory of that", unit: bytesUnit, goal: atLeast(10)},
			{key: "open", title: "open alone", unit: secondsUnit},
			{key: "context", title: "context of the open session", unit: secondsUnit},
			{key: "tree", title: "tree of the open session", unit: secondsUnit},
			{key: "allocs", title: "allocations per entry, open alone", unit: countUnit},
			{key: "allocated", title: "bytes allocated, open alone", unit: bytesUnit},
		},
		contenders: b.contenders(b.o.piRuns,
			func(ctx context.Context) (reading, error) { return readSession(ctx, path) },
			func(ctx context.Context, h *pi.Host) (reading, error) { return piSession(ctx, h, path) }),
	}
}

func readSession(ctx context.Context, path string) (reading, error) {
	got := map[string]sample{}
	for _, name := range []string{"open", "open+context", "context", "tree"} {
		s, err := inChild(ctx, task{Name: name, Path: path})
		if err != nil {
			return reading{}, err
		}
		got[name] = s
	}
	open, both := got["open"], got["open+context"]
	return reading{
		values: map[string]value{
			"open+context": both.time(),
			"peak":         both.memory(),
			"open":         open.time(),
			"context":      got["context"].time(),
			"tree":         got["tree"].time(),
			"allocs":       {amount: float64(open.Allocs) / float64(open.Entries)},
			"allocated":    {amount: float64(open.AllocBytes)},
		},
		counts: map[string]int{"entries": open.Entries, "messages": both.Messages},
	}, nil
}

func piSession(ctx context.Context, h *pi.Host, path string) (reading, error) {
	var t pi.OpenTiming
	cpu, err := cpuOf(ctx, h, func() (err error) {
		t, err = h.TimeOpen(ctx, path)
		return err
	})
	return reading{
		values: map[string]value{
			"open+context": {millis(t.OpenMS + t.ContextMS), cpu},
			"peak":         piPeak(t.PeakRSSMB),
			"open":         {amount: millis(t.OpenMS)},
			"context":      {amount: millis(t.ContextMS)},
			"tree":         {amount: millis(t.TreeMS)},
		},
		counts: map[string]int{"entries": t.Entries, "messages": t.Messages},
	}, err
}

func openTask(_ context.Context, t task) (out sample, err error) {
	var s *pith.Session
	err = out.timed(func() (err error) {
		s, err = pith.Open(t.Path, t.options())
		return err
	})
	if err != nil {
		return out, err
	}
	out.Entries = s.Len()
	return out, s.Close()
}

func openContextTask(_ context.Context, t task) (out sample, err error) {
	var s *pith.Session
	err = out.timed(func() (err error) {
		if s, err = pith.Open(t.Path, t.options()); err != nil {
			return err
		}
		out.Messages, err = readContext(s)
		return err
	})
	if err != nil {
		return out, err
	}
	out.Entries = s.Len()
	return out, s.Close()
}

// readContext builds the context and takes the bytes of every message in it.
func readContext(s *pith.Session) (messages int, err error) {
	c, err := s.Context()
	if err != nil {
		return 0, err
	}
	for m, err := range c.Messages() {
		if err != nil {
			return messages, err
		}
		if len(m.Raw) == 0 {
			return messages, fmt.Errorf("message %d of the context, from entry %s, is empty", messages, m.EntryID)
		}
		messages++
	}
	return messages, nil
}

func contextTask(_ context.Context, t task) (sample, error) {
	return onOpenSession(t, func(s *pith.Session, out *sample) (err error) {
		out.Messages, err = readContext(s)
		return err
	})
}

func treeTask(_ context.Context, t task) (sample, error) {
	return onOpenSession(t, func(s *pith.Session, _ *sample) error {
		if len(s.Tree()) == 0 {
			return fmt.Errorf("%s has a tree without roots", t.Path)
		}
		return nil
	})
}

// onOpenSession times work on a session that was opened before.
func onOpenSession(t task, do func(*pith.Session, *sample) error) (out sample, err error) {
	s, err := pith.Open(t.Path, t.options())
	if err != nil {
		return out, err
	}
	if err := out.timed(func() error { return do(s, &out) }); err != nil {
		return out, err
	}
	out.Entries = s.Len()
	return out, s.Close()
}
