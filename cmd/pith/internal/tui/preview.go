package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/inspect"
)

// Preview implements [picker.Sessions]: the facts, the request and the last response of a
// session, or the match of a search.
func (s *library) Preview(ctx context.Context, at picker.Spot, with blocks.Renderer) (lines []string, err error) {
	err = s.reading(at.Item.Path)(ctx, func(session *pith.Session) error {
		r, i, err := live.Holding(session, at.EntryID)
		if err != nil || r.Len() == 0 || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		p := previewing{Renderer: with, item: at.Item, now: s.c.now}
		if at.EntryID == "" {
			err = p.session(ctx, r)
		} else if t, failed := r.Turn(i, inspect.Detail{MaxContent: longestFound}); failed != nil {
			err = failed
		} else {
			p.found(t, at)
		}
		lines = p.lines
		return err
	})
	return lines, err
}

// longestPreview is the maximum length of a text in a preview; longestFound is
// the same if the match may be at its end.
const (
	longestPreview = 2000
	longestFound   = 256 << 10
)

// mostCounted is the size of a session from which its calls are not counted for the
// preview.
const mostCounted = 20 << 20

// A previewing draws a preview.
type previewing struct {
	blocks.Renderer
	item  *picker.Item
	now   func() time.Time
	lines []string
}

// session draws the facts of a session, its first prompt and its last response.
func (p *previewing) session(ctx context.Context, r *inspect.Reading) error {
	it := p.item
	p.add(p.Wrapped(paint.Strong, it.Title()), 3)
	access := ""
	if p.Agent.Foreign {
		access = "read-only"
	}
	if picker.IsLive(&it.Info, p.now()) {
		access = "● live: " + p.Agent.Title + " writes to it"
	}
	model := it.Model[strings.LastIndexByte(it.Model, '/')+1:]
	p.fact(p.Agent.Title, model, access)
	var asked, answer string
	var tally blocks.Tally
	var prompts int
	for i := range r.Len() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if i > 1 && i < r.Len()-1 && it.Size > mostCounted {
			continue
		}
		t, err := r.Turn(i, inspect.Detail{MaxContent: longestFound, Brief: true})
		if err != nil {
			return err
		}
		tally.AddTurn(t)
		for k := range t.Items {
			if t.Items[k].Kind == inspect.User {
				if prompts++; asked == "" {
					asked = string(t.Items[k].Text)
				}
				break
			}
		}
		if last := string(t.LastResponse()); last != "" {
			answer = last
		}
	}
	branches, cost := "", facts.Cost(it.Spent)
	if it.Branches > 1 {
		branches = humanize.Count(it.Branches, "branch")
	}
	took := ""
	if d := it.Modified.Sub(it.Created); d > 0 {
		took = facts.Duration(d)
	}
	p.fact(humanize.Path(p.Home, it.Cwd), it.Modified.Local().Format("Jan 2, 15:04"), took)
	if it.Size <= mostCounted {
		calls := humanize.Count(tally.Calls, "call")
		if tally.Failed > 0 {
			calls += ", " + humanize.Number(int64(tally.Failed)) + " failed"
		}
		p.fact(humanize.Count(prompts, "prompt"), calls, branches)
		spans, tokens := tally.Spans(), ""
		if it.Spent.Tokens > 0 {
			tokens = facts.Tokens(it.Spent.Tokens)
		}
		rest := facts.Join(cost, tokens)
		if rest != "" && len(spans) > 0 {
			rest = " · " + rest
		}
		p.lines = append(p.lines, p.Theme.Line(p.Width, append(spans, paint.Faint(rest))...))
	} else {
		p.fact(humanize.Count(prompts, "prompt"), branches, cost)
	}
	if asked != "" {
		p.lines = append(p.lines, "", p.Theme.Line(p.Width, paint.Faint("Asked")))
		p.add(p.Wrapped(paint.Plain, cut(asked)), 5)
	}
	if answer != "" {
		p.lines = append(p.lines, p.Theme.Line(p.Width, paint.Faint("Last response")))
		p.add(p.Marked(cut(answer)), 60)
	}
	return nil
}

func cut(text string) string {
	text = strings.TrimSpace(text)
	if len(text) > longestPreview {
		text = strings.ToValidUTF8(text[:longestPreview], "") + "…"
	}
	return text
}

func (p *previewing) fact(parts ...string) {
	p.lines = append(p.lines, p.Wrapped(paint.Dim, facts.Join(parts...))...)
}

// leadRows is the number of rows above a match.
const leadRows = 4

// found draws the matching block, from a little above the first match, below the
// prompt.
func (p *previewing) found(t *inspect.Turn, at picker.Spot) {
	p.Whole = true
	list := blocks.Of(t, nil)
	for i := range list {
		b := &list[i]
		holds := b.Holds(at.EntryID) && b.Kind != blocks.Model && b.Kind != blocks.Run
		if b.Kind == blocks.Prompt && !holds {
			p.add(p.Draw(b, false), 4)
		}
		if !holds {
			continue
		}
		rows := p.Draw(b, true)
		if first := slices.IndexFunc(rows, func(row string) bool { return len(paint.Occurrences(paint.Bare(row), at.Terms)) > 0 }); first > leadRows {
			rows = append([]string{p.Theme.Line(p.Width, paint.Faint("…"))}, rows[first-leadRows:]...)
		}
		p.add(rows, 200)
	}
}

func (p *previewing) add(rows []string, most int) {
	if len(rows) > most {
		rows = append(rows[:most:most], p.Theme.Line(p.Width, paint.Faint("…")))
	}
	p.lines = append(append(p.lines, rows...), "")
}
