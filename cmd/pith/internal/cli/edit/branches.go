package edit

import (
	"cmp"
	"context"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect/diff"
)

// A branchRecord is a branch in JSON.
type branchRecord struct {
	Leaf     view.Text  `json:"leaf"` // the last entry of the branch
	Current  bool       `json:"current"`
	Label    *view.Text `json:"label"`
	Turns    int        `json:"turns"`
	Entries  int        `json:"entries"`
	Modified view.Time  `json:"modified"`
	Text     view.Text  `json:"text"`
}

// listBranches prints the branches of a session: the current one first, then the
// newest.
func (a *Commands) listBranches(ctx context.Context, ref string, asJSON bool) (err error) {
	s, err := a.OpenForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	ends := diff.Ends(s)
	slices.SortFunc(ends, func(x, y *pith.Node) int {
		if x.OnPath != y.OnPath {
			return map[bool]int{true: -1, false: 1}[x.OnPath]
		}
		return cmp.Compare(y.Pos, x.Pos)
	})
	records := make([]branchRecord, 0, len(ends))
	g := &layout.Grid{Head: []string{"", "leaf", "turns", "modified", "last entry"}, Right: []bool{false, false, true, false, false}, Flex: 4}
	describe := entryline.NewDescriber(a.ShortPath)
	for _, end := range ends {
		r, at := branchOf(s, end), s.View().At(end.Pos)
		e, err := s.View().Entry(end.Pos)
		if err != nil {
			return err
		}
		line := describe.Describe(e).Cut(60).String()
		r.Modified, r.Text = view.Time{Time: at.Time}, view.Text(line)
		records = append(records, r)
		mark := " "
		if r.Current {
			mark = "*"
		}
		if end.Label != "" {
			line = "[" + layout.OneLine(end.Label) + "] " + line
		}
		g.Add(tone.None, mark, layout.OneLine(end.ID), humanize.Number(int64(r.Turns)), a.When(at.Time), termsafe.Line(line))
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

// branchOf counts the turns and entries on the path to the end of a branch.
func branchOf(s *pith.Session, end *pith.Node) branchRecord {
	r := branchRecord{Leaf: view.Text(end.ID), Current: end.OnPath, Label: view.TextOrNull(end.Label)}
	path, err := s.View().Path(end.ID)
	if err != nil {
		return r // the id is that of an entry
	}
	r.Entries = len(path)
	for _, pos := range path {
		if s.View().At(pos).Role == format.RoleUser {
			r.Turns++
		}
	}
	return r
}
