package list

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// completeTags suggests the tags that sessions have.
func (a *Commands) completeTags(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	s, err := a.OpenMarks()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Sorted(maps.Keys(s.Tags())), cobra.ShellCompDirectiveNoFileComp
}

// filterFlags are the flags that select sessions, as typed.
type filterFlags struct {
	since, until, model, name string
	status                    []string
	minSize, maxSize          string
}

func (f *filterFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.since, "since", "", "only sessions used since `TIME`: 2026-01-31, 12h, 7d, yesterday, last-week")
	cmd.Flags().StringVar(&f.until, "until", "", "only sessions last used until `TIME`")
	cmd.Flags().StringVar(&f.model, "model", "", "only sessions whose last model contains `TEXT`")
	cmd.Flags().StringVar(&f.name, "name", "", "only sessions whose name contains `TEXT`")
	cmd.Flags().StringSliceVar(&f.status, "status", nil, "only sessions with this `STATUS`, or with one of several: "+statusWords())
	cmd.Flags().StringVar(&f.minSize, "min-size", "", "only sessions of at least `SIZE`, like 500KB or 10MB")
	cmd.Flags().StringVar(&f.maxSize, "max-size", "", "only sessions of at most `SIZE`")
	_ = cmd.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(flags.Words(catalog.Statuses), cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
}

func statusWords() string { return strings.Join(flags.Words(catalog.Statuses), ", ") }

func (f *filterFlags) filter(now time.Time) (catalog.Filter, error) {
	out := catalog.Filter{Model: f.model, Name: f.name}
	var err error
	if out.Since, err = flags.Time("since", f.since, now, catalog.ParseMoment); err != nil {
		return out, err
	}
	if out.Until, err = flags.Time("until", f.until, now, catalog.ParseEnd); err != nil {
		return out, err
	}
	if out.MinSize, err = flags.Size("min-size", f.minSize); err != nil {
		return out, err
	}
	if out.MaxSize, err = flags.Size("max-size", f.maxSize); err != nil {
		return out, err
	}
	for _, word := range f.status {
		if !slices.Contains(catalog.Statuses, catalog.Status(word)) {
			return out, exit.Usagef("invalid --status %q: use %s", word, statusWords())
		}
		out.Statuses = append(out.Statuses, catalog.Status(word))
	}
	return out, nil
}

// markFlags select sessions by their marks.
type markFlags struct {
	tags     []string
	archived bool
}

func (f *markFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.tags, "tag", nil, "only sessions with this `TAG`, or with all of several")
	cmd.Flags().BoolVar(&f.archived, "archived", false, "list archived sessions only")
}

// choose returns the sessions that chooses reports. hidden is the number of
// sessions that are left out only because they are archived.
func (f *markFlags) choose(infos []catalog.Info, of func(id string) marks.Marks) (chosen []catalog.Info, hidden int) {
	chosen = slices.DeleteFunc(infos, func(i catalog.Info) bool {
		listed, archived := f.chooses(&i, of(i.ID))
		if archived {
			hidden++
		}
		return !listed
	})
	return chosen, hidden
}

// chooses reports whether a session with these marks is listed, and whether it
// is left out only because it is archived.
func (f *markFlags) chooses(i *catalog.Info, m marks.Marks) (chosen, hidden bool) {
	if slices.ContainsFunc(f.tags, func(tag string) bool { return !m.Has(tag) }) {
		return false, false
	}
	archived := m.Archived || i.Archived
	return archived == f.archived, archived && !f.archived
}
