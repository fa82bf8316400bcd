package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// counted are the numbers of the session that is shown.
type counted struct {
	open  *opened
	stats agent.Stats
	err   error
}

// count adds up what the session holds and has cost. It reads all of it, beside
// the screen, so it is done when a session is opened and when a run has ended.
func (a *App) count() tea.Cmd {
	o := a.open
	if o == nil || o.counting {
		return nil
	}
	o.counting = true
	return func() tea.Msg {
		stats, err := o.live.Stats()
		return counted{o, stats, err}
	}
}

// countLater is how long a session is shown before it is added up: reading all of
// it at once would slow down what is read for the screen.
const countLater = 300 * time.Millisecond

type countDue struct{ open *opened }

// countSoon counts when the session has been shown for a moment.
func (a *App) countSoon() tea.Cmd {
	o := a.open
	return tea.Tick(countLater, func(time.Time) tea.Msg { return countDue{o} })
}

func (a *App) takeCountDue(msg countDue) tea.Cmd {
	if msg.open != a.open {
		return nil
	}
	return a.count()
}

func (a *App) takeCounted(msg counted) tea.Cmd {
	msg.open.counting = false
	if msg.err == nil {
		msg.open.stats = &msg.stats
	}
	return nil
}

// footer is the last two lines: where, and what it costs; news stands above.
func (a *App) footer() []string {
	s := a.open.session()
	where := []paint.Span{{Tone: paint.Dim, Text: a.homely(s.Cwd())}}
	if name := s.Name(); name != "" {
		where = append(where, paint.Span{Tone: paint.Dim, Text: " • "}, paint.Span{Tone: paint.Warning, Text: name})
	}
	if n := len(s.Findings()); n > 0 {
		where = append(where, paint.Span{Tone: paint.Error, Text: "  " + humanize.Count(n, "finding") + ": pith doctor"})
	}
	return []string{
		a.theme.Sides(a.width, where, []paint.Span{{Tone: paint.Dim, Text: a.mode()}}),
		a.theme.Sides(a.width, []paint.Span{{Tone: paint.Dim, Text: a.numbers()}}, []paint.Span{{Tone: paint.Dim, Text: a.modelText()}}),
	}
}

func (a *App) mode() string {
	if a.editor.reading {
		return "reading"
	}
	return "esc reads · / commands"
}

// numbers are tokens and cost, as pi's footer shows them.
func (a *App) numbers() string {
	st := a.open.stats
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
	parts = append(parts, humanize.Dollars(st.CostMicros))
	if c := st.Context; c != nil {
		mark := ""
		if !c.Known {
			mark = "~"
		}
		parts = append(parts, fmt.Sprintf("%s%.1f%%/%s", mark, c.Percent, humanize.Short(c.Window)))
	}
	return strings.Join(parts, " ")
}

func (a *App) modelText() string {
	m := a.open.live.Model()
	if m.ID == "" {
		return "no model"
	}
	text := m.ID
	if level := a.open.live.Thinking(); level != "" && level != "off" {
		text += " • " + level
	}
	return text
}

func (a *App) homely(path string) string { return humanize.Path(a.c.Home, path) }
