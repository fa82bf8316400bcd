package tui

import (
	"context"
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/housekeeping/trash"
)

// trashed is what lies in the trash, newest first, with titles.
type trashed struct {
	items  []trash.Receipt
	titles []string
	err    error
}

// showTrash reads the trash beside the screen.
func (a *App) showTrash() tea.Cmd {
	bin := a.c.Trash
	return func() tea.Msg {
		all, err := trash.List(bin)
		var out trashed
		for _, r := range all {
			if r.System {
				continue // it is brought back elsewhere
			}
			title := r.Path
			if file, err := trash.File(r.ID, bin); err == nil {
				if info, err := catalog.Facts(context.Background(), catalog.Ref{Path: file}, catalog.Options{}); err == nil {
					title = info.Title()
				}
			}
			out.items, out.titles = append(out.items, r), append(out.titles, humanize.Time(r.Time)+"  "+title)
		}
		if len(out.items) == 0 {
			out.err = err
		}
		return out
	}
}

// takeTrash lists what lies in the trash; the one that is chosen comes back.
func (a *App) takeTrash(msg trashed) tea.Cmd {
	switch {
	case msg.err != nil:
		return a.sayError(msg.err)
	case len(msg.items) == 0:
		return a.say(paint.Muted, "the trash is empty")
	}
	a.overlay.messages = &dialog.Messages{
		Title: "Trash", About: "Select a session to bring it back", Verb: "restore", Texts: msg.titles,
	}
	a.overlay.chosen = func(i int) tea.Cmd {
		return a.work("restoring", func(context.Context) done {
			if _, err := trash.Restore(msg.items[i].ID, a.c.Trash); err != nil {
				return done{err: err}
			}
			return done{note: "restored", then: func() tea.Cmd { return func() tea.Msg { return picker.Restored{} } }}
		})
	}
	return nil
}

// handOverFrom opens a session of the list in another agent. One that is open here
// is closed for that time.
func (a *App) handOverFrom(path string) tea.Cmd {
	if open := a.chat.open; open != nil && canonical(open.Current().File()) == canonical(path) {
		return a.handOver()
	}
	info, err := catalog.Facts(context.Background(), catalog.Ref{Path: path}, catalog.Options{})
	if err != nil {
		return a.sayError(err)
	}
	cwd := info.Cwd
	if there, err := os.Stat(cwd); err != nil || !there.IsDir() {
		cwd = a.c.Cwd
	}
	cmd, err := a.lender.handOver(a.c.agentWords(), path, cwd)
	if err != nil {
		return a.sayError(err)
	}
	return cmd
}
