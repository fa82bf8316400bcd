package housekeep

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/change"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

func setPin(m *marks.Marks, on bool)     { m.Pinned = on }
func setArchive(m *marks.Marks, on bool) { m.Archived = on }

func (a *Commands) Pin() *cobra.Command {
	return a.markCommand(&cobra.Command{
		Use:   "pin SESSION...",
		Short: "Keep sessions at the top of lists and out of gc",
		Long: `Pin sessions: pith ls lists them first, and pith gc never removes them. The
session file is not changed.`,
		Example: `  pith pin @
  pith unpin @`,
	}, "pinned", setPin)
}

func (a *Commands) Unpin() *cobra.Command {
	return off(a.markCommand(&cobra.Command{
		Use:     "unpin SESSION...",
		Short:   "Undo pin",
		Long:    "Remove the pins of sessions.",
		Example: "  pith unpin @",
	}, "pinned", setPin))
}

func (a *Commands) Archive() *cobra.Command {
	return a.markCommand(&cobra.Command{
		Use:   "archive SESSION...",
		Short: "Hide sessions from lists",
		Long: `Archive sessions: pith ls lists them only with --archived. Their files stay
where they are, and every command still finds them by ID or name.`,
		Example: `  pith archive 0199a 0199b
  pith ls --archived
  pith unarchive 0199a`,
	}, "archived", setArchive)
}

func (a *Commands) Unarchive() *cobra.Command {
	return off(a.markCommand(&cobra.Command{
		Use:     "unarchive SESSION...",
		Short:   "Undo archive",
		Long:    "List archived sessions again.",
		Example: "  pith unarchive 0199a",
	}, "archived", setArchive))
}

// off makes a command that sets a mark clear it.
func off(cmd *cobra.Command) *cobra.Command {
	_ = cmd.Flags().Set("off", "true") // markCommand added it
	return cmd
}

// markCommand completes a command that sets a mark, or clears it with the hidden flag
// --off.
func (a *Commands) markCommand(cmd *cobra.Command, done string, set func(m *marks.Marks, on bool)) *cobra.Command {
	var off, asJSON bool
	cmd.Args = flags.Takes(1, -1, -1)
	cmd.ValidArgsFunction = a.CompleteSession(-1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		word := done
		if off {
			word = "un" + done
		}
		return a.mark(cmd.Context(), args, word, asJSON, func(m *marks.Marks) { set(m, !off) })
	}
	cmd.Flags().BoolVar(&off, "off", false, "undo it")
	_ = cmd.Flags().MarkHidden("off") // the flag was just made
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
	a.Note("%s %s", humanize.Count(len(found), "session"), word)
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
		Short: "Show, add or remove tags",
		Long: `Show the tags of a session, add tags (+TAG or TAG) or remove them (-TAG).
Without a session, list all tags. A tag is one word. Flags go before the
session. The session file is not changed.`,
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
		a.Note("no tags; add one with pith tag SESSION +TAG")
	}
	for _, r := range records {
		a.Out.Printf("%s\t%d\n", termsafe.Line(r.Tag), r.Sessions)
	}
	return nil
}

func (a *Commands) tag(ctx context.Context, ref string, words []string, asJSON bool) error {
	for _, word := range words {
		if strings.HasPrefix(word, "--") {
			return exit.Usagef("invalid tag %q; flags go before the session", word)
		}
	}
	add, remove, err := change.ParseTags(words)
	if err != nil {
		return exit.Usagef("%w; use +TAG or -TAG", err)
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
		m, err = s.Update(found.ID, found.Path, func(m *marks.Marks) { change.Tag(m, add, remove) })
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
