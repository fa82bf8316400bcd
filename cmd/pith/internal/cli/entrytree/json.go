package entrytree

import (
	"context"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
)

// A record is one row in JSON, as docs/reference/json.md describes it.
type record struct {
	ID        string      `json:"id"`
	ParentID  string      `json:"parentId" empty:"null"`
	Type      format.Type `json:"type"`
	Role      string      `json:"role" empty:"null"`
	Text      string      `json:"text"`
	Label     string      `json:"label" empty:"null"`
	LabelTime string      `json:"labelTimestamp" empty:"null"`
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
			text, err := present.JSON(t.record(i, row, line))
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
		ID: e.ID, Type: e.Type, Role: string(e.Role), Text: line.String(),
		Label: e.Label, LabelTime: e.LabelTime,
		Depth: r.Depth, Level: r.Level, OnPath: r.OnPath, Leaf: i == t.Leaf,
	}
	if r.Parent != outline.None {
		out.ParentID = t.view.At(t.Rows.At(r.Parent).Pos).ID
	}
	return out
}
