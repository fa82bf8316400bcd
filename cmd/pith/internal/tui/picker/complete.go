package picker

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/catalog/query"
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
			for _, v := range ops.ValuesOf(name, &query.Session{Info: &it.Info, Tags: it.Marks.Tags}) {
				if v != "" && v != "." {
					count[v]++
				}
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
