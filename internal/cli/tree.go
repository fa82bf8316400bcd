package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/gist"
	"github.com/pith-sessions/pith/internal/outline"
	"github.com/pith-sessions/pith/internal/plain"
)

func (a *app) treeCommand() *cobra.Command {
	var asJSON, inApp bool
	cmd := &cobra.Command{
		Use:   "tree SESSION",
		Short: "Show the tree of a session",
		Long: `Show the entries of a session as a tree. A conversation without branches stays
flat; where it branches, the active path comes first. • marks the active path,
◆ the entry at which the session stands.

The filters: default leaves out bookkeeping (labels, names, model changes,
state of extensions), no-tools also the results of tools; user-only shows the
user's messages, labeled-only what carries a label, all everything.`,
		Example: `  pith tree @
  pith tree @ --filter user-only
  pith tree -i @                     walk it in the terminal app
  pith tree 0199a --filter all --json | jq -r '.[] | select(.label) | .id'`,
		Args:              takes(1, 1, 1),
		ValidArgsFunction: a.completeSession(1),
	}
	filter := choice(cmd, "filter", "which entries to show", "default", "no-tools", "user-only", "labeled-only", "all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of the rows, from top to bottom")
	cmd.Flags().BoolVarP(&inApp, "interactive", "i", false, "walk the tree in the terminal app")
	exclusive(cmd, "json", "interactive")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if inApp {
			info, err := a.locate(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.showApp(cmd.Context(), appView{open: info.Path, tree: true})
		}
		return a.tree(cmd.Context(), args[0], filter.value, asJSON)
	}
	return cmd
}

func (a *app) tree(ctx context.Context, ref, filter string, asJSON bool) (err error) {
	s, err := a.openForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	notes, err := a.takeNotes(ctx, s)
	if err != nil {
		return err
	}
	leaf := s.LeafID()
	roots := s.Tree()
	rows := outline.New(roots).Rows(func(n *pith.Node) bool { return notes.shows(n, filter, leaf) }, nil)
	at := leafRow(rows)
	if asJSON {
		return a.out.json(notes.records(rows, at))
	}
	a.printTree(rows, at, notes)
	if len(rows) == 0 {
		a.note("no entries to show; %d in the session, see them with %s", s.Len(), a.hint("tree", ref, "--filter", "all"))
	}
	a.noteFindings(s)
	return nil
}

// treeNotes are what the rows of a tree say, by the position of their entries.
type treeNotes []treeNote

type treeNote struct {
	gist   gist.Gist
	silent bool // an answer that only carries tool calls
}

// takeNotes reads every entry once. The results of tools, which are most of a
// large file, are not decoded: their calls tell what there is to say.
func (a *app) takeNotes(ctx context.Context, s *pith.Session) (treeNotes, error) {
	notes := make(treeNotes, s.Len())
	g := gist.NewTeller(a.homely)
	for line, err := range s.Lines() {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if line.Role == format.RoleToolResult {
			notes[line.Pos].gist = g.ResultLine(line.Raw)
			continue
		}
		e, err := format.DecodeEntry(line.Raw) // a gist keeps none of the bytes
		if err != nil {
			return nil, err
		}
		g.Learn(e)
		notes[line.Pos] = treeNote{g.Of(e), gist.Silent(e)}
	}
	return notes, nil
}

// shows reports whether a filter lets an entry through.
func (n treeNotes) shows(node *pith.Node, filter, leaf string) bool {
	return outline.Filter(filter).Keeps(node) && (!n[node.Pos].silent || node.ID == leaf)
}

// offers reports whether an entry is suggested when one is to be named: what the
// filter shows, and all that is labelled.
func (n treeNotes) offers(filter string) func(*pith.Node) bool {
	return func(node *pith.Node) bool { return node.Label != "" || n.shows(node, filter, "") }
}

// leafRow is the row at which the session stands: the last one on the active
// path that is shown; -1 when there is none.
func leafRow(rows []outline.Row) int {
	at := -1
	for i := range rows {
		if rows[i].Node.OnPath {
			at = i
		}
	}
	return at
}

// mostLevels is how deep gutters are drawn where no terminal sets a limit.
const mostLevels = 40

func (a *app) printTree(rows []outline.Row, leaf int, notes treeNotes) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].Node.ID
	}
	short := catalog.ShortIDs(ids)
	idCells := 0
	for _, id := range short {
		idCells = max(idCells, min(plain.Width(plain.Line(id)), 12))
	}
	width := a.width()
	most := mostLevels
	if width > 0 {
		most = max(1, (width-idCells)/6)
	}
	for i := range rows {
		if a.out.failed() {
			return
		}
		r := &rows[i]
		id := plain.Pad(plain.Line(short[r.Node.ID]), idCells)
		a.printTreeRow(id, gutter(rows, i, most), r, i == leaf, notes[r.Node.Pos].gist, width)
	}
}

// gutter is what stands before a row. Of a row that is set in deeper than most
// cells the first ones are left out and told by their number, so that a tree
// that branches at every step stays readable and its output linear in its size.
func gutter(rows []outline.Row, i, most int) string {
	var b strings.Builder
	from := max(0, rows[i].Level-most)
	if from > 0 {
		fmt.Fprintf(&b, "…%d ", from)
	}
	for _, c := range outline.Cells(nil, rows, i, from, rows[i].Level) {
		b.WriteString(c.String())
	}
	return b.String()
}

func (a *app) printTreeRow(id, prefix string, r *outline.Row, isLeaf bool, g gist.Gist, width int) {
	marker := ""
	switch {
	case isLeaf:
		marker = "◆ "
	case r.Node.OnPath:
		marker = "• "
	}
	label := ""
	if r.Node.Label != "" {
		label = "[" + oneLine(r.Node.Label) + "] "
	}
	if width > 0 {
		room := width - plain.Width(id) - 2 - plain.Width(prefix) - plain.Width(marker)
		label = plain.Fit(label, max(0, room))
		g = g.Cut(max(0, room-plain.Width(label)))
	}
	line := a.colors.dim(id) + "  " + a.colors.dim(prefix) + a.colors.paint(toneUser, marker) +
		a.colors.paint(toneWarning, label) + a.colors.gist(g)
	a.out.print(strings.TrimRight(line, " ") + "\n")
}

// A treeRecord is one row in JSON, as docs/cli.md describes it.
type treeRecord struct {
	ID        jsText      `json:"id"`
	ParentID  *jsText     `json:"parentId"`
	Type      format.Type `json:"type"`
	Role      *jsText     `json:"role"`
	Text      string      `json:"text"`
	Label     *jsText     `json:"label"`
	LabelTime *jsText     `json:"labelTimestamp"`
	Depth     int         `json:"depth"`
	Level     int         `json:"level"`
	OnPath    bool        `json:"onPath"`
	Leaf      bool        `json:"leaf"`
}

func (n treeNotes) records(rows []outline.Row, leaf int) []treeRecord {
	out := make([]treeRecord, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = treeRecord{
			ID: jsText(r.Node.ID), Type: r.Node.Type, Role: jsTextOrNull(string(r.Node.Role)), Text: n[r.Node.Pos].gist.String(),
			Label: jsTextOrNull(r.Node.Label), LabelTime: jsTextOrNull(r.Node.LabelTime),
			Depth: r.Node.Depth, Level: r.Level, OnPath: r.Node.OnPath, Leaf: i == leaf,
		}
		if r.Parent != outline.None {
			id := jsText(rows[r.Parent].Node.ID)
			out[i].ParentID = &id
		}
	}
	return out
}
