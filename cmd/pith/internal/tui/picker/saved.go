package picker

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/sessionfilter"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/internal/settings"
)

// mostTabs is the number of saved searches that have a key.
const mostTabs = 9

// tabs draws the saved searches with their keys, the current one highlighted. It
// is empty if there are none.
func (d *drawing) tabs(width int) string {
	if len(d.o.Searches) == 0 {
		return ""
	}
	var spans []paint.Span
	for i, s := range append([]settings.Search{{Name: "all"}}, d.o.Searches[:min(len(d.o.Searches), mostTabs)]...) {
		if i > 0 {
			spans = append(spans, paint.Span{Tone: paint.Dim, Text: between})
		}
		tone := paint.Muted
		if strings.TrimSpace(d.input.Value()) == strings.TrimSpace(s.Query) {
			tone = paint.Accent
		}
		spans = append(spans, paint.Span{Tone: tone, Text: fmt.Sprintf("alt+%d %s", i, termsafe.Fit(s.Name, 20))})
	}
	return d.theme.Line(width, spans...)
}

// useSaved searches for the saved search with a number, from 1; 0 searches for
// nothing.
func (m *Model) useSaved(n int) tea.Cmd {
	if n > min(len(m.o.Searches), mostTabs) {
		return nil
	}
	text := ""
	if n > 0 {
		text = m.o.Searches[n-1].Query
	}
	m.input.Set(text)
	m.resumed, m.at = false, 0
	cmd := m.searchChanged()
	m.completions = nil
	return cmd
}

// mostCompletions is the maximum number of suggested values.
const mostCompletions = 8

// suggest finds the values for the filter that is being typed: those of the
// listed sessions, the most frequent first.
func (m *Model) suggest() {
	m.completions = nil
	key, prefix, ok := sessionfilter.Last(m.input.Value())
	if !ok {
		return
	}
	count := map[string]int{}
	switch key {
	case "status":
		for _, s := range catalog.Statuses {
			count[string(s)] = 1
		}
		prefix = prefix[strings.LastIndexByte(prefix, ',')+1:]
	case "since", "until":
		count["1d"], count["7d"], count["30d"] = 3, 2, 1
	case "cost":
		count[">1"], count[">5"], count["<0.1"] = 3, 2, 1
	default:
		for _, it := range m.lists[m.scope].items {
			if v := valueOf(it, key); v != "" {
				count[v]++
			}
		}
	}
	for value := range count {
		if strings.Contains(strings.ToLower(value), strings.ToLower(prefix)) && value != prefix {
			m.completions = append(m.completions, value)
		}
	}
	slices.SortFunc(m.completions, func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) })
	m.completions = m.completions[:min(len(m.completions), mostCompletions)]
}

// valueOf returns the value of a filter for a session.
func valueOf(it *Item, key string) string {
	switch {
	case key == "project" && it.Cwd != "":
		return filepath.Base(it.Cwd)
	case key == "model":
		return it.Model[strings.LastIndexByte(it.Model, '/')+1:]
	case key == "source":
		return it.Root
	}
	return ""
}

// complete replaces the value of the filter that is being typed by the first
// suggestion.
func (m *Model) complete() tea.Cmd {
	text := m.input.Value()
	key, prefix, ok := sessionfilter.Last(text)
	if !ok {
		return nil
	}
	earlier := prefix[:strings.LastIndexByte(prefix, ',')+1] // of several statuses
	if key != "status" {
		earlier = ""
	}
	at := strings.LastIndex(strings.ToLower(text), key+":")
	m.input.Set(text[:at] + sessionfilter.Quote(key, earlier+m.completions[0]) + " ")
	return m.searchChanged()
}
