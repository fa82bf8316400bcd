package envelope

import "github.com/pith-sessions/pith/format"

// NeedsMigration reports whether the log is to be read as if it were migrated: it
// is of an old version, or has entries without ids.
func (t *Table) NeedsMigration() bool {
	if t.Header.Version != format.Version {
		return t.Header.Version < format.Version
	}
	for _, f := range t.Faults {
		if f.Kind == FaultNoID {
			return true
		}
	}
	return false
}

// Migrate calls change for the header and then for every entry, in the order of
// the log, with what makes its bytes those of the present version. Ids that are
// missing are made of the line and its place, so that they are the same each time.
func (t *Table) Migrate(change func(at int64, length int, migrate func(line []byte) []byte)) {
	taken := make(map[string]bool, len(t.Entries))
	for i := range t.Entries {
		taken[t.ID(i)] = true
	}
	m := format.NewMigrator(t.Header, func(line []byte, index int) string {
		id := format.LineID(t.Header.ID, index, line, func(id string) bool { return taken[id] })
		taken[id] = true
		return id
	})
	change(t.HeaderAt, t.HeaderLen, m.Header)
	others := t.otherValues()
	for i := range t.Entries {
		e := &t.Entries[i]
		for ; len(others) > 0 && others[0] < e.Offset; others = others[1:] {
			m.Skip()
		}
		change(e.Offset, int(e.Len), m.Entry)
	}
}

// otherValues are the offsets of JSON values behind the header that are no
// entries. Version 1 counts them when it says from which line on to keep.
func (t *Table) otherValues() []int64 {
	var out []int64
	for _, f := range t.Faults {
		switch f.Kind {
		case FaultNotObject, FaultNoType, FaultExtraHeader:
			if f.Offset > t.HeaderAt {
				out = append(out, f.Offset)
			}
		}
	}
	return out
}
