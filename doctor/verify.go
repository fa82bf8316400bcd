package doctor

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// ErrUnverified means that a repaired copy failed verification. Nothing was
// changed.
var ErrUnverified = errors.New("the repaired copy lacks something that the file has; nothing was changed")

func unverified(form string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnverified, fmt.Sprintf(form, args...))
}

// verify checks a repaired copy against the original session: D2 and D3 of the
// package documentation.
func (d *diagnosis) verify(copied *view) error {
	v := verification{diagnosis: d, copied: copied}
	if d.was.state.Header.ID != copied.state.Header.ID {
		return unverified("it is another session")
	}
	if want := d.was.state.Len(); copied.state.Len() != want {
		return unverified("it has %d entries; %d were expected", copied.state.Len(), want)
	}
	for _, step := range []func() error{v.lines, v.paths, v.contexts} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// A verification compares a session and its repaired copy.
type verification struct {
	*diagnosis
	copied *view
}

func (v *verification) lines() error {
	old, fresh := walker{view: v.was}, walker{view: v.copied}
	for i := range v.was.state.Len() {
		a, err := old.line(i)
		if err != nil {
			return err
		}
		b, err := fresh.line(i)
		if err != nil {
			return err
		}
		if !bytes.Equal(a, b) && !v.sameButPlanned(i, a, b) {
			e := v.was.state.At(i)
			return unverified("the entry at line %d, byte %d changed more than intended", e.Line, e.Offset)
		}
	}
	return nil
}

// sameButPlanned reports whether two lines are equal except for the members to
// be repaired. A removed message must be whole in the details.
func (d *diagnosis) sameButPlanned(i int, a, b []byte) bool {
	var names []string
	for _, m := range d.changeSet.edits[i] {
		names = append(names, m.name)
		if m.raw == nil {
			was, _ := jsonl.Lookup(a, m.name)
			now, _ := jsonl.Lookup(b, "details")
			if !bytes.Equal(was, now) {
				return false
			}
		}
	}
	if d.now != d.was {
		names = append(names, "id", "parentId", "firstKeptEntryId", "firstKeptEntryIndex")
		a = withoutHook(a)
	}
	for _, name := range names {
		a, b = jsonl.Delete(a, name), jsonl.Delete(b, name)
	}
	return bytes.Equal(a, b)
}

// withoutHook returns a line whose message has the role of version 3.
func withoutHook(line []byte) []byte {
	if jsonl.LookupString(line, "type") != string(format.TypeMessage) {
		return line
	}
	if msg, ok := jsonl.Lookup(line, "message"); ok && jsonl.KindOf(msg) == '{' {
		if role, _ := jsonl.Lookup(msg, "role"); string(role) == `"`+string(format.RoleHookMessage)+`"` {
			line, _ = jsonl.SetIn(line, []byte(`"`+format.RoleCustom+`"`), "message", "role")
		}
	}
	return line
}

// paths checks that the old path to every entry is the end of its new one, and
// that every compaction keeps at least what it kept before.
func (v *verification) paths() error {
	parents := v.copied.parents()
	for i, p := range v.parents {
		if p != journal.None && parents[i] != p {
			return unverified("entry %s has another parent", v.id(i))
		}
	}
	f := newForest(parents)
	w := walker{view: v.copied}
	for _, ref := range v.bodies.references {
		if v.now.state.At(ref.entry).Kind != journal.KindCompaction || ref.id == "" {
			continue
		}
		kept := highest(v.before, v.now.state.FindAll(ref.id), ref.entry)
		if kept == journal.None {
			continue
		}
		line, err := w.line(ref.entry)
		if err != nil {
			return err
		}
		id := jsonl.LookupString(line, "firstKeptEntryId")
		i := v.copied.state.Find(id)
		if i == journal.None || i != kept && !f.above(i, kept) && v.copied.state.ID(kept) != id {
			return unverified("the compaction %s keeps less", v.id(ref.entry))
		}
	}
	return nil
}
