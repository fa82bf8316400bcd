package tui

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/internal/blame"
)

// showFile shows the file that an edit of the open session changed, as it is now, at the
// lines that are left of the edit's turn. Enter on a line shows the turn that wrote it.
func (a *App) showFile(wanted conversation.FileWanted) tea.Cmd {
	if a.chat.open == nil {
		return nil
	}
	s := a.chat.open.Current()
	return a.work("reading the file", func(ctx context.Context) done {
		past, o, end, err := a.commands.past(ctx, s)
		if err != nil {
			return done{err: err}
		}
		defer end()
		f, turn := changedBy(past, wanted)
		if f == nil {
			return done{note: "no file of this edit is known"}
		}
		if now, err := past.Now(f); err != nil {
			return done{err: err}
		} else if !now.Exists {
			return done{note: f.Name + " does not exist any more"}
		}
		r, err := blame.File(ctx, f.Path, o)
		if err != nil {
			return done{err: err}
		}
		if len(r.Lines) == 0 {
			return done{note: f.Name + " is empty"}
		}
		return done{then: func() tea.Cmd {
			lines := a.fileLines(f.Name, r, s.File(), turn)
			a.overlay.add(layer{dialog: lines, answered: func() tea.Cmd {
				e := &r.Edits[r.Lines[lines.At].Edit]
				return a.showTurn(e.Session.Path, cmp.Or(e.TurnID, e.EntryID))
			}})
			return nil
		}}
	})
}

// changedBy returns the file that a call changed, and the turn of the call.
func changedBy(past *blame.Past, wanted conversation.FileWanted) (f *blame.Changed, turn string) {
	list := past.Files()
	for i := range list {
		at := slices.IndexFunc(list[i].Changes, func(c blame.SessionChange) bool { return c.EntryID == wanted.EntryID })
		if at < 0 {
			continue
		}
		// The entry may have several calls.
		if f == nil || strings.Contains(wanted.Arguments, filepath.Base(list[i].Path)) {
			f, turn = &list[i], list[i].Changes[at].TurnID
		}
	}
	return f, turn
}

// fileLines shows a file with the lines of a turn marked.
func (a *App) fileLines(name string, r *blame.Report, session, turn string) *dialog.Lines {
	out := &dialog.Lines{Title: name, At: -1}
	for i, l := range r.Lines {
		row := dialog.Line{Tone: paint.Muted, Text: l.Text}
		if l.Edit >= 0 {
			e := &r.Edits[l.Edit]
			row.Tone = paint.Plain
			row.Marked = e.Session.Path == session && e.TurnID == turn
			row.About = fmt.Sprintf("%s · turn %d · %s · %s", humanize.Time(e.Time), e.Number, e.Model, e.Request)
			if e.Left {
				row.About = "abandoned branch · " + row.About
			}
			if e.Session.Path != session {
				row.About = cmp.Or(e.Session.Name, e.Session.ID) + " · " + row.About
			}
		}
		if row.Marked && out.At < 0 {
			out.At = i
		}
		out.Lines = append(out.Lines, row)
	}
	out.At = max(0, out.At)
	return out
}

func (a *App) showTurn(path, entry string) tea.Cmd {
	open := a.chat.open
	if open == nil || open.Current().File() != path || open.Branch(entry) != a.chat.branch {
		return a.openSession(path, found{entry: entry})
	}
	source, err := open.Turns(a.chat.branch)
	if err != nil {
		return a.sayError(err)
	}
	if place := source.Holding(entry); place != nil {
		return a.chat.page.Show(*place)
	}
	return nil
}
