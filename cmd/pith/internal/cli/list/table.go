package list

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/housekeeping/marks"
)

// showPins puts pinned sessions first, with a star before their titles.
func showPins(infos []catalog.Info, of func(id string) marks.Marks) {
	pinnedFirst(infos, of)
	for i := range infos {
		s := &infos[i]
		switch {
		case !of(s.ID).Pinned:
			return // and none of those that follow is
		case s.Name != "":
			s.Name = "* " + s.Name
		default:
			s.FirstMessage = "* " + s.FirstMessage
		}
	}
}

// pinnedFirst puts pinned sessions before the others, in the order in which they
// are.
func pinnedFirst(infos []catalog.Info, of func(id string) marks.Marks) {
	rank := func(i catalog.Info) int {
		if of(i.ID).Pinned {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(infos, func(a, b catalog.Info) int { return rank(a) - rank(b) })
}

// printSessions prints the first sessions of a list as a table that fits the
// terminal. Where it is narrow the project is left out first, then the number of
// messages.
func (a *Commands) printSessions(ctx context.Context, infos []catalog.Info, most int, withProject bool) {
	rows := a.sessionRows(infos[:most], a.ShortIDs(ctx, infos[:most]))
	if withProject {
		projects := lookup.ProjectsByCwd(infos[:most])
		for i := range rows {
			if projects[infos[i].Cwd].Missing {
				rows[i].mark = missingMark
			}
		}
	}
	var w columns
	for i := range rows {
		w.fit(&rows[i], withProject)
	}
	w.share(a.Width())
	for i := range rows {
		if a.Out.Failed() {
			return
		}
		a.printSession(&rows[i], &w)
	}
}

// A sessionRow is one line of the table before it is cut.
type sessionRow struct {
	time, count, title, id, project string
	mark                            string // of a project that is gone
	named                           bool
}

// missingMark follows the name of a directory that is gone.
const missingMark = "  (missing)"

func (a *Commands) sessionRows(infos []catalog.Info, short map[string]string) []sessionRow {
	rows := make([]sessionRow, len(infos))
	for i := range infos {
		s := &infos[i]
		rows[i] = sessionRow{
			time: a.When(s.Modified), count: strconv.Itoa(s.MessageCount), id: termsafe.Line(short[s.ID]),
			project: termsafe.Line(cmp.Or(a.Homely(s.Cwd), "unknown")), title: s.Name, named: s.Name != "",
		}
		if !rows[i].named {
			rows[i].title = strings.Join(strings.Fields(termsafe.Fit(s.FirstMessage, 4*layout.TitleCells)), " ")
		}
		rows[i].title = termsafe.Fit(rows[i].title, layout.TitleCells)
	}
	return rows
}

// columns are the widths of the table's columns; 0 leaves one out.
type columns struct{ time, count, title, id, project int }

func (w *columns) fit(r *sessionRow, withProject bool) {
	w.time = max(w.time, termsafe.Width(r.time))
	w.count = max(w.count, termsafe.Width(r.count))
	w.title = max(w.title, termsafe.Width(r.title))
	w.id = max(w.id, termsafe.Width(r.id))
	if withProject {
		w.project = max(w.project, termsafe.Width(r.project)+len(r.mark))
	}
}

func (w *columns) share(width int) {
	if width == 0 {
		return
	}
	w.project = min(w.project, layout.MostProject)
	if width < w.others()+layout.Gap+layout.LeastTitle {
		w.project = 0
	}
	if width < w.others()+layout.Gap+layout.LeastTitle {
		w.count = 0
	}
	w.id = min(w.id, max(8, width/2))
	w.title = min(w.title, max(0, width-w.others()-layout.Gap))
	if w.title < 4 {
		w.title = 0
		w.id = min(w.id, max(0, width-w.time-layout.Gap))
	}
}

// others is what all columns but the title take, with the gaps between them.
func (w *columns) others() int {
	n := w.time + layout.Gap + w.id
	for _, c := range []int{w.count, w.project} {
		if c > 0 {
			n += c + layout.Gap
		}
	}
	return n
}

func (a *Commands) printSession(r *sessionRow, w *columns) {
	space := strings.Repeat(" ", layout.Gap)
	line := a.Colors.Dim(termsafe.Pad(r.time, w.time))
	if w.count > 0 {
		line += space + termsafe.PadLeft(r.count, w.count)
	}
	if w.title > 0 {
		title := termsafe.Pad(termsafe.Fit(r.title, w.title), w.title)
		if r.named {
			title = a.Colors.Bold(title)
		}
		line += space + title
	}
	if w.project > 0 {
		line += space + termsafe.Pad(termsafe.Fit(r.id, w.id), w.id) + space + a.Colors.Dim(termsafe.Fit(r.project, w.project-len(r.mark))+r.mark)
	} else {
		line += space + termsafe.Fit(r.id, w.id)
	}
	a.Out.Print(line + "\n")
}
