package live

import (
	"context"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/contents"
	"github.com/pith-sessions/pith/inspect"
)

// titleText is the maximum length of a text that is read for a title.
const titleText = 2000

// another returns a reading of its own, so that the screen does not wait.
func (x *Turns) another() *inspect.Reading {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.reading.Another()
}

// each reads all turns.
func (x *Turns) each(ctx context.Context, do func(r *inspect.Reading, i int, t *inspect.Turn) error) error {
	r := x.another()
	for i := range r.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := r.Turn(i, inspect.Detail{MaxContent: titleText})
		if err == nil {
			err = do(r, i, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Contents returns all turns with their changed files.
func (x *Turns) Contents(ctx context.Context) (rows []contents.Row, err error) {
	err = x.each(ctx, func(r *inspect.Reading, i int, t *inspect.Turn) error {
		row := contents.Row{Row: t.Contents()}
		uses, err := r.Files(ctx, []int{i})
		for k := range uses {
			if uses[k].Modified() {
				row.Files = append(row.Files, string(uses[k].Path))
			}
		}
		rows = append(rows, row)
		return err
	})
	return rows, err
}
