package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) cloneCommand() *cobra.Command {
	var at string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "clone SESSION",
		Short: "Make a new session of the active path",
		Long: `Make a new session of the path from the first entry to the one at which the
session stands, or to --at, beside the old one, and print its id and its file.
Entries keep their ids, labels and the name come along. The source is not
changed.`,
		Example: `  pith clone @
  pith clone @ --at root-cause`,
		Args:              takes(1, 1, 1),
		ValidArgsFunction: a.completeSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.clone(cmd.Context(), args[0], at, asJSON)
		},
	}
	cmd.Flags().StringVar(&at, "at", "", "take the path to `ENTRY`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	a.completeEntryFlag(cmd, "at")
	return cmd
}

func (a *app) clone(ctx context.Context, ref, at string, asJSON bool) (err error) {
	source, err := a.openForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer closing(source, &err)
	id, err := atFlag(source, at, at != "")
	if err != nil {
		return err
	}
	s, err := source.Extract(ctx, id)
	if err != nil {
		return err
	}
	defer closing(s, &err)
	return a.printNewSession(s, asJSON, nil)
}
