package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
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
			found, err := a.locate(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.showApp(cmd.Context(), appView{open: found.Path, tree: true})
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
	notes, err := takeNotes(ctx, s, a.homely)
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
	printTree(a.out, a.colors, a.width(), rows, at, notes)
	if len(rows) == 0 {
		a.note("no entries to show; %d in the session, see them with %s", s.Len(), a.hint("tree", ref, "--filter", "all"))
	}
	a.noteFindings(s)
	return nil
}

// treeNotes are what the rows of a tree say, by the position of their entries.
type treeNotes []treeNote

type treeNote struct {
	gist   entryline.Gist
	silent bool // an answer that only carries tool calls
}

// notesAtOnce is how many entries one goroutine tells before another takes over.
const notesAtOnce = 512

// takeNotes reads every entry once, on several processors.
func takeNotes(ctx context.Context, s *pith.Session, homely func(string) string) (treeNotes, error) {
	notes := make(treeNotes, s.Len())
	g := entryline.NewTeller(homely)
	err := inOrder(ctx, (len(notes)+notesAtOnce-1)/notesAtOnce, func() func(int) ([]entryline.Sketch, error) {
		lines := s.LineReader()
		return func(piece int) ([]entryline.Sketch, error) {
			from := piece * notesAtOnce
			list := make([]entryline.Sketch, min(notesAtOnce, len(notes)-from))
			for i := range list {
				line, err := lines.At(from + i)
				if err == nil {
					list[i], err = g.Sketch(line.Raw)
				}
				if err != nil {
					return nil, err
				}
			}
			return list, nil
		}
	}, func(piece int, list []entryline.Sketch) bool {
		for i := range list {
			notes[piece*notesAtOnce+i] = treeNote{g.Place(&list[i]), list[i].Silent}
		}
		return true
	})
	return notes, err
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

func printTree(out *output, colors palette, columns int, rows []outline.Row, leaf int, notes treeNotes) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].Node.ID
	}
	p := treePrinter{out: out, colors: colors, rows: rows, short: catalog.ShortIDs(ids), columns: columns, most: mostLevels}
	for _, id := range p.short {
		p.idCells = max(p.idCells, min(termsafe.Width(termsafe.Line(id)), 12))
	}
	if p.columns > 0 {
		p.most = max(1, (p.columns-p.idCells)/6)
	}
	for i := range rows {
		if out.failed() {
			return
		}
		p.print(i, i == leaf, notes[rows[i].Node.Pos].gist)
	}
}

// A treePrinter prints the rows of a tree. There may be many, so it makes each in
// the same memory.
type treePrinter struct {
	out     *output
	colors  palette
	rows    []outline.Row
	short   map[string]string // id to what is printed of it
	idCells int
	columns int // of the terminal; 0 means any number
	most    int // levels of a gutter
	cells   []outline.Cell
	drawn   []outline.Cell // those that gutter shows, with the first ones left out
	left    int            // how many were
	gutter  string
	line    []byte
}

func (p *treePrinter) print(i int, isLeaf bool, g entryline.Gist) {
	node := p.rows[i].Node
	p.draw(i)
	marker := ""
	switch {
	case isLeaf:
		marker = "◆ "
	case node.OnPath:
		marker = "• "
	}
	label := ""
	if node.Label != "" {
		label = "[" + oneLine(node.Label) + "] "
	}
	id := termsafe.Pad(termsafe.Line(p.short[node.ID]), p.idCells)
	if p.columns > 0 {
		room := p.columns - termsafe.Width(id) - 2 - termsafe.Width(p.gutter) - termsafe.Width(marker)
		label = termsafe.Fit(label, max(0, room))
		g = g.Cut(max(0, room-termsafe.Width(label)))
	}
	p.line = p.line[:0]
	for _, piece := range [...]string{
		p.colors.dim(id), "  ", p.colors.dim(p.gutter), p.colors.paint(toneUser, marker), p.colors.paint(toneWarning, label),
		p.colors.paint(gistTones[g.HeadTone], g.Head), p.colors.paint(gistTones[g.TextTone], g.Text),
	} {
		p.line = append(p.line, piece...)
	}
	_, _ = p.out.Write(append(bytes.TrimRight(p.line, " "), '\n'))
}

// draw makes what stands before a row. Of a row that is set in deeper than most
// cells the first ones are left out and told by their number, so that a tree that
// branches at every step stays readable and its output linear in its size.
func (p *treePrinter) draw(i int) {
	level := p.rows[i].Level
	from := max(0, level-p.most)
	p.cells = outline.Cells(p.cells[:0], p.rows, i, from, level)
	if from == p.left && slices.Equal(p.cells, p.drawn) {
		return // as before the row above, where nothing branches
	}
	p.left, p.drawn = from, append(p.drawn[:0], p.cells...)
	var gutter []byte
	if from > 0 {
		gutter = fmt.Appendf(gutter, "…%d ", from)
	}
	for _, c := range p.cells {
		gutter = append(gutter, c.String()...)
	}
	p.gutter = string(gutter)
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
