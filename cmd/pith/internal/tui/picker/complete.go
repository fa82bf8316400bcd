package picker

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/sessionfilter"
)

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
