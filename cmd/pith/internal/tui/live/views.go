package live

import (
	"context"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/contents"
	"github.com/pith-sessions/pith/inspect"
)

// titleText is the maximum length of a text that is read for a title.
const titleText = 2000

// an Issue is an issue with the index of its turn.
type Issue struct {
	inspect.Issue
	Turn   int // index
	Number int
}

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

// Issues returns the issues of all turns.
func (x *Turns) Issues(ctx context.Context) (found []Issue, err error) {
	failed, err := x.another().FailedRuns()
	if err != nil {
		return nil, err
	}
	err = x.each(ctx, func(r *inspect.Reading, i int, t *inspect.Turn) error {
		for _, issue := range t.Issues(failed, i == r.Len()-1).Issues {
			found = append(found, Issue{issue, i, t.Number})
		}
		return nil
	})
	return found, err
}

// Files returns the files that the tools of all turns were called with.
func (x *Turns) Files(ctx context.Context) ([]inspect.FileUse, error) {
	r := x.another()
	all := make([]int, r.Len())
	for i := range all {
		all[i] = i
	}
	return r.Files(ctx, all)
}

// Costs returns all turns and all model calls.
func (x *Turns) Costs(ctx context.Context) (rows []inspect.Row, all []inspect.Cost, err error) {
	err = x.each(ctx, func(_ *inspect.Reading, _ int, t *inspect.Turn) error {
		rows, all = append(rows, t.Contents()), append(all, t.Costs()...)
		return nil
	})
	return rows, all, err
}
