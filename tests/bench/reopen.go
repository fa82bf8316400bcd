package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/cache/tables"
)

// This file measures opening a session whose table was saved before. pi has
// nothing like it, so pith runs alone.

func (b *bench) reopenSection(ctx context.Context) (section, error) {
	trials, err := b.eachSize(ctx, b.reopenTrial)
	return section{title: "Opening a session again, with its saved table", note: reopenNote, trials: trials}, err
}

const reopenNote = "The table is a file of about 4 % of the size of the session. Of the peak, about 9 MB are the program itself, as for a session of a few lines."

func (b *bench) reopenTrial(size growthSize, path string) trial {
	open, both, peak := growthKey("reopen", size.mb), growthKey("reopen+context", size.mb), growthKey("reopen-peak", size.mb)
	rows := []row{
		{key: open, title: fmt.Sprintf("%d MB, open", size.mb), unit: secondsUnit},
		{key: both, title: fmt.Sprintf("%d MB, open + context, every message read", size.mb), unit: secondsUnit},
		{key: peak, title: fmt.Sprintf("%d MB, peak memory of that", size.mb), unit: bytesUnit},
	}
	if size.mb >= 1000 {
		rows[0].goal = atMost(0.010, secondsUnit)
	}
	kept, saved := filepath.Join(b.work, "tables"), false
	return trial{
		what: fmt.Sprintf("opening again, %d MB", size.mb),
		rows: rows,
		contenders: []contender{b.pithContender(func(ctx context.Context) (reading, error) {
			if !saved {
				if _, err := inChild(ctx, task{Name: "table", Path: path, Tables: kept}); err != nil {
					return reading{}, err
				}
				saved = true
			}
			opened, err := inChild(ctx, task{Name: "open", Path: path, Tables: kept})
			if err != nil {
				return reading{}, err
			}
			read, err := inChild(ctx, task{Name: "open+context", Path: path, Tables: kept})
			return reading{
				values: map[string]value{open: opened.time(), both: read.time(), peak: read.memory()},
				counts: map[string]int{"entries": read.Entries, "messages": read.Messages},
			}, err
		})},
	}
}

// options are those of a task that opens a session.
func (t task) options() pith.Options {
	o := pith.Options{ReadOnly: true}
	if t.Tables != "" {
		o.Tables = tables.New(t.Tables)
	}
	return o
}

// tableTask opens a session and saves its table.
func tableTask(_ context.Context, t task) (out sample, err error) {
	s, err := pith.Open(t.Path, t.options())
	if err != nil {
		return out, err
	}
	if err := out.timed(s.SaveTable); err != nil {
		return out, err
	}
	out.Entries = s.Len()
	return out, s.Close()
}
