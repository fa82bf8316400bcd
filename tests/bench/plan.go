package main

import (
	"context"
	"iter"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// This file measures planning a compaction of a large session that is open.

func (b *bench) planSection(ctx context.Context) (section, error) {
	compacted, err := b.file(ctx, "the 100 MB session", corpus.CachedLarge)
	if err != nil {
		return section{}, err
	}
	whole, err := b.file(ctx, "the 100 MB session that was never compacted", corpus.CachedUncompacted)
	if err != nil {
		return section{}, err
	}
	return section{
		title: "Planning a compaction of an open session of 100 MB",
		note:  planNote,
		trials: []trial{
			b.planTrial("plan, compacted", "compacted now and then", compacted),
			b.planTrial("plan, never compacted", "never compacted", whole),
		},
	}, nil
}

const planNote = "pi's figure is that of its branch and prepareCompaction, which also lists the files that the history touched; " +
	"in pith these are asked for, and the messages to summarise are read from the file then."

func (b *bench) planTrial(key, title, path string) trial {
	return trial{
		what: key,
		rows: []row{
			{key: key, title: "plan, " + title, unit: secondsUnit, goal: atLeast(20)},
			{key: key + ", files", title: "plan and files of the history, " + title, unit: secondsUnit},
			{key: key + ", peak", title: "peak memory of planning, opening included", unit: bytesUnit},
		},
		contenders: b.contenders(b.o.piRuns,
			func(ctx context.Context) (reading, error) { return planInChild(ctx, key, path) },
			func(ctx context.Context, h *pi.Host) (reading, error) { return piPlan(ctx, h, key, path) }),
	}
}

func planInChild(ctx context.Context, key, path string) (reading, error) {
	plan, err := inChild(ctx, task{Name: "plan", Path: path})
	if err != nil {
		return reading{}, err
	}
	files, err := inChild(ctx, task{Name: "plan+files", Path: path})
	if err != nil {
		return reading{}, err
	}
	return reading{
		values: map[string]value{key: plan.time(), key + ", files": files.time(), key + ", peak": plan.memory()},
		counts: map[string]int{"entries": plan.Entries, "messages to summarise": files.Messages, "tokens": plan.Tokens},
	}, nil
}

func piPlan(ctx context.Context, h *pi.Host, key, path string) (reading, error) {
	t, err := h.TimePlan(ctx, path)
	seconds := value{amount: millis(t.PlanMS)}
	return reading{
		values: map[string]value{key: seconds, key + ", files": seconds, key + ", peak": piPeak(t.PeakRSSMB)},
		counts: map[string]int{"entries": t.Entries, "messages to summarise": t.Messages, "tokens": t.Tokens},
	}, err
}

func planTask(_ context.Context, t task) (sample, error) {
	return onOpenSession(t, func(s *pith.Session, out *sample) error {
		p, err := compact.Prepare(s, compact.Defaults())
		if err == nil {
			out.Tokens = int(p.TokensBefore)
		}
		return err
	})
}

// planFilesTask lists the files as [compact.Plan.Files] does, and counts the
// messages that it reads for that.
func planFilesTask(_ context.Context, t task) (sample, error) {
	return onOpenSession(t, func(s *pith.Session, out *sample) error {
		p, err := compact.Prepare(s, compact.Defaults())
		if err != nil {
			return err
		}
		var files compact.FileOps
		for _, messages := range []iter.Seq2[pith.ContextMessage, error]{p.History(), p.TurnPrefix()} {
			for m, err := range messages {
				if err != nil {
					return err
				}
				files.Add(m.Raw)
				out.Messages++
			}
		}
		return nil
	})
}
