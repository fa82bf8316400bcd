package envelope

import (
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// note resolves an entry that concerns the session as a whole.
func (t *Table) note(n int, line []byte) {
	entry, err := format.DecodeEntry(line)
	if err != nil {
		return
	}
	switch e := entry.(type) {
	case *format.Label:
		t.Labels = append(t.Labels, LabelNote{e.TargetID, e.Label, e.Timestamp})
	case *format.SessionInfo:
		t.Names = append(t.Names, NameNote{n, e.Name})
	case *format.UnknownEntry:
		if e.Type == format.TypeTitleChange {
			t.Titles = append(t.Titles, NameNote{n, jsonl.LookupString(line, "title")})
		}
	}
}
