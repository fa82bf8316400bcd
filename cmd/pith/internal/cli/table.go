package cli

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// titleCells is how much of a title is shown where no terminal sets a limit.
const titleCells = 120

// printSessions prints the first sessions of a list as a table that fits the
// terminal. Where it is narrow the project is left out first, then the number of
// messages. The short ids are unique in the whole list.
func (a *app) printSessions(infos []catalog.Info, most int, withProject bool) {
	rows := a.sessionRows(infos[:most], shortIDs(infos))
	if withProject {
		projects := projectsByCwd(infos[:most])
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
	w.share(a.width())
	for i := range rows {
		if a.out.failed() {
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

func (a *app) sessionRows(infos []catalog.Info, short map[string]string) []sessionRow {
	rows := make([]sessionRow, len(infos))
	for i := range infos {
		s := &infos[i]
		rows[i] = sessionRow{
			time: a.when(s.Modified), count: strconv.Itoa(s.MessageCount), id: termsafe.Line(short[s.ID]),
			project: termsafe.Line(cmp.Or(a.homely(s.Cwd), "unknown")), title: s.Name, named: s.Name != "",
		}
		if !rows[i].named {
			rows[i].title = strings.Join(strings.Fields(termsafe.Fit(s.FirstMessage, 4*titleCells)), " ")
		}
		rows[i].title = termsafe.Fit(rows[i].title, titleCells)
	}
	return rows
}

func shortIDs(infos []catalog.Info) map[string]string {
	ids := make([]string, len(infos))
	for i := range infos {
		ids[i] = infos[i].ID
	}
	return catalog.ShortIDs(ids)
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

// The title gets what the others leave, but not less than it needs to be read.
const (
	leastTitle  = 24
	mostProject = 30
	gap         = 2
)

func (w *columns) share(width int) {
	if width == 0 {
		return
	}
	w.project = min(w.project, mostProject)
	if width < w.others()+gap+leastTitle {
		w.project = 0
	}
	if width < w.others()+gap+leastTitle {
		w.count = 0
	}
	w.id = min(w.id, max(8, width/2))
	w.title = min(w.title, max(0, width-w.others()-gap))
	if w.title < 4 {
		w.title = 0
		w.id = min(w.id, max(0, width-w.time-gap))
	}
}

// others is what all columns but the title take, with the gaps between them.
func (w *columns) others() int {
	n := w.time + gap + w.id
	for _, c := range []int{w.count, w.project} {
		if c > 0 {
			n += c + gap
		}
	}
	return n
}

func (a *app) printSession(r *sessionRow, w *columns) {
	space := strings.Repeat(" ", gap)
	line := a.colors.dim(termsafe.Pad(r.time, w.time))
	if w.count > 0 {
		line += space + termsafe.PadLeft(r.count, w.count)
	}
	if w.title > 0 {
		title := termsafe.Pad(termsafe.Fit(r.title, w.title), w.title)
		if r.named {
			title = a.colors.bold(title)
		}
		line += space + title
	}
	if w.project > 0 {
		line += space + termsafe.Pad(termsafe.Fit(r.id, w.id), w.id) + space + a.colors.dim(termsafe.Fit(r.project, w.project-len(r.mark))+r.mark)
	} else {
		line += space + termsafe.Fit(r.id, w.id)
	}
	a.out.print(line + "\n")
}

// when is a moment as a table shows it: how long ago on a terminal, date and
// time elsewhere.
func (a *app) when(t time.Time) string {
	if !a.out.terminal || t.IsZero() {
		return humanize.Time(t)
	}
	return humanize.Age(a.env.Now().Sub(t))
}
