package housekeep

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

func (a *Commands) Pin() *cobra.Command {
	return a.markCommand(&cobra.Command{
		Use:   "pin SESSION...",
		Short: "Pin sessions: listed first, never collected",
		Long: `Pin sessions: pith ls lists them first, and pith gc never removes them. The
session itself is not changed; pins are kept in pith's own state folder, by the
id of the session.`,
		Example: `  pith pin @
  pith pin --off 0199a`,
	}, "pinned", func(m *marks.Marks, on bool) { m.Pinned = on })
}

func (a *Commands) Archive() *cobra.Command {
	return a.markCommand(&cobra.Command{
		Use:   "archive SESSION...",
		Short: "Archive sessions: left out of lists",
		Long: `Archive sessions: pith ls leaves them out unless it is asked for them. They stay
where they are, and are found, opened and resumed by name as before. The session
itself is not changed.`,
		Example: `  pith archive 0199a 0199b
  pith archive --off 0199a`,
	}, "archived", func(m *marks.Marks, on bool) { m.Archived = on })
}

// markCommand completes a command that sets or clears one mark.
func (a *Commands) markCommand(cmd *cobra.Command, done string, set func(m *marks.Marks, on bool)) *cobra.Command {
	var off, asJSON bool
	cmd.Args = flags.Takes(1, -1, -1)
	cmd.ValidArgsFunction = a.CompleteSession(-1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		word := done
		if off {
			word = "not " + done
		}
		return a.mark(cmd.Context(), args, word, asJSON, func(m *marks.Marks) { set(m, !off) })
	}
	cmd.Flags().BoolVar(&off, "off", false, "take it back")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// mark changes the marks of sessions; if one of them cannot be found, of none.
func (a *Commands) mark(ctx context.Context, refs []string, word string, asJSON bool, change func(*marks.Marks)) error {
	found, err := a.LocateAll(ctx, refs)
	if err != nil {
		return err
	}
	s, err := a.OpenMarks()
	if err != nil {
		return err
	}
	records := []markRecord{}
	for i := range found {
		m, err := s.Update(found[i].ID, found[i].Path, change)
		if err != nil {
			return err
		}
		records = append(records, markRecordOf(&found[i], m))
		if !asJSON {
			a.Out.Print(termsafe.Line(cmp.Or(lookup.Original(found[i].Path), found[i].Path)) + "\n")
		}
	}
	if asJSON {
		return a.Out.JSON(records)
	}
	a.Note("%s: %s", humanize.Count(len(found), "session"), word)
	return nil
}

// markRecord contains the marks of a session in JSON.
type markRecord struct {
	ID   view.Text `json:"id"`
	Path view.Text `json:"path"`
	view.Marks
}

func markRecordOf(of *catalog.Ref, m marks.Marks) markRecord {
	return markRecord{view.Text(of.ID), view.Text(of.Path), view.Marked(m)}
}

func (a *Commands) Tag() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "tag [flags] [SESSION [+TAG | -TAG]...]",
		Short: "Show or change the tags of a session",
		Long: `Give a session tags, take them away, or show them; without a session, list all
tags and how many sessions have them. A tag is one word; +TAG or TAG gives it,
-TAG takes it away. Flags go before the session. The session itself is not
changed.`,
		Example: `  pith tag @ +bug -draft
  pith tag @
  pith tag`,
		Args:                  flags.Takes(0, -1, -1),
		ValidArgsFunction:     a.CompleteSession(1),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listTags(asJSON)
			}
			return a.tag(cmd.Context(), args[0], args[1:], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().SetInterspersed(false) // tags follow the session, also those with a minus
	return cmd
}

type tagRecord struct {
	Tag      string `json:"tag"`
	Sessions int    `json:"sessions"`
}

func (a *Commands) listTags(asJSON bool) error {
	s, err := a.OpenMarks()
	if err != nil {
		return err
	}
	counts := s.Tags()
	records := []tagRecord{}
	for _, tag := range slices.Sorted(maps.Keys(counts)) {
		records = append(records, tagRecord{tag, counts[tag]})
	}
	if asJSON {
		return a.Out.JSON(records)
	}
	if len(records) == 0 {
		a.Note("there are no tags; give one with pith tag SESSION +TAG")
	}
	for _, r := range records {
		a.Out.Printf("%s\t%d\n", termsafe.Line(r.Tag), r.Sessions)
	}
	return nil
}

func (a *Commands) tag(ctx context.Context, ref string, words []string, asJSON bool) error {
	give, take, err := tagChanges(words)
	if err != nil {
		return err
	}
	found, err := a.Locate(ctx, ref)
	if err != nil {
		return err
	}
	s, err := a.OpenMarks()
	if err != nil {
		return err
	}
	m := s.Of(found.ID)
	if len(words) > 0 {
		m, err = s.Update(found.ID, found.Path, func(m *marks.Marks) {
			m.Tags = slices.DeleteFunc(append(m.Tags, give...), func(tag string) bool { return slices.Contains(take, tag) })
		})
		if err != nil {
			return err
		}
	}
	if asJSON {
		return a.Out.JSON(markRecordOf(&found, m))
	}
	for _, tag := range m.Tags {
		a.Out.Print(termsafe.Line(tag) + "\n")
	}
	return nil
}

// tagChanges returns the tags to add and to remove.
func tagChanges(words []string) (give, take []string, err error) {
	for _, word := range words {
		tag, away := strings.CutPrefix(word, "-")
		if strings.HasPrefix(tag, "-") {
			return nil, nil, exit.Usagef("%q is no tag; flags go before the session", word)
		}
		if !away {
			tag = strings.TrimPrefix(tag, "+")
		}
		if err := marks.CheckTag(tag); err != nil {
			return nil, nil, exit.Usagef("%w; write +TAG or -TAG", err)
		}
		if away {
			take = append(take, tag)
		} else {
			give = append(give, tag)
		}
	}
	return give, take, nil
}
