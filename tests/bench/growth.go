package main

import (
	"context"
	"fmt"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures how time and memory grow with the size of a session.

// A growthSize is a session of some megabytes.
type growthSize struct {
	mb      int64
	smaller int64 // the size that its time is compared with; zero for none
	limit   float64
}

var growthSizes = []growthSize{{mb: 10}, {mb: 100, smaller: 10}, {mb: 1000, smaller: 100, limit: 150e6}}

func (b *bench) growthSection(ctx context.Context) (section, error) {
	trials, err := b.eachSize(ctx, b.growthTrial)
	return section{title: "Growth with the size of the session: open + context", note: sessionNote, trials: trials}, err
}

// eachSize has a trial of every size, but for those that take long in a quick run.
func (b *bench) eachSize(ctx context.Context, of func(size growthSize, path string) trial) ([]trial, error) {
	var trials []trial
	for _, size := range growthSizes {
		if b.o.quick && size.mb > 100 {
			continue
		}
		path, err := b.sizedFile(ctx, size.mb)
		if err != nil {
			return nil, err
		}
		trials = append(trials, of(size, path))
	}
	return trials, nil
}

// sizedFile is the large session, made longer or shorter in proportion.
func (b *bench) sizedFile(ctx context.Context, mb int64) (string, error) {
	o := corpus.LargeOptions()
	if o.Bytes == mb*1e6 {
		return b.file(ctx, "the 100 MB session", corpus.CachedLarge)
	}
	o.Branches = int(int64(o.Branches) * mb * 1e6 / o.Bytes)
	o.Labels = int(int64(o.Labels) * mb * 1e6 / o.Bytes)
	o.Bytes = mb * 1e6
	return b.ownFile(ctx, fmt.Sprintf("a session of %d MB", mb), fmt.Sprintf("large-%dmb", mb),
		func(path string) error { return corpus.WriteFile(path, o) })
}

func growthKey(what string, mb int64) string { return fmt.Sprintf("%s-%d", what, mb) }

func (b *bench) growthTrial(size growthSize, path string) trial {
	timeKey, peakKey := growthKey("open+context", size.mb), growthKey("peak", size.mb)
	rows := []row{
		{key: timeKey, title: fmt.Sprintf("%d MB", size.mb), unit: secondsUnit},
		{key: peakKey, title: fmt.Sprintf("%d MB, peak memory", size.mb), unit: bytesUnit},
	}
	if size.smaller > 0 {
		rows[0].goal = linearFrom(growthKey("open+context", size.smaller), float64(size.mb/size.smaller))
	}
	if size.limit > 0 {
		rows[1].goal = atMost(size.limit, bytesUnit)
	}
	piRuns := b.o.piRuns
	if size.mb > 100 {
		piRuns = 1 // half a minute and gigabytes each
	}
	return trial{
		what: fmt.Sprintf("growth, %d MB", size.mb),
		rows: rows,
		contenders: b.contenders(piRuns, func(ctx context.Context) (reading, error) {
			s, err := inChild(ctx, task{Name: "open+context", Path: path})
			return reading{
				values: map[string]value{timeKey: s.time(), peakKey: s.memory()},
				counts: map[string]int{"entries": s.Entries, "messages": s.Messages},
			}, err
		}, func(ctx context.Context, h *pi.Host) (reading, error) {
			r, err := piSession(ctx, h, path)
			r.values = map[string]value{timeKey: r.values["open+context"], peakKey: r.values["peak"]}
			return r, err
		}),
	}
}
