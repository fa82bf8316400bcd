package envelope

import "runtime"

// Len is the number of entries.
func (t *Table) Len() int { return len(t.Entries) }

// ID is the id of an entry as its line has it; "" when it has none.
func (t *Table) ID(i int) string { return t.lasting(t.Entries[i].id) }

// Parent is the id that an entry names as its parent; "" for a root.
func (t *Table) Parent(i int) string { return t.lasting(t.Entries[i].parent) }

// lasting is a piece of the text that stays valid when the table is gone: a copy
// if the text is lent.
func (t *Table) lasting(r ref) string {
	if t.lent {
		s := string(r.of(t.text))
		runtime.KeepAlive(t)
		return s
	}
	return t.piece(r)
}

// piece is a piece of the text without a copy. The text only grows, so what was
// handed out never changes.
func (t *Table) piece(r ref) string {
	return stringOf(r.of(t.text))
}

// OwnIDs makes ID and Parent cheap for somebody who wants very many of them: text
// that is lent is copied once.
func (t *Table) OwnIDs() {
	if t.lent {
		t.text, t.lent = append(make([]byte, 0, cap(t.text)), t.text...), false
	}
}

// Links are the ids, parents and times of a table, for a tree. Its strings stay
// valid as long as the table, and are no copies.
type Links struct{ *Table }

// ID is Table.ID.
func (l Links) ID(i int) string { return l.piece(l.Entries[i].id) }

// Parent is Table.Parent.
func (l Links) Parent(i int) string { return l.piece(l.Entries[i].parent) }

// Follows reports whether an entry names the entry before it as its parent, as
// nearly all do. It may be false for one that does.
func (t *Table) Follows(i int) bool {
	return i > 0 && t.Entries[i].parent.len > 0 && t.Entries[i].parent == t.Entries[i-1].id
}

// Time is an entry's time in milliseconds since 1970, or NoTime.
func (t *Table) Time(i int) int64 { return t.Entries[i].Time }
