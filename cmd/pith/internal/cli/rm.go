package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/housekeeping/trash"
)

func (a *app) rmCommand() *cobra.Command {
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "rm SESSION...",
		Short: "Move sessions to the trash",
		Long: `Move sessions to the trash: to the system's, where there is a command called
trash, otherwise to pith's own, from which pith restore brings them back. The
artifacts of a session, such as the sessions of its subagents, in the folder
beside its file, go with it. On a terminal pith asks first; elsewhere --yes is
needed. If one of the sessions cannot be found, none is moved.`,
		Example: `  pith rm 0199a
  pith rm --yes 0199a 0199b
  pith restore`,
		Args:              takes(1, -1, -1),
		ValidArgsFunction: a.completeSession(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.rm(cmd.Context(), args, yes, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array of what was moved")
	return cmd
}

func (a *app) rm(ctx context.Context, refs []string, yes, asJSON bool) error {
	found, err := a.locateAll(ctx, refs)
	if err != nil {
		return err
	}
	o, err := a.trash()
	if err != nil {
		return err
	}
	if !yes {
		if err := a.confirmRemoval(ctx, found); err != nil {
			return err
		}
	}
	receipts := []trash.Receipt{}
	for i := range found {
		if err = ctx.Err(); err != nil {
			break
		}
		var r trash.Receipt
		r, err = trash.Put(found[i].Path, o)
		if r.ID != "" {
			receipts = append(receipts, r)
			if !asJSON {
				a.printRemoval(r)
			}
		}
		if err != nil {
			break
		}
	}
	if asJSON { // what was moved before something failed is told too
		return errors.Join(a.out.json(receiptRecords(receipts)), err)
	}
	return err
}

// locateAll finds all sessions before anything happens to one. The same one
// named twice counts once. A symbolic link stands for its file.
func (a *app) locateAll(ctx context.Context, refs []string) ([]catalog.Ref, error) {
	var all []catalog.Ref
	seen := map[string]bool{}
	for _, ref := range refs {
		found, err := a.locate(ctx, ref)
		if err != nil {
			return nil, err
		}
		if real, err := filepath.EvalSymlinks(found.Path); err == nil {
			found.Path = real
		}
		if !seen[found.Path] {
			seen[found.Path] = true
			all = append(all, found)
		}
	}
	return all, nil
}

// trash says where removed sessions go.
func (a *app) trash() (trash.Options, error) {
	dir, err := a.dataDir("trash")
	return trash.Options{Dir: dir, Command: "trash"}, err
}

// confirmRemoval asks a person. Where none can answer it refuses.
func (a *app) confirmRemoval(ctx context.Context, found []catalog.Ref) error {
	if !a.canAsk() {
		return usagef("nobody can be asked here; add --yes to move %s to the trash", humanize.Count(len(found), "session"))
	}
	infos, err := a.facts(ctx, found)
	if err != nil {
		return err
	}
	for i := range infos {
		s := &infos[i]
		title := s.Title()
		also := ""
		if beside := trash.Measure(s.Path); beside.Files > 0 {
			also = fmt.Sprintf(", with artifacts: %s, %s", humanize.Count(beside.Files, "file"), humanize.Bytes(beside.Bytes))
		}
		fmt.Fprintf(a.env.Stderr, "%s  %s  %s%s\n", humanize.Time(s.Modified), termsafe.Fit(title, 50), termsafe.Line(s.Path), also)
	}
	fmt.Fprintf(a.env.Stderr, "move %s to the trash? [y/N] ", humanize.Count(len(infos), "session"))
	answer, err := a.readLine(ctx)
	if err != nil {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errDeclined
}

func (a *app) printRemoval(r trash.Receipt) {
	a.out.print(termsafe.Line(r.Path) + "\n")
	if r.System {
		a.note("moved to the system's trash; restore it there")
		return
	}
	a.note("moved to the trash; bring it back with pith restore %s", r.ID)
}

type receiptRecord struct {
	ID        string `json:"id"`
	Path      jsText `json:"path"`
	Time      string `json:"time"`
	Size      int64  `json:"size"`
	System    bool   `json:"system"`
	Artifacts bool   `json:"artifacts,omitempty"`
}

func receiptRecords(list []trash.Receipt) []receiptRecord {
	out := make([]receiptRecord, len(list))
	for i, r := range list {
		out[i] = receiptRecord{r.ID, jsText(r.Path), *timeOrNull(r.Time), r.Size, r.System, r.Artifacts}
	}
	return out
}
