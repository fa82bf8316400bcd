package list

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/sessionfilter"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// filterList returns the filters of a query, for help.
func filterList() string {
	var lines []string
	for _, k := range sessionfilter.Keys {
		about, _, _ := strings.Cut(k.About, ":")
		lines = append(lines, "  "+termsafe.Pad(k.Name+":"+k.Value, 15)+" "+about)
	}
	return strings.Join(lines, "\n")
}

// completeFilters suggests the filters of a query and their values.
func (a *Commands) completeFilters(cmd *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
	key, value, chosen := strings.Cut(prefix, ":")
	var out []cobra.Completion
	if !chosen {
		for _, k := range sessionfilter.Keys {
			out = append(out, k.Name+":")
		}
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	for _, v := range a.filterValues(cmd, key, value) {
		out = append(out, key+":"+v)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// filterValues returns values of a filter to suggest.
func (a *Commands) filterValues(cmd *cobra.Command, key, prefix string) []cobra.Completion {
	switch key {
	case "project":
		return a.CompleteProjects(cmd, prefix)
	case "model":
		models, _ := a.CompleteModels(cmd, nil, prefix)
		return models
	case "status":
		return flags.Words(catalog.Statuses)
	case "since", "until":
		return []cobra.Completion{"today", "yesterday", "this-week", "last-week", "this-month", "last-month", "7d", "30d"}
	case "archived":
		return []cobra.Completion{"yes"}
	case "tag", "-tag":
		if marks, err := a.OpenMarks(); err == nil {
			return slices.Sorted(maps.Keys(marks.Tags()))
		}
	}
	return nil
}
