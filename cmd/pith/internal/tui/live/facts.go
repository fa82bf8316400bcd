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
	Stats    sessionstats.Stats
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
	f := &Facts{Stats: stats, Spent: stats.Spent, Branches: len(diff.Ends(l.Current().View()))}
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
		Count(t, &f.Tally)
		f.Took += lasted(t)
	}
	return f, nil
}

// Count adds the calls of a turn.
func Count(t *inspect.Turn, tally *blocks.Tally) {
	for i := range t.Items {
		if t.Items[i].Kind == inspect.ToolUse {
			tally.Add(&t.Items[i])
		}
	}
}

// lasted returns how long a turn took.
func lasted(t *inspect.Turn) time.Duration {
	last := t.Time.Time
	for i := range t.Items {
		it := &t.Items[i]
		if it.Time.After(last) {
			last = it.Time.Time
		}
		if it.Tool != nil && it.Tool.Result != nil && it.Tool.Result.Time.After(last) {
			last = it.Tool.Result.Time.Time
		}
	}
	if t.Time.IsZero() {
		return 0
	}
	return last.Sub(t.Time.Time)
}
