package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/housekeeping/marks"
)

func (a *app) pinCommand() *cobra.Command {
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

func (a *app) archiveCommand() *cobra.Command {
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
func (a *app) markCommand(cmd *cobra.Command, done string, set func(m *marks.Marks, on bool)) *cobra.Command {
	var off, asJSON bool
	cmd.Args = takes(1, -1, -1)
	cmd.ValidArgsFunction = a.completeSession(-1)
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

// mark changes the marks of sessions; if one of them cannot be found, none.
func (a *app) mark(ctx context.Context, refs []string, word string, asJSON bool, change func(*marks.Marks)) error {
	found, err := a.locateAll(ctx, refs)
	if err != nil {
		return err
	}
	s, err := a.shelf()
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
			a.out.print(termsafe.Line(found[i].Path) + "\n")
		}
	}
	if asJSON {
		return a.out.json(records)
	}
	a.note("%s: %s", humanize.Count(len(found), "session"), word)
	return nil
}
