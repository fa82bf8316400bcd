package cost

import (
	"context"
	"math"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/spending"
)

// A reader reads the spending recorded in files.
type reader struct {
	lines jsonl.Lines
	scan  spending.Scanner
}

// listed returns the responses of a listed session: those that the list found, or
// otherwise those in its file.
func (r *reader) listed(ctx context.Context, info *catalog.Info) (spending.Found, error) {
	if found, ok := info.Responses.(spending.Found); ok {
		return found, nil
	}
	return r.read(ctx, info.Path)
}

// read finds all responses in a session file, in file order.
func (r *reader) read(ctx context.Context, path string) (spending.Found, error) {
	r.scan.Reset()
	_, err := foreign.Lines(ctx, path, &r.lines, 0, math.MaxInt64, func(line *jsonl.Line) error { r.scan.Line(line.Data); return nil })
	return r.scan.Found(), err
}
