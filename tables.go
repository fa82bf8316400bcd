package pith

import (
	"context"
	"io"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
)

const (
	// leastSaved is how long a file must be for its table to be worth keeping:
	// reading so much costs some milliseconds.
	leastSaved = 4 << 20
	// tailPart is which part of a file may be new before its table is saved again.
	tailPart = 64
)

// recall is what was kept of a log; nil when that is nothing, or does not fit.
func (j *journal) recall(ctx context.Context, size int64) *reading {
	if j.tables == nil || j.file == "" {
		return nil
	}
	if j.opt.Tables == "" && size < leastSaved {
		return nil // none was saved, and asking a store takes time
	}
	data, owner := j.tables.LoadTable(j.file)
	if data == nil {
		return nil
	}
	r := envelope.NewFlatReader(data)
	table, err := envelope.Recall(r, j.log, size, owner)
	if err != nil {
		return nil
	}
	t, err := tree.Recall(r, envelope.Links{Table: table})
	if err != nil || t.Len() != table.Len() {
		return nil
	}
	l := &reading{table: table, tree: t, saved: table.Size()}
	if err := table.Extend(envelope.Until(ctx, j.log), size); err != nil || table.NeedsMigration() {
		return nil
	}
	t.Extend()
	return l
}

// saveTable gives what is known of the session's file to who keeps tables.
func (j *journal) saveTable() error {
	if j.tables == nil || j.file == "" || j.log == nil || j.migrated != nil || j.closed {
		return nil
	}
	if _, err := j.log.Size(); err != nil {
		return j.wrap("save the table of", err) // gone, and another file may have its name
	}
	covered := j.table.Size()
	err := j.tables.SaveTable(j.file, covered, func(w io.Writer) error {
		out := envelope.NewFlatWriter(w)
		j.table.Save(out)
		j.tree.Save(out)
		return out.Err()
	})
	if err != nil {
		return j.wrap("save the table of", err)
	}
	j.saved = covered
	return nil
}

// tableOutdated reports whether much of the file is not in the saved table.
func (j *journal) tableOutdated() bool {
	size := j.table.Size()
	return size >= leastSaved && size-j.saved > max(leastSaved, size/tailPart)
}
