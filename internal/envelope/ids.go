package envelope

import "runtime"

// Len returns the number of entries.
func (t *Table) Len() int { return len(t.Entries) }

// ID returns the id of an entry, or "" if its line has none.
func (t *Table) ID(i int) string { return t.lasting(t.Entries[i].id) }

// Parent returns the parent id of an entry, or "" for a root.
func (t *Table) Parent(i int) string { return t.lasting(t.Entries[i].parent) }

// lasting returns a piece of the text that stays valid when the table is gone:
// a copy if the text is borrowed.
func (t *Table) lasting(r ref) string {
	if t.lent {
		s := string(r.of(t.text))
		runtime.KeepAlive(t)
		return s
	}
	return t.piece(r)
}

// piece returns a piece of the text without a copy. The text only grows, so the
// result never changes.
func (t *Table) piece(r ref) string {
	return stringOf(r.of(t.text))
}

// Links are the ids, parents and times of a table, for a tree. Its strings are
// not copied and are valid as long as the table.
type Links struct{ *Table }

// ID is like Table.ID.
func (l Links) ID(i int) string { return l.piece(l.Entries[i].id) }

// Parent is like Table.Parent.
func (l Links) Parent(i int) string { return l.piece(l.Entries[i].parent) }

// Follows reports whether the parent of an entry is the entry before it, as for
// nearly all. It may return false for an entry whose parent is.
func (t *Table) Follows(i int) bool {
	return i > 0 && t.Entries[i].parent.len > 0 && t.Entries[i].parent == t.Entries[i-1].id
}

// Time returns an entry's time in milliseconds since 1970, or NoTime.
func (t *Table) Time(i int) int64 { return t.Entries[i].Time }
