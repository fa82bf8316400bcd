package doctor

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tree"
)

// ErrUnverified means that a repaired copy did not hold what a repair must hold.
// Nothing was changed.
var ErrUnverified = errors.New("the repaired copy lacks something that the file has; nothing was changed")

func unverified(form string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnverified, fmt.Sprintf(form, args...))
}

// verify holds a repaired copy against the session it was made of: D2 and D3 of
// the package's promises.
func (d *diagnosis) verify(copied *view) error {
	was, now := d.was.table.Entries, copied.table.Entries
	added := 0
	if d.cure.leaf != tree.None {
		added = 1
	}
	if d.was.table.Header.ID != copied.table.Header.ID {
		return unverified("it is another session")
	}
	if len(now) != len(was)+added {
		return unverified("it has %d entries; %d were expected", len(now), len(was)+added)
	}
	if err := d.verifyLines(copied); err != nil {
		return err
	}
	if err := d.verifyPaths(copied); err != nil {
		return err
	}
	return d.verifyContexts(copied)
}

// verifyLines compares every entry with the one that it was.
func (d *diagnosis) verifyLines(copied *view) error {
	old, fresh := walker{view: d.was}, walker{view: copied}
	for i := range d.was.table.Entries {
		a, err := old.line(i)
		if err != nil {
			return err
		}
		b, err := fresh.line(i)
		if err != nil {
			return err
		}
		if !bytes.Equal(a, b) && !d.sameButPlanned(i, a, b) {
			e := &d.was.table.Entries[i]
			return unverified("the entry of line %d, byte %d changed in more than was meant", e.Line, e.Offset)
		}
	}
	return nil
}

// sameButPlanned reports whether two lines are equal without the members that the
// repair is about.
func (d *diagnosis) sameButPlanned(i int, a, b []byte) bool {
	var names []string
	for _, m := range d.cure.edits[i] {
		names = append(names, m.name)
	}
	if d.now != d.was {
		names = append(names, "id", "parentId", "firstKeptEntryId", "firstKeptEntryIndex")
		a = withoutHook(a)
	}
	for _, name := range names {
		a, b = jsonl.Delete(a, name), jsonl.Delete(b, name)
	}
	return len(names) > 0 && bytes.Equal(a, b)
}

// withoutHook is a line whose message has the role that version 3 gives it.
func withoutHook(line []byte) []byte {
	if msg, ok := jsonl.Lookup(line, "message"); ok && jsonl.KindOf(msg) == '{' {
		if role, _ := jsonl.Lookup(msg, "role"); string(role) == `"`+string(format.RoleHookMessage)+`"` {
			line, _ = jsonl.SetIn(line, []byte(`"`+format.RoleCustom+`"`), "message", "role")
		}
	}
	return line
}

// verifyPaths checks that the old path to every entry is the end of its new one,
// and that every compaction keeps at least what it kept.
func (d *diagnosis) verifyPaths(copied *view) error {
	parents := copied.parents()
	for i, p := range d.parents {
		if p != tree.None && parents[i] != p {
			return unverified("entry %s has another parent", d.id(i))
		}
	}
	f := newForest(parents)
	w := walker{view: copied}
	for _, ref := range d.bodies.references {
		if d.entries()[ref.entry].Kind != envelope.KindCompaction || ref.id == "" {
			continue
		}
		kept := highest(d.before, d.now.tree.FindAll(ref.id), ref.entry)
		if kept == tree.None {
			continue
		}
		line, err := w.line(ref.entry)
		if err != nil {
			return err
		}
		raw, _ := jsonl.Lookup(line, "firstKeptEntryId")
		id, _ := jsonl.String(raw)
		i := copied.tree.Find(id)
		if i == tree.None || i != kept && !f.above(i, kept) && copied.table.ID(kept) != id {
			return unverified("the compaction %s keeps less", d.id(ref.entry))
		}
	}
	return nil
}
