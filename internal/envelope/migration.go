package envelope

import (
	"fmt"
	"io"
	"slices"

	"github.com/pith-sessions/pith/format"
)

// NeedsMigration reports whether the log is to be read as if it were migrated:
// it has an old version, or entries without ids.
func (t *Table) NeedsMigration() bool {
	if t.Header.Version != format.Version {
		return t.Header.Version < format.Version
	}
	return slices.ContainsFunc(t.Faults, func(f Fault) bool { return f.Kind == FaultNoID })
}

// ErrEvents means that a file contains the events of a run.
var ErrEvents = fmt.Errorf("%w: it contains the events of a run", format.ErrNotSession)

// IsEvents reports whether the log is the event stream of a run. Such a stream
// may start with a session header, but none of its lines is an entry.
func (t *Table) IsEvents(log io.ReaderAt) (bool, error) {
	if t.Len() == 0 {
		return false, nil
	}
	first := t.At(0)
	line := make([]byte, first.Len)
	if _, err := ReadFull(log, line, first.Offset); err != nil {
		return false, err
	}
	event := false
	var r Record
	r.Each(line, func(r *Record) { event = r.IsEvent() })
	return event, nil
}

// IsEvent reports whether the record is an event of a run, not an entry of a
// session.
func (r *Record) IsEvent() bool { return r.RawID() == nil && IsEvent(string(r.Type())) }

// IsEvent reports whether a type is that of an event of a run.
func IsEvent(name string) bool {
	switch name {
	case "agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_update", "message_end",
		"tool_execution_start", "tool_execution_update", "tool_execution_end", "tool_result_end":
		return true
	}
	return false
}

// Migrate calls change for the header and then for every entry, in the order of
// the log, with a function that converts its bytes to the current version.
// Missing ids are derived from the line and its position, so that they are the
// same each time.
func (t *Table) Migrate(change func(at int64, length int, migrate func(line []byte) []byte)) {
	taken := make(map[string]bool, t.Len())
	for i := range t.Len() {
		taken[t.ID(i)] = true
	}
	m := format.NewMigrator(t.Header, func(line []byte, index int) string {
		id := format.LineID(t.Header.ID, index, line, func(id string) bool { return taken[id] })
		taken[id] = true
		return id
	})
	change(t.HeaderAt, t.HeaderLen, m.Header)
	others := t.otherValues()
	for i := range t.Len() {
		e := t.At(i)
		for ; len(others) > 0 && others[0] < e.Offset; others = others[1:] {
			m.Skip()
		}
		change(e.Offset, int(e.Len), m.Entry)
	}
}

// otherValues returns the offsets of JSON values after the header that are not
// entries. Version 1 counts them in its index of the first kept line.
func (t *Table) otherValues() []int64 {
	var out []int64
	for _, f := range t.Faults {
		switch f.Kind {
		case FaultNotObject, FaultNoType, FaultExtraHeader:
			if f.Offset > t.HeaderAt && f.Entry < 0 {
				out = append(out, f.Offset)
			}
		}
	}
	return out
}
