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
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/markdown"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/toolcall"
)

// Preview implements [picker.Sessions]: the facts, the request and the last response of a
// session, or the match of a search.
func (s *library) Preview(ctx context.Context, at picker.Spot, width int) (lines [][]paint.Span, err error) {
	err = s.reading(at.Item.Path)(ctx, func(session *pith.Session) error {
		r, i, err := live.Holding(session, at.EntryID)
		if err != nil || r.Len() == 0 || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		p := previewing{width: width, item: at.Item, home: s.c.Home, now: s.c.now}
		if at.EntryID != "" {
			t, err := r.Turn(i, inspect.Detail{MaxContent: longestFound})
			if err == nil {
				p.found(t, at)
			}
			lines = p.lines
			return err
		}
		err = p.session(ctx, r)
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
	width int
	item  *picker.Item
	home  string
	now   func() time.Time
	lines [][]paint.Span
}

// session draws the facts of a session, its first prompt and its last response.
func (p *previewing) session(ctx context.Context, r *inspect.Reading) error {
	it := p.item
	agent := facts.AgentOf(it.Root)
	p.add(paint.WrapText(paint.Strong, it.Title(), p.width), 3)
	access := ""
	if agent.Foreign {
		access = "read-only"
	}
	if picker.IsLive(&it.Info, p.now()) {
		access = "● live: " + agent.Title + " writes to it"
	}
	model := it.Model[strings.LastIndexByte(it.Model, '/')+1:]
	p.fact(facts.Join(agent.Title, model, access))
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
		live.Count(t, &tally)
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
	p.fact(facts.Join(humanize.Path(p.home, it.Cwd), it.Modified.Local().Format("Jan 2, 15:04"), took))
	if it.Size <= mostCounted {
		calls := humanize.Count(tally.Calls, "call")
		if tally.Failed > 0 {
			calls += ", " + humanize.Number(int64(tally.Failed)) + " failed"
		}
		p.fact(facts.Join(humanize.Count(prompts, "prompt"), calls, branches))
		spans := tally.Spans()
		tokens := ""
		if it.Spent.Tokens > 0 {
			tokens = facts.Tokens(it.Spent.Tokens)
		}
		if rest := facts.Join(cost, tokens); rest != "" {
			if len(spans) > 0 {
				rest = " · " + rest
			}
			spans = append(spans, dim(rest))
		}
		p.lines = append(p.lines, spans)
	} else {
		p.fact(facts.Join(humanize.Count(prompts, "prompt"), branches, cost))
	}
	if asked != "" {
		p.lines = append(p.lines, nil, []paint.Span{dim("Asked")})
		p.add(paint.WrapText(paint.Plain, cut(asked), p.width), 5)
	}
	if answer != "" {
		p.lines = append(p.lines, []paint.Span{dim("Last response")})
		p.add(markdown.Lines(cut(answer), p.width), 60)
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

func (p *previewing) fact(text string) {
	p.lines = append(p.lines, paint.WrapText(paint.Dim, text, p.width)...)
}

// leadRows is the number of rows above a match.
const leadRows = 4

// found draws the matching block, from a little above the first match, below the
// prompt.
func (p *previewing) found(t *inspect.Turn, at picker.Spot) {
	list := blocks.Of(t, nil)
	for i := range list {
		b := &list[i]
		holds := b.Holds(at.EntryID) && b.Kind != blocks.Model && b.Kind != blocks.Run
		if b.Kind == blocks.Prompt && !holds {
			p.add(p.barred(string(b.Item.Text)), 4)
		}
		if !holds {
			continue
		}
		rows := p.block(b)
		if first := slices.IndexFunc(rows, func(row []paint.Span) bool { return matches(row, at) }); first > leadRows {
			rows = append([][]paint.Span{{dim("…")}}, rows[first-leadRows:]...)
		}
		p.add(rows, 200)
	}
}

func matches(row []paint.Span, at picker.Spot) bool {
	text := facts.Text(row)
	for _, t := range at.Terms {
		if t.MatchString(text) {
			return true
		}
	}
	return false
}

func (p *previewing) barred(text string) (rows [][]paint.Span) {
	for _, row := range paint.WrapText(paint.Plain, strings.TrimSpace(text), max(1, p.width-2)) {
		rows = append(rows, append([]paint.Span{{Tone: facts.AgentOf(p.item.Root).Tone, Text: "▎ "}}, row...))
	}
	return rows
}

// block draws a block in full.
func (p *previewing) block(b *blocks.Block) [][]paint.Span {
	it := b.Item
	text := strings.TrimSpace(string(it.Text))
	switch b.Kind {
	case blocks.Prompt:
		return p.barred(text)
	case blocks.Text, blocks.Summary:
		return markdown.Lines(text, max(1, p.width))
	case blocks.Call:
		head := append([]paint.Span{{Tone: paint.Code, Text: string(it.Name) + " "}, {Text: blocks.Head(it, func(path string) string { return humanize.Path(p.home, path) }) + "  "}}, blocks.Outcome(it)...)
		rows := paint.Wrap(head, p.width)
		if it.Tool != nil {
			rows = append(rows, paint.WrapText(paint.Dim, toolcall.Text(it.Tool.Arguments), p.width)...)
			if it.Tool.Result != nil {
				rows = append(rows, paint.WrapText(paint.Plain, string(it.Tool.Result.Text), p.width)...)
			}
		}
		return rows
	case blocks.Shell:
		if it.Bash != nil {
			text = "$ " + string(it.Bash.Command) + "\n" + text
		}
	case blocks.Custom, blocks.Remark:
		text = strings.TrimSpace(string(it.Name) + " " + text)
	}
	return paint.WrapText(paint.Plain, text, p.width)
}

func (p *previewing) add(rows [][]paint.Span, most int) {
	if len(rows) > most {
		rows = append(rows[:most:most], []paint.Span{dim("…")})
	}
	p.lines = append(append(p.lines, rows...), nil)
}
