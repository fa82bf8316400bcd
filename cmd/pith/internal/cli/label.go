package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
)

func (a *app) labelCommand() *cobra.Command {
	var clear, asJSON bool
	cmd := &cobra.Command{
		Use:   "label SESSION ENTRY [TEXT...]",
		Short: "Show, set or clear the label of an entry",
		Long: `Show the label of an entry, or set it. A label marks an entry in the tree and is
another name for it in every command. It does not move the session's position.`,
		Example: `  pith label @ 8f3a2b1c root-cause
  pith label @ root-cause
  pith label @ root-cause --clear`,
		Args:              takes(2, -1, 2),
		ValidArgsFunction: a.completeSession(1, a.completeEntries),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.label(cmd.Context(), args[0], args[1], args[2:], clear, asJSON)
		},
	}
	cmd.Flags().BoolVar(&clear, "clear", false, "take the label away")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func (a *app) label(ctx context.Context, ref, entry string, words []string, clear, asJSON bool) (err error) {
	text := format.CleanName(strings.Join(words, " "))
	if len(words) > 0 && clear {
		return usagef("a label and --clear are both given; use one of them")
	}
	if len(words) > 0 && text == "" {
		return usagef("the label is empty; to take the label away use --clear")
	}
	show := len(words) == 0 && !clear
	var s *pith.Session
	if show {
		s, err = a.openForReading(ctx, ref)
	} else {
		s, err = a.openForWriting(ctx, ref, pith.Refuse)
	}
	if err != nil {
		return err
	}
	defer closing(s, &err)
	id, err := entryOf(s, entry)
	if err != nil {
		return err
	}
	if !show {
		if _, err := s.SetLabel(id, text); err != nil {
			return err
		}
	}
	return a.printLabel(s, id, asJSON)
}

func (a *app) printLabel(s *pith.Session, id string, asJSON bool) error {
	label := s.Label(id)
	if asJSON {
		return a.out.json(struct {
			Session jsText  `json:"session"`
			Entry   jsText  `json:"entry"`
			Label   *jsText `json:"label"`
		}{jsText(s.ID()), jsText(id), jsTextOrNull(label)})
	}
	if label == "" {
		a.note("entry %s has no label", id)
		return nil
	}
	a.out.print(termsafe.Line(label) + "\n")
	return nil
}
