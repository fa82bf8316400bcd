package envelope

import (
	"cmp"
	"slices"
)

// Len returns the number of entries.
func (t *Table) Len() int { return t.rows.len() }

// At returns the envelope of an entry.
func (t *Table) At(i int) Entry {
	e := t.rows.at(i).entry()
	e.Line = int32(t.line(i))
	return e
}

// Kind returns the kind and the role of an entry. It is faster than At.
func (t *Table) Kind(i int) (Kind, Role) {
	r := t.rows.at(i)
	return r.kind(), r.role()
}

// line returns the physical line of an entry, from 1.
func (t *Table) line(i int) int {
	k := len(t.shifts) - 1
	if k > 0 {
		var found bool
		k, found = slices.BinarySearchFunc(t.shifts, int32(i), func(s shift, i int32) int { return cmp.Compare(s.entry, i) })
		if !found {
			k--
		}
	}
	return i + int(t.shifts[k].by)
}

// ID returns the id of an entry, or "" if its line has none.
func (t *Table) ID(i int) string { return t.id(t.rows.at(i).name()) }

// Parent returns the parent id of an entry, or "" for a root.
func (t *Table) Parent(i int) string { return t.id(t.parentName(i)) }

// IDs returns the id of an entry and that of its parent, like ID and Parent, but
// usually allocates once.
func (t *Table) IDs(i int) (id, parent string) {
	x, p := t.rows.at(i).name(), t.parentName(i)
	if x.form != nameHex || p.form != nameHex {
		return t.id(x), t.id(p)
	}
	var buf [16]byte
	both := string(appendHex(appendHex(buf[:0], x.n), p.n))
	return both[:8], both[8:]
}

// parentName returns the name of an entry's parent.
func (t *Table) parentName(i int) name {
	switch t.rows.at(i).parent() {
	case parentBefore:
		return t.rows.at(i - 1).name()
	case parentSelf:
		return t.rows.at(i).name()
	case parentOther:
		k, _ := slices.BinarySearchFunc(t.links, int32(i), func(l link, i int32) int { return cmp.Compare(l.entry, i) })
		return t.links[k].parent
	}
	return name{}
}

// id returns an id.
func (t *Table) id(x name) string {
	var buf [64]byte
	return string(x.appendTo(buf[:0], t.text))
}

// AppendID appends the id of an entry to dst.
func (t *Table) AppendID(dst []byte, i int) []byte {
	return t.rows.at(i).name().appendTo(dst, t.text)
}

// Follows reports whether the parent of an entry is the entry before it, as for
// nearly all. It may return false for an entry whose parent is.
func (t *Table) Follows(i int) bool {
	return t.rows.at(i).parent() == parentBefore
}

// Time returns an entry's time in milliseconds since 1970, or NoTime.
func (t *Table) Time(i int) int64 {
	return t.rows.at(i).when()
}
