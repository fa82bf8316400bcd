package tui

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/markdown"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/inspect"
)

// Preview implements [picker.Sessions]: the last exchange, or the match of a
// search.
func (s *library) Preview(ctx context.Context, at picker.Spot, width int) (lines [][]paint.Span, err error) {
	err = s.reading(at.Path)(ctx, func(session *pith.Session) error {
		r, i, err := reading(session, at.EntryID)
		if err != nil || r.Len() == 0 || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		p := previewing{width: width}
		if at.EntryID == "" {
			x, err := r.Turn(i, inspect.Detail{MaxContent: longestPreview})
			if err == nil {
				p.exchange(x)
			}
			lines = p.lines
			return err
		}
		x, err := r.Turn(i, inspect.Detail{MaxContent: longestFound})
		if err == nil {
			p.found(x, at)
		}
		lines = p.lines
		return err
	})
	return lines, err
}

// reading finds the exchange of an entry, also on an abandoned branch, or the
// last one if id is empty.
func reading(s *pith.Session, id string) (*inspect.Reading, int, error) {
	r, err := inspect.Open(s, inspect.Scope{})
	if err != nil || id == "" {
		return r, r.Len() - 1, err
	}
	if i, err := r.Holding(id); err == nil {
		return r, i, nil
	}
	if r, err = inspect.Open(s, inspect.Scope{Leaf: id}); err != nil {
		return nil, 0, err
	}
	return r, r.Len() - 1, nil
}

// longestPreview is the maximum length of a text in a preview; longestFound is
// the same if the match may be at its end.
const (
	longestPreview = 2000
	longestFound   = 256 << 10
)

// A previewing draws a preview.
type previewing struct {
	width int
	lines [][]paint.Span
}

// exchange draws the last user message and the response.
func (p *previewing) exchange(x *inspect.Turn) {
	for i := range x.Items {
		if it := &x.Items[i]; it.Kind == inspect.User {
			p.add(p.plain(paint.User, string(it.Text)), 12)
		}
	}
	tools := 0
	for _, t := range x.ToolUses() {
		tools += t.Calls
	}
	if tools > 0 {
		p.lines = append(p.lines, []paint.Span{{Tone: paint.Dim, Text: humanize.Count(tools, "tool call")}}, nil)
	}
	if answer := x.LastResponse(); answer != "" {
		p.add(p.marked(string(answer)), 60)
	}
}

// leadRows is the number of rows above a match.
const leadRows = 4

// found draws the matching item, from a little above the first match, below the
// user message.
func (p *previewing) found(x *inspect.Turn, at picker.Spot) {
	for i := range x.Items {
		it := &x.Items[i]
		if it.Kind == inspect.User && string(it.EntryID) != at.EntryID {
			p.add(p.plain(paint.User, string(it.Text)), 3)
		}
		result := it.Tool != nil && it.Tool.Result != nil && string(it.Tool.Result.EntryID) == at.EntryID
		if string(it.EntryID) != at.EntryID && !result {
			continue
		}
		rows := p.item(it)
		if first := slices.IndexFunc(rows, func(row []paint.Span) bool { return holds(row, at.Terms) }); first > leadRows {
			rows = append([][]paint.Span{{{Tone: paint.Dim, Text: "…"}}}, rows[first-leadRows:]...)
		}
		p.add(rows, 200)
	}
}

// item draws one item in full.
func (p *previewing) item(it *inspect.Item) [][]paint.Span {
	switch {
	case it.Kind == inspect.User:
		return p.plain(paint.User, string(it.Text))
	case it.Kind == inspect.Response || it.Kind == inspect.Compaction || it.Kind == inspect.BranchSummary:
		return p.marked(string(it.Text))
	case it.Tool != nil:
		rows := p.plain(paint.Code, string(it.Name)+" "+string(it.Tool.Arguments))
		if it.Tool.Result != nil {
			rows = append(rows, p.plain(paint.Plain, string(it.Tool.Result.Text))...)
		}
		return rows
	case it.Bash != nil:
		return append(p.plain(paint.Code, "$ "+string(it.Bash.Command)), p.plain(paint.Plain, string(it.Text))...)
	}
	return p.plain(paint.Muted, strings.TrimSpace(string(it.Name)+" "+string(it.Text)))
}

func (p *previewing) add(rows [][]paint.Span, most int) {
	if len(rows) > most {
		rows = append(rows[:most:most], []paint.Span{{Tone: paint.Dim, Text: "…"}})
	}
	p.lines = append(append(p.lines, rows...), nil)
}

// plain wraps a text at its words.
func (p *previewing) plain(tone paint.Tone, text string) [][]paint.Span {
	return paint.WrapText(tone, strings.TrimSpace(text), p.width)
}

// marked renders a text as Markdown.
func (p *previewing) marked(text string) [][]paint.Span {
	return markdown.Lines(strings.TrimSpace(text), max(1, p.width))
}

// holds reports whether a row matches one of the terms.
func holds(row []paint.Span, terms []*regexp.Regexp) bool {
	text := ""
	for _, s := range row {
		text += s.Text
	}
	return slices.ContainsFunc(terms, func(t *regexp.Regexp) bool { return t.MatchString(text) })
}
