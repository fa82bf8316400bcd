package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
)

func (a *app) restoreCommand() *cobra.Command {
	var to string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "restore [ITEM]",
		Short: "Bring a session back from pith's trash; without ITEM, list the trash",
		Long: `Bring a session back to where it was, with its artifacts. ITEM is the id of an
item of the trash, the name of its file, or the id of the session in that name;
the beginning of one is enough. Nothing is overwritten: if something is at the
old place, choose another with --to.`,
		Example: `  pith restore
  pith restore 20260302-091412-k3xa
  pith restore 0199a --to ~/rescued.jsonl`,
		Args: takes(0, 1, 1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return a.completeTrash(args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				if to != "" {
					return usagef("--to needs an ITEM; see pith restore --help")
				}
				return a.listTrash(asJSON)
			}
			return a.restore(args[0], to, asJSON)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "restore to the file `PATH` instead of the old place")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (a *app) listTrash(asJSON bool) error {
	receipts, err := a.trashed()
	if err != nil {
		return err
	}
	if asJSON {
		return a.out.json(receiptRecords(receipts))
	}
	if len(receipts) == 0 {
		a.note("the trash is empty")
		return nil
	}
	for _, r := range receipts {
		where := ""
		if r.Artifacts {
			where = "  (with artifacts)"
		}
		if r.System {
			where = "  (in the system's trash)"
		}
		a.out.printf("%s  %s  %s%s\n", r.ID, termsafe.PadLeft(humanize.Bytes(r.Size), 6), termsafe.Line(a.homely(r.Path)), where)
	}
	a.note("bring one back with pith restore ID")
	return nil
}

// trashed is what is in the trash, newest first. Damaged items are told.
func (a *app) trashed() ([]trash.Receipt, error) {
	o, err := a.trash()
	if err != nil {
		return nil, err
	}
	receipts, err := trash.List(o)
	if err != nil && receipts == nil {
		return nil, err
	}
	if err != nil {
		a.note("note: %v", err)
	}
	return receipts, nil
}

func (a *app) restore(ref, to string, asJSON bool) error {
	receipts, err := a.trashed()
	if err != nil {
		return err
	}
	r, err := pickTrashed(receipts, ref)
	if err != nil {
		return err
	}
	o, err := a.trash()
	if err != nil {
		return err
	}
	if to != "" {
		cwd, err := a.cwd()
		if err != nil {
			return err
		}
		o.To = sessiondir.ExpandPath(to, cwd)
	}
	path, err := trash.Restore(r.ID, o)
	if err != nil {
		if to == "" && errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w; add --to PATH to restore it elsewhere", err)
		}
		return err
	}
	if asJSON {
		return a.out.json(struct {
			ID   string `json:"id"`
			Path jsText `json:"path"`
		}{r.ID, jsText(path)})
	}
	a.out.print(termsafe.Line(path) + "\n")
	return nil
}

// pickTrashed finds the item that a person means. What was removed several times
// under one name must be named by the item's id.
func pickTrashed(receipts []trash.Receipt, ref string) (trash.Receipt, error) {
	var matches []trash.Receipt
	for _, r := range receipts {
		file := filepath.Base(r.Path)
		_, id, _ := format.ParseFileName(file)
		switch {
		case r.ID == ref:
			return r, nil
		case strings.HasPrefix(r.ID, ref), r.Path == ref, strings.HasPrefix(file, ref), strings.HasPrefix(id, ref):
			matches = append(matches, r)
		}
	}
	switch len(matches) {
	case 0:
		return trash.Receipt{}, missingf("%q is not in the trash; pith restore lists what is", ref)
	case 1:
		return matches[0], nil
	}
	ids := make([]string, len(matches))
	for i, r := range matches {
		ids[i] = r.ID
	}
	return trash.Receipt{}, ambiguousf("%q fits %d items of the trash: %s; name one of these", ref, len(ids), strings.Join(ids[:min(len(ids), listedMatches)], ", "))
}
