package live

import (
	"context"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/inspect/diff"
	"github.com/pith-sessions/pith/internal/sessionstats"
)

// Facts are the counts of a session.
type Facts struct {
	Spent    format.Spent
	Tally    blocks.Tally // of the shown path
	Took     time.Duration
	Branches int
	// Context is the size of the context, of Window; 0 if it is unknown.
	Context, Window int64
}

// Facts counts the session. It reads all of it.
func (l *Session) Facts(ctx context.Context, x *Turns) (*Facts, error) {
	stats, err := sessionstats.Of(l.Agent)
	if err != nil {
		return nil, err
	}
	f := &Facts{Spent: stats.Spent, Branches: len(diff.Ends(l.Current().View()))}
	if stats.Context != nil {
		f.Context, f.Window = stats.Context.Tokens, stats.Context.Window
	}
	f.Spent.Tokens = stats.Tokens.Total
	r := x.another()
	for i := range r.Len() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t, err := r.Turn(i, inspect.Detail{MaxContent: longestCall, Brief: true})
		if err != nil {
			return nil, err
		}
		f.Tally.AddTurn(t)
		f.Took += blocks.Lasted(t)
	}
	return f, nil
}
