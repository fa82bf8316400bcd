package picker

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
)

// mostCompletions is the maximum number of suggested values.
const mostCompletions = 8

// suggest finds the values for the filter that is being typed: those of the
// listed sessions, the most frequent first.
func (m *Model) suggest() {
	m.completions = nil
	open, ok := ops.Typing(m.input.Value())
	if !ok {
		return
	}
	count, prefix := map[string]int{}, open.Value
	switch name := open.Filter.Name; name {
	case "since", "until":
		count["1d"], count["7d"], count["30d"] = 3, 2, 1
	case "cost":
		count[">1"], count[">5"], count["<0.1"] = 3, 2, 1
	default:
		for _, v := range open.Filter.Values {
			count[v] = 1
		}
		for _, it := range m.lists[m.scope].items {
			for _, v := range valuesOf(it, name) {
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

// valuesOf returns the values of a filter that a session passes.
func valuesOf(it *Item, name string) []string {
	switch {
	case name == "project" && it.Cwd != "":
		return []string{filepath.Base(it.Cwd)}
	case name == "model" && it.Model != "":
		return []string{it.Model[strings.LastIndexByte(it.Model, '/')+1:]}
	case name == "source" && it.Root != "" && it.Root != catalog.RootCustom:
		return []string{it.Root}
	case name == "tag":
		return it.Marks.Tags
	}
	return nil
}

// complete replaces the value of the filter that is being typed by the first
// suggestion.
func (m *Model) complete() tea.Cmd {
	open, ok := ops.Typing(m.input.Value())
	if !ok {
		return nil
	}
	m.input.Set(open.With(m.completions[0]))
	return m.searchChanged()
}
