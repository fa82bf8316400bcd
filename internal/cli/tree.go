package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/plain"
)

func (a *app) treeCommand() *cobra.Command {
	var asJSON bool
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
  pith tree 0199a --filter all --json | jq -r '.[] | select(.label) | .id'`,
		Args:              takes(1, 1, 1),
		ValidArgsFunction: a.completeSession(1),
	}
	filter := choice(cmd, "filter", "which entries to show", "default", "no-tools", "user-only", "labeled-only", "all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of the rows, from top to bottom")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
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
	rows := outline(roots, func(n *pith.Node) bool { return notes.shows(n, filter, leaf) })
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
	gist   gist
	silent bool // an answer that only carries tool calls
}

// takeNotes reads every entry once. The results of tools, which are most of a
// large file, are not decoded: their calls tell what there is to say.
func (a *app) takeNotes(ctx context.Context, s *pith.Session) (treeNotes, error) {
	notes := make(treeNotes, s.Len())
	g := newGister(a.homely)
	for line, err := range s.Lines() {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if line.Role == format.RoleToolResult {
			notes[line.Pos].gist = g.resultLine(line.Raw)
			continue
		}
		e, err := format.DecodeEntry(line.Raw) // a gist keeps none of the bytes
		if err != nil {
			return nil, err
		}
		g.learn(e)
		notes[line.Pos] = treeNote{g.of(e), isSilentAnswer(e)}
	}
	return notes, nil
}

// shows reports whether a filter lets an entry through.
func (n treeNotes) shows(node *pith.Node, filter, leaf string) bool {
	if node.Type == format.TypeUsage {
		return false
	}
	if n[node.Pos].silent && node.ID != leaf {
		return false
	}
	switch filter {
	case "all":
		return true
	case "user-only":
		return node.Type == format.TypeMessage && node.Role == format.RoleUser
	case "labeled-only":
		return node.Label != ""
	case "no-tools":
		return !isBookkeeping(node.Type) && node.Role != format.RoleToolResult
	}
	return !isBookkeeping(node.Type)
}

// offers reports whether an entry is suggested when one is to be named: what the
// filter shows, and all that is labelled.
func (n treeNotes) offers(filter string) func(*pith.Node) bool {
	return func(node *pith.Node) bool { return node.Label != "" || n.shows(node, filter, "") }
}

func isBookkeeping(t format.Type) bool {
	switch t {
	case format.TypeLabel, format.TypeContextEdit, format.TypeCustom, format.TypeModelChange,
		format.TypeThinkingLevelChange, format.TypeSessionInfo:
		return true
	}
	return false
}

// leafRow is the row at which the session stands: the last one on the active
// path that is shown; -1 when there is none.
func leafRow(rows []outlineRow) int {
	at := -1
	for i := range rows {
		if rows[i].node.OnPath {
			at = i
		}
	}
	return at
}

// mostLevels is how deep gutters are drawn where no terminal sets a limit.
const mostLevels = 40

func (a *app) printTree(rows []outlineRow, leaf int, notes treeNotes) {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].node.ID
	}
	short := catalog.ShortIDs(ids)
	idCells := 0
	for _, id := range short {
		idCells = max(idCells, min(plain.Width(plain.Line(id)), 12))
	}
	width := a.width()
	g := gutter{most: mostLevels}
	if width > 0 {
		g.most = max(1, (width-idCells)/6)
	}
	for i := range rows {
		if a.out.failed() {
			return
		}
		r := &rows[i]
		id := plain.Pad(plain.Line(short[r.node.ID]), idCells)
		a.printTreeRow(id, g.prefix(r), r, i == leaf, notes[r.node.Pos].gist, width)
	}
}

func (a *app) printTreeRow(id, prefix string, r *outlineRow, isLeaf bool, g gist, width int) {
	marker := ""
	switch {
	case isLeaf:
		marker = "◆ "
	case r.node.OnPath:
		marker = "• "
	}
	label := ""
	if r.node.Label != "" {
		label = "[" + oneLine(r.node.Label) + "] "
	}
	if width > 0 {
		room := width - plain.Width(id) - 2 - plain.Width(prefix) - plain.Width(marker)
		label = plain.Fit(label, max(0, room))
		g = g.cut(max(0, room-plain.Width(label)))
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

func (n treeNotes) records(rows []outlineRow, leaf int) []treeRecord {
	out := make([]treeRecord, len(rows))
	for i := range rows {
		r := &rows[i]
		out[i] = treeRecord{
			ID: jsText(r.node.ID), Type: r.node.Type, Role: jsTextOrNull(string(r.node.Role)), Text: n[r.node.Pos].gist.String(),
			Label: jsTextOrNull(r.node.Label), LabelTime: jsTextOrNull(r.node.LabelTime),
			Depth: r.node.Depth, Level: r.level, OnPath: r.node.OnPath, Leaf: i == leaf,
		}
		if r.parent >= 0 {
			id := jsText(rows[r.parent].node.ID)
			out[i].ParentID = &id
		}
	}
	return out
}
