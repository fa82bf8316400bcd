package list

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// The columns of the table, in their order.
const (
	colTime = iota
	colCreated
	colSize
	colCount
	colStatus
	colCost
	colTitle
	colID
	colModel
	colSource
	colProject
	columnCount
)

var columnHeads = [columnCount]string{"USED", "CREATED", "SIZE", "MSGS", "STATUS", "COST", "TITLE", "ID", "MODEL", "AGENT", "PROJECT"}

// rightColumns hold numbers.
var rightColumns = [columnCount]bool{colSize: true, colCount: true, colCost: true}

// dispensable are the columns that a narrow terminal omits, in that order.
var dispensable = []int{colModel, colCost, colProject, colStatus, colCount, colSource}

// leastProject is the least width of a project on a narrow terminal, which
// shows the end of its path.
const leastProject = 12

// sortedColumn is the column that shows the sort key. Two columns exist only
// for that.
var sortedColumn = map[catalog.Order]int{
	catalog.OrderCreated: colCreated, catalog.OrderSize: colSize, catalog.OrderMessages: colCount, catalog.OrderCost: colCost,
}

// A table is the list of sessions for people.
type table struct {
	rows   [][columnCount]string
	marks  []string // follows the project if its directory is gone
	named  []bool
	states []catalog.Status
	widths [columnCount]int // 0 omits the column
	sorted int
}

// printTable prints sessions as a table that fits the terminal.
func (a *Commands) printTable(infos []catalog.Info, short map[string]string, of func(id string) marks.Marks, f *lsFlags) {
	order := catalog.OrderRecent
	if f.order != nil {
		order = catalog.Order(f.order.Value)
	}
	t := a.tableOf(infos, short, of, order)
	if f.everywhere() {
		t.nameProjects(infos)
	}
	t.measure(f.everywhere())
	t.share(a.Width())
	a.printRows(&t)
}

func (a *Commands) tableOf(infos []catalog.Info, short map[string]string, of func(id string) marks.Marks, order catalog.Order) table {
	n := len(infos)
	t := table{rows: make([][columnCount]string, n), marks: make([]string, n), named: make([]bool, n), states: make([]catalog.Status, n), sorted: -1}
	if c, ok := sortedColumn[order]; ok {
		t.sorted = c
	}
	for i := range infos {
		s := &infos[i]
		title := s.Name
		if title == "" {
			title = layout.Flatten(s.FirstMessage)
		}
		if of(s.ID).Pinned {
			title = "* " + title
		}
		row := [columnCount]string{
			colTime: a.When(s.Modified), colCount: strconv.Itoa(s.MessageCount), colStatus: string(s.Status),
			colTitle: termsafe.Fit(title, layout.TitleCells), colID: termsafe.Line(short[s.ID]),
			colModel: termsafe.Fit(s.Model[strings.LastIndexByte(s.Model, '/')+1:], layout.MostProject), colProject: termsafe.Line(cmp.Or(a.ShortPath(s.Cwd), "unknown")),
		}
		row[colCost] = amount.CostCell(s.Spent)
		switch t.sorted {
		case colCreated:
			row[colCreated] = a.When(s.Created)
		case colSize:
			row[colSize] = humanize.Bytes(s.Size)
		}
		t.rows[i], t.named[i], t.states[i] = row, s.Name != "", s.Status
	}
	t.nameSources(infos)
	return t
}

// nameSources fills the source column if the list has sessions of agents that
// are not pi-compatible.
func (t *table) nameSources(infos []catalog.Info) {
	foreign := func(s catalog.Info) bool { return ops.AgentTitle(s.Root) != "" }
	if !slices.ContainsFunc(infos, foreign) {
		return
	}
	for i := range infos {
		agent := infos[i].Root
		if agent == catalog.RootCustom {
			agent = catalog.RootPi // whose format these files have
		}
		t.rows[i][colSource] = termsafe.Line(agent)
	}
}

// missingMark follows the name of a directory that is gone.
const missingMark = "  (missing)"

func (t *table) nameProjects(infos []catalog.Info) {
	projects := ops.ProjectsByCwd(infos)
	for i := range t.rows {
		if projects[infos[i].Cwd].Missing {
			t.marks[i] = missingMark
		}
	}
}

// measure computes the widths of the columns.
func (t *table) measure(withProject bool) {
	t.widths = [columnCount]int{}
	for i := range t.rows {
		for c, cell := range t.rows[i] {
			t.widths[c] = max(t.widths[c], termsafe.Width(cell))
		}
		t.widths[colProject] = max(t.widths[colProject], termsafe.Width(t.rows[i][colProject])+len(t.marks[i]))
	}
	if !withProject {
		t.widths[colProject] = 0
	}
}

// share makes the columns fit a terminal; 0 means no limit.
func (t *table) share(width int) {
	w := &t.widths
	if width == 0 {
		return
	}
	for c := range w {
		if w[c] > 0 && c != colTitle {
			w[c] = max(w[c], len(columnHeads[c]))
		}
	}
	w[colProject] = min(w[colProject], layout.MostProject)
	fits := func() bool { return width >= t.others()+layout.Gap+layout.LeastTitle }
	if !fits() {
		w[colProject] = min(w[colProject], leastProject)
	}
	wanted := *w
	for _, c := range dispensable {
		if c != t.sorted && !fits() {
			w[c] = 0
		}
	}
	for _, c := range slices.Backward(dispensable) { // an omitted wide column may have left room for others
		if w[c] = wanted[c]; !fits() && c != t.sorted {
			w[c] = 0
		}
	}
	w[colID] = min(w[colID], max(8, width/2))
	w[colTitle] = min(max(w[colTitle], len(columnHeads[colTitle])), max(0, width-t.others()-layout.Gap))
	if w[colTitle] < 4 {
		w[colTitle] = 0
		for c := range w {
			if c != colTime && c != colID {
				w[c] = 0
			}
		}
		w[colID] = min(w[colID], max(0, width-w[colTime]-layout.Gap))
	}
}

// others returns the width of all columns but the title, with the gaps between
// them.
func (t *table) others() int {
	n := -layout.Gap
	for c, w := range t.widths {
		if w > 0 && c != colTitle {
			n += w + layout.Gap
		}
	}
	return n
}

// printRows prints the table, with headings on a terminal.
func (a *Commands) printRows(t *table) {
	if a.Width() > layout.LeastTitle {
		a.printCells(t, columnHeads, "", func(_ int, cell string) string { return a.Colors.Dim(cell) })
	}
	for i := range t.rows {
		if a.Out.Failed() {
			return
		}
		a.printCells(t, t.rows[i], t.marks[i], func(column int, cell string) string {
			switch {
			case column == colTime, column == colModel, column == colSource, column == colProject, column == colCost:
				return a.Colors.Dim(cell)
			case column == colStatus:
				return a.Colors.Paint(stateTone(t.states[i]), cell)
			case column == colTitle && t.named[i]:
				return a.Colors.Bold(cell)
			}
			return cell
		})
	}
}

// stateTone returns the tone of a status; those that need attention stand out.
func stateTone(s catalog.Status) tone.Tone {
	switch s {
	case catalog.StatusError, catalog.StatusAborted:
		return tone.Error
	case catalog.StatusPending, catalog.StatusInterrupted:
		return tone.Warning
	}
	return tone.Dim
}

func (a *Commands) printCells(t *table, cells [columnCount]string, mark string, paint func(column int, cell string) string) {
	last := 0
	for c, w := range t.widths {
		if w > 0 {
			last = c
		}
	}
	var line strings.Builder
	for c, w := range t.widths {
		if w == 0 {
			continue
		}
		if line.Len() > 0 {
			line.WriteString(strings.Repeat(" ", layout.Gap))
		}
		cell := termsafe.Fit(cells[c], w)
		switch {
		case c == colProject && w >= leastProject+len(mark):
			cell = termsafe.FitEnd(cells[c], w-len(mark)) + mark
		case c == colProject:
			cell = termsafe.FitEnd(cells[c], w)
		case rightColumns[c]:
			cell = termsafe.PadLeft(cell, w)
		}
		if c != last {
			cell = termsafe.Pad(cell, w)
		}
		line.WriteString(paint(c, cell))
	}
	a.Out.Print(line.String() + "\n")
}
