package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures appending messages to a new session.

// How many messages are appended. On a disk that spins, one sync takes as long
// as a thousand appends without.
const (
	appends       = 5000
	syncedAppends = 300
)

func (b *bench) appendSection(context.Context) (section, error) {
	return section{
		title: "Append one user message of 400 bytes",
		note:  "pi takes no lock, does not look whether somebody else wrote, and never syncs.",
		trials: []trial{{
			what: "appends",
			rows: []row{
				{key: "append", title: "without fsync", unit: secondsUnit, goal: atLeast(1)},
				{key: "append+sync", title: "with fsync", unit: secondsUnit},
			},
			contenders: b.contenders(b.o.piRuns, b.readAppends, b.piAppends),
		}},
	}, nil
}

func (b *bench) readAppends(ctx context.Context) (reading, error) {
	values := map[string]value{}
	for _, t := range []task{{Name: "append", N: appends}, {Name: "append+sync", N: syncedAppends}} {
		dir, err := os.MkdirTemp(b.work, "append-")
		if err != nil {
			return reading{}, err
		}
		defer os.RemoveAll(dir)
		t.Path = dir
		s, err := inChild(ctx, t)
		if err != nil {
			return reading{}, err
		}
		n := time.Duration(t.N)
		values[t.Name] = value{s.Wall.Seconds() / float64(t.N), s.CPU / n}
	}
	return reading{values: values}, nil
}

func (b *bench) piAppends(ctx context.Context, h *pi.Host) (reading, error) {
	dir, err := os.MkdirTemp(b.work, "append-")
	if err != nil {
		return reading{}, err
	}
	defer os.RemoveAll(dir)
	var t pi.AppendTiming
	cpu, err := cpuOf(ctx, h, func() (err error) {
		t, err = h.TimeAppend(ctx, appends, dir)
		return err
	})
	return reading{values: map[string]value{"append": {t.PerAppendUS / 1e6, cpu / appends}}}, err
}

func appendTask(o pith.Options) func(context.Context, task) (sample, error) {
	return func(_ context.Context, t task) (sample, error) { return appendMessages(t, o) }
}

// appendMessages does what pihost.Host.TimeAppend lets pi do.
func appendMessages(t task, o pith.Options) (out sample, err error) {
	o.Dir = t.Path
	s, err := pith.Create("/timing", o)
	if err != nil {
		return out, err
	}
	at := time.UnixMilli(1765233665292)
	if _, err := s.AppendMessage(format.NewUser("start", at)); err != nil {
		return out, err
	}
	answer := &format.Assistant{
		Content: format.BlockContent(&format.TextBlock{Text: "ready"}), API: "anthropic-messages", Provider: "anthropic",
		Model: "claude-opus-4-5", StopReason: "stop", Timestamp: at.UnixMilli(),
	}
	if _, err := s.AppendMessage(answer); err != nil {
		return out, err
	}
	text := strings.Repeat("the quick brown fox jumps over the lazy dog ", 6)
	err = out.timed(func() error {
		for range t.N {
			if _, err := s.AppendMessage(format.NewUser(text, at)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	out.Entries = s.Len()
	return out, s.Close()
}
