package edit

import (
	"context"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect/diff"
)

// A branchRecord is a branch in JSON.
type branchRecord struct {
	Leaf     string    `json:"leaf"` // the last entry of the branch
	Current  bool      `json:"current"`
	Label    string    `json:"label" empty:"null"`
	Turns    int       `json:"turns"`
	Entries  int       `json:"entries"`
	Modified time.Time `json:"modified"`
	Text     string    `json:"text"`
}

// mostBranches is the number of branches that are listed.
const mostBranches = 1000

// listBranches prints the branches of a session: the current one first, then the
// newest.
func (a *Commands) listBranches(ctx context.Context, ref string, asJSON bool) (err error) {
	s, err := a.OpenForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	v := s.View()
	all, err := branchesOf(s)
	if err != nil {
		return err
	}
	shown := all[:min(mostBranches, len(all))]
	records := make([]branchRecord, 0, len(shown))
	g := &layout.Grid{Head: []string{"", "leaf", "turns", "modified", "last entry"}, Right: []bool{false, false, true, false, false}, Flex: 4}
	describe := entryline.NewDescriber(a.ShortPath)
	for _, b := range shown {
		at := v.At(b.Pos)
		e, err := v.Entry(b.Pos)
		if err != nil {
			return err
		}
		line, label := describe.Describe(e).Cut(60).String(), v.Label(at.ID)
		records = append(records, branchRecord{
			Leaf: at.ID, Current: b.Current, Label: label, Turns: b.Turns, Entries: b.Entries,
			Modified: at.Time, Text: line,
		})
		mark := " "
		if b.Current {
			mark = "*"
		}
		if label != "" {
			line = "[" + layout.OneLine(label) + "] " + line
		}
		g.Add(tone.None, mark, layout.OneLine(at.ID), humanize.Number(int64(b.Turns)), a.When(at.Time), termsafe.Line(line))
	}
	if more := len(all) - len(shown); more > 0 {
		defer a.Note("%s older branches are not shown", humanize.Number(int64(more)))
	}
	if asJSON {
		return a.Out.JSON(records)
	}
	if len(records) == 0 {
		a.Note("the session has no entries yet")
		return nil
	}
	g.Print(a.Out, a.Colors, a.Width())
	if len(records) > 1 {
		a.Note("switch with %s", a.Hint("branch", ref, string(records[len(records)-1].Leaf)))
	}
	return nil
}

// branchesOf returns the ends of all branches. If the session continues from an
// entry that is not an end, because the leaf was moved there, it comes first.
func branchesOf(s *pith.Session) ([]diff.End, error) {
	v := s.View()
	ends := diff.Ends(v)
	if len(ends) > 0 && ends[0].Current {
		return ends, nil
	}
	id, err := ops.Position(s)
	if err != nil || id == "" {
		return ends, err
	}
	path, err := v.Path(id)
	if err != nil || len(path) == 0 {
		return ends, err
	}
	here := diff.End{Pos: path[len(path)-1], Entries: len(path), Current: true}
	for _, pos := range path {
		if v.At(pos).Role == format.RoleUser {
			here.Turns++
		}
	}
	return append([]diff.End{here}, ends...), nil
}
