package repair

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
)

func (a *Commands) Migrate() *cobra.Command {
	var dryRun, asJSON bool
	cmd := &cobra.Command{
		Use:   "migrate SESSION...",
		Short: "Upgrade session files to the current format",
		Long: `Upgrade session files to the current format version. The file is replaced
atomically, and a backup is kept next to it. The first write to an old file does
the same.`,
		Example: `  pith migrate --dry-run old.jsonl
  pith migrate old.jsonl`,
		Args:              flags.Takes(1, -1, -1),
		ValidArgsFunction: a.CompleteSession(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.migrate(cmd.Context(), args, dryRun, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&dryRun, "dry-run", "n", false, "only show the changes")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

type migrationRecord struct {
	File    view.Text  `json:"path"`
	From    int        `json:"from"`
	To      int        `json:"to"`
	Entries int        `json:"entries"`
	Needed  bool       `json:"needed"`
	Done    bool       `json:"done"`
	Backup  *view.Text `json:"backup"`
}

func (a *Commands) migrate(ctx context.Context, refs []string, dryRun, asJSON bool) error {
	found, err := a.LocateAll(ctx, refs)
	if err != nil {
		return err
	}
	records := []migrationRecord{}
	for i := range found {
		if err = ctx.Err(); err != nil {
			break
		}
		var r migrationRecord
		if r, err = a.migrateFile(ctx, found[i].Path, found[i].Version, dryRun); err != nil {
			break
		}
		records = append(records, r)
		if !asJSON {
			a.printMigration(r)
		}
	}
	if asJSON { // also after a failure
		return errors.Join(a.Out.JSON(records), err)
	}
	return err
}

// migrateFile migrates one file to the current version. A newer version is an
// error.
func (a *Commands) migrateFile(ctx context.Context, path string, version int, dryRun bool) (r migrationRecord, err error) {
	s, err := pith.Open(ctx, path, a.Engine())
	if err != nil {
		return r, err
	}
	defer lookup.Close(s, &err)
	if err := s.Header().CheckWritable(); err != nil {
		return r, fmt.Errorf("migrate %s: %w", path, err)
	}
	r = migrationRecord{File: view.Text(path), From: version, To: format.Version, Entries: s.View().Len(), Needed: s.NeedsMigration()}
	if dryRun || !r.Needed {
		return r, nil
	}
	backup, err := s.Migrate(ctx)
	r.Done, r.Backup = err == nil, view.TextOrNull(backup)
	return r, err
}

func (a *Commands) printMigration(r migrationRecord) {
	file := termsafe.Line(string(r.File))
	switch {
	case !r.Needed:
		a.Out.Printf("%s: version %d, nothing to do\n", file, r.From)
	case r.Backup != nil:
		a.Out.Printf("%s: version %d to %d, %s; backup: %s\n", file, r.From, r.To, humanize.Count(r.Entries, "entry"), termsafe.Line(string(*r.Backup)))
	default:
		a.Out.Printf("%s: would upgrade version %d to %d, %s; %s\n", file, r.From, r.To, humanize.Count(r.Entries, "entry"), changesFrom(r.From))
	}
}

// changesFrom describes the migration from version v to the next.
func changesFrom(v int) string {
	switch v {
	case 1:
		return "adds an ID and a parent to every entry"
	case 2:
		return "turns hook messages into custom messages"
	}
	return "adds missing IDs"
}
