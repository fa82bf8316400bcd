package tui

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/internal/amount"
)

// footer returns the last two lines: the place and the cost.
func (c *chat) footer(t *paint.Theme) []string {
	s := c.open.Current()
	where := []paint.Span{{Tone: paint.Dim, Text: humanize.Path(c.app.c.Home, s.Cwd())}}
	if name := s.Name(); name != "" {
		where = append(where, paint.Span{Tone: paint.Dim, Text: " • "}, paint.Span{Tone: paint.Warning, Text: name})
	}
	if n := len(s.Findings()); n > 0 {
		where = append(where, paint.Span{Tone: paint.Error, Text: "  " + humanize.Count(n, "finding") + ": pith doctor"})
	}
	return []string{
		t.Sides(c.width, where, []paint.Span{{Tone: paint.Dim, Text: c.mode()}}),
		t.Sides(c.width, []paint.Span{{Tone: paint.Dim, Text: c.numbers()}}, []paint.Span{{Tone: paint.Dim, Text: c.modelText()}}),
	}
}

func (c *chat) mode() string {
	if c.editor.reading {
		return "reading"
	}
	return writingHint
}

// numbers returns tokens and cost, as in pi's footer.
func (c *chat) numbers() string {
	st := c.stats
	if st == nil {
		return ""
	}
	parts := []string{"↑" + humanize.Short(st.Tokens.Input), "↓" + humanize.Short(st.Tokens.Output)}
	if st.Tokens.CacheRead > 0 {
		parts = append(parts, "R"+humanize.Short(st.Tokens.CacheRead))
	}
	if st.Tokens.CacheWrite > 0 {
		parts = append(parts, "W"+humanize.Short(st.Tokens.CacheWrite))
	}
	if cost := amount.CostCell(st.Spent); cost != "" {
		parts = append(parts, cost)
	}
	if used := st.Context; used != nil {
		mark := ""
		if !used.Known {
			mark = "~"
		}
		parts = append(parts, fmt.Sprintf("%s%.1f%%/%s", mark, used.Percent, humanize.Short(used.Window)))
	}
	return strings.Join(parts, " ")
}

func (c *chat) modelText() string {
	m := c.open.Agent.Model()
	if m.ID == "" {
		return "no model"
	}
	text := m.ID
	if level := c.open.Agent.Thinking(); level != "" && level != "off" {
		text += " • " + level
	}
	return text
}
