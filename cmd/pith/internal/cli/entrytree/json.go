package entrytree

import (
	"context"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
)

// A record is one row in JSON, as docs/reference/json.md describes it.
type record struct {
	ID        view.Text   `json:"id"`
	ParentID  *view.Text  `json:"parentId"`
	Type      format.Type `json:"type"`
	Role      *view.Text  `json:"role"`
	Text      string      `json:"text"`
	Label     *view.Text  `json:"label"`
	LabelTime *view.Text  `json:"labelTimestamp"`
	Depth     int         `json:"depth"`
	Level     int         `json:"level"`
	OnPath    bool        `json:"onPath"`
	Leaf      bool        `json:"leaf"`
}

// PrintJSON prints a range of the rows as a JSON array.
func (t *Tree) PrintJSON(ctx context.Context, out *console.Output, part Range) error {
	out.Print("[")
	err := t.print(ctx, out, part, func() appender {
		return func(dst []byte, i int, row outline.Row, line entryline.Line) []byte {
			text, err := view.Marshal(t.record(i, row, line))
			if err != nil {
				panic(err) // strings and numbers can be encoded
			}
			if i > part.From {
				dst = append(dst, ',')
			}
			return append(dst, termsafe.JSON(text)...)
		}
	})
	out.Print("]\n")
	return err
}

func (t *Tree) record(i int, r outline.Row, line entryline.Line) record {
	e := t.view.At(r.Pos)
	out := record{
		ID: view.Text(e.ID), Type: e.Type, Role: view.TextOrNull(string(e.Role)), Text: line.String(),
		Label: view.TextOrNull(e.Label), LabelTime: view.TextOrNull(e.LabelTime),
		Depth: r.Depth, Level: r.Level, OnPath: r.OnPath, Leaf: i == t.Leaf,
	}
	if r.Parent != outline.None {
		id := view.Text(t.view.At(t.Rows.At(r.Parent).Pos).ID)
		out.ParentID = &id
	}
	return out
}
