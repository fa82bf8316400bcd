package pith

import (
	"cmp"
	"slices"
)

// A Finding is something about a session's file that is not as it should be,
// and where. None of them keeps a session from opening.
type Finding struct {
	Line    int    // physical line, from 1
	Offset  int64  // of the byte, in the file
	EntryID string // of the entry concerned; "" when it is about none
	Code    string // stable name of the kind, for programs
	Text    string // a sentence, for people
}

// Findings are the faults of the session's file, with their places in the file as
// it is, in file order.
func (s *Session) Findings() []Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Finding
	faults := s.table.Faults
	if s.migrated != nil {
		faults = s.oldFaults
	}
	for _, f := range faults {
		out = append(out, Finding{f.Line, f.Offset, s.idOf(f.Entry), f.Kind.Code(), f.Kind.String()})
	}
	for _, f := range s.tree.Findings() {
		e := &s.table.Entries[f.Entry]
		at := e.Offset
		if s.migrated != nil {
			at = s.migrated.Below(at)
		}
		out = append(out, Finding{int(e.Line), at, s.table.ID(f.Entry), f.Kind.Code(), f.String()})
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return cmp.Compare(a.Offset, b.Offset) })
	return out
}
