package tui

import (
	"context"
	"errors"
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

// showTrash reads the trash in the background, and then lists it.
func (a *App) showTrash() tea.Cmd {
	return a.work("reading the trash", func(ctx context.Context) done {
		items, titles, err := trashed(ctx, a.c.Trash)
		if len(items) == 0 && err != nil {
			return done{err: err}
		}
		return done{then: func() tea.Cmd { return a.offerTrash(items, titles) }}
	})
}

// trashed returns the sessions in the trash, newest first, with titles. Those
// in the system's trash are restored there.
func trashed(ctx context.Context, bin trash.Options) (items []trash.Receipt, titles []string, err error) {
	all, err := trash.List(bin)
	for _, r := range all {
		if r.System {
			continue
		}
		title := r.Path
		if file, err := trash.File(r.ID, bin); err == nil {
			if info, err := catalog.Facts(ctx, catalog.Ref{Path: file}, catalog.Options{}); err == nil {
				title = info.Title()
			}
		}
		items, titles = append(items, r), append(titles, humanize.Time(r.Time)+"  "+title)
	}
	return items, titles, errors.Join(err, ctx.Err())
}

// offerTrash lists the trash; the chosen session is restored.
func (a *App) offerTrash(items []trash.Receipt, titles []string) tea.Cmd {
	if len(items) == 0 {
		return a.say(paint.Muted, "the trash is empty")
	}
	list := &dialog.Messages{Title: "Trash", About: "Select a session to restore it", Noun: "Session", Verb: "restore", Texts: titles}
	a.choose(list, func(i int) tea.Cmd {
		return a.work("restoring", func(context.Context) done {
			if _, err := trash.Restore(items[i].ID, a.c.Trash); err != nil {
				return done{err: err}
			}
			return done{note: "restored", then: func() tea.Cmd { return func() tea.Msg { return picker.Restored{} } }}
		})
	})
	return nil
}

// handOverFrom opens a session of the list in another agent. If it is open
// here, it is closed meanwhile.
func (a *App) handOverFrom(path string) tea.Cmd {
	if open := a.chat.open; open != nil && canonical(open.Current().File()) == canonical(path) {
		return a.handOver()
	}
	h, err := sessiondir.HeaderOf(path)
	if err != nil {
		return a.sayError(err)
	}
	cwd := h.Cwd
	if there, err := os.Stat(cwd); err != nil || !there.IsDir() {
		cwd = a.c.Cwd
	}
	cmd, err := a.lendToAgent(path, cwd)
	if err != nil {
		return a.sayError(err)
	}
	return cmd
}
