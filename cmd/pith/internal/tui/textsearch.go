package tui

import (
	"context"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/inspect"
)

// learnTime is the time for which the index is filled after a search that had to read
// files.
const learnTime = 20 * time.Second

// Search implements [picker.Sessions].
func (s *library) Search(ctx context.Context, scope picker.Scope, p ops.SeekParams) <-chan picker.Findings {
	out := make(chan picker.Findings)
	s.background.run(func() {
		defer close(out)
		app := s.app()
		p.Cwd = s.place(scope)
		for part, err := range ops.Seek(ctx, app, p) {
			f := picker.Findings{Done: part.Done, Err: err}
			for i := range part.Entries {
				if e := &part.Entries[i]; e.Kind != inspect.PartName { // names are in the list
					f.Hits = append(f.Hits, picker.Hit{Path: e.Path, EntryID: e.EntryID, Who: who(e.Kind, e.Role, e.Tool), Snippet: snippet(e.Snippet)})
				}
			}
			if part.Unindexed {
				s.background.spare(func(ctx context.Context) { ops.Learn(ctx, app, learnTime) })
			}
			select {
			case out <- f:
			case <-ctx.Done():
				return
			}
		}
	})
	return out
}

// who names the part of a session that a match is in.
func who(kind inspect.Part, role, tool string) string {
	switch {
	case tool != "":
		return tool
	case kind == inspect.PartText && role == "user":
		return "you"
	case kind == inspect.PartText:
		return "response"
	}
	return string(kind)
}

// lead is the number of bytes of a snippet before the match, because a row is
// short.
const lead = 16

// snippet returns one line with the match near its start.
func snippet(s search.Snippet) string {
	text := s.Text
	if len(s.Marks) > 0 && s.Marks[0].Start > lead {
		from := s.Marks[0].Start - lead
		if space := strings.IndexByte(text[from:s.Marks[0].Start], ' '); space >= 0 {
			text, s.Before = text[from+space+1:], true
		}
	}
	if s.Before {
		text = "…" + text
	}
	if s.After {
		text += "…"
	}
	return text
}
