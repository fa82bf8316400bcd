// Package housekeep implements the commands that change, move or remove
// whole sessions: mark, gc, move, rm, trash.
package housekeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/sessiondir"
)

// Commands are the commands of this package.
type Commands struct{ *lookup.Sessions }

// completeTrash suggests the items that pith can restore.
func (a *Commands) completeTrash(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	a.Quiet = true
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	receipts, _ := a.trashed() // none after an error
	var out []cobra.Completion
	for _, r := range receipts {
		if !r.System {
			out = append(out, cobra.CompletionWithDesc(r.ID, termsafe.Fit(a.ShortPath(r.Path), 60)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// TrashCommand is the command trash, with those below it.
func (a *Commands) TrashCommand() *cobra.Command {
	cmd := a.listCommand(&cobra.Command{
		Use:   "trash",
		Short: "List, restore or delete removed sessions",
		Long: `List the sessions that pith rm and pith gc moved to the trash, restore them, or
delete them permanently.`,
		Example: `  pith trash
  pith trash restore 20260302-091412-k3xa
  pith trash empty --older-than 30d`,
	})
	cmd.AddCommand(a.listCommand(&cobra.Command{
		Use: "list", Short: "List the sessions in the trash", Long: "List the sessions in the trash: item ID, size, title and original file.",
		Example: "  pith trash list",
	}), a.restoreCommand(), a.emptyCommand())
	return cmd
}

// listCommand completes a command that lists the trash.
func (a *Commands) listCommand(cmd *cobra.Command) *cobra.Command {
	cmd.Args = flags.Takes(0, 0, 0)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return a.listTrash(cmd.Context()) }
	return cmd
}

func (a *Commands) emptyCommand() *cobra.Command {
	f := restoreFlags{purge: true}
	cmd := &cobra.Command{
		Use:   "empty [ITEM...]",
		Short: "Delete sessions in the trash permanently",
		Long: `Permanently delete the sessions in the trash: all of them, the given items, or
with --older-than those removed before AGE. pith asks first; without a terminal,
pass --yes.`,
		Example: `  pith trash empty
  pith trash empty --older-than 30d --yes`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.completeTrash,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.all = len(args) == 0 && f.olderThan == ""
			return a.empty(cmd.Context(), args, f)
		},
	}
	cmd.Flags().StringVar(&f.olderThan, "older-than", "", "only sessions removed before `AGE`: 30d, 3mo, 2026-01-31")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *Commands) restoreCommand() *cobra.Command {
	var f restoreFlags
	cmd := &cobra.Command{
		Use:   "restore ITEM...",
		Short: "Restore sessions from the trash",
		Long: `Move sessions from the trash back to where they were, with their artifacts.
ITEM is an item ID from pith trash, a file name, a session ID or its start, or a
session title. Nothing is overwritten; --to restores to another file. Sessions of
other agents go back as they were, and only to where they were.`,
		Example: `  pith trash restore 20260302-091412-k3xa
  pith trash restore 0199a --to ~/rescued.jsonl
  pith trash restore --all`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.completeTrash,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.to != "" && len(args) != 1:
				return exit.Helpf("--to needs exactly one ITEM; see %s --help", cmd.CommandPath())
			case !f.all && len(args) == 0:
				return exit.Helpf("missing ITEM or --all; see %s --help", cmd.CommandPath())
			}
			return a.empty(cmd.Context(), args, f)
		},
	}
	cmd.Flags().StringVar(&f.to, "to", "", "restore to the file `PATH`")
	cmd.Flags().BoolVar(&f.all, "all", false, "restore everything in the trash")
	flags.Exclusive(cmd, "to", "all")
	return cmd
}

func (a *Commands) listTrash(ctx context.Context) error {
	receipts, err := a.trashed()
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Out.JSON(ops.TrashRecords(receipts))
	}
	if len(receipts) == 0 {
		a.Note("the trash is empty")
		return nil
	}
	for _, r := range receipts {
		where := ""
		if r.Artifacts {
			where = "  (with artifacts)"
		}
		if r.System {
			where = "  (in the system trash)"
		}
		if r.Set != nil {
			where = "  (" + termsafe.Line(r.Set.Source) + ")"
		}
		title := termsafe.Fit(a.trashedTitle(ctx, r), 50)
		if title != "" {
			title += "  "
		}
		a.Out.Printf("%s  %s  %s%s%s\n", r.ID, termsafe.PadLeft(humanize.Bytes(r.Size), 6), title, termsafe.Line(a.ShortPath(r.Path)), where)
	}
	a.Note("restore one with pith trash restore ITEM; delete all permanently with pith trash empty")
	return nil
}

// trashed returns the items in the trash, newest first. Damaged items are
// reported.
func (a *Commands) trashed() ([]trash.Receipt, error) {
	receipts, err := ops.Receipts(a.App())
	if err != nil && receipts == nil {
		return nil, err
	}
	if err != nil {
		a.Note("note: %v", err)
	}
	return receipts, nil
}

func (a *Commands) restore(ctx context.Context, r trash.Receipt, to string) error {
	p := ops.RestoreParams{ItemParams: ops.ItemParams{ID: r.ID}}
	if to != "" {
		cwd, err := a.Cwd()
		if err != nil {
			return err
		}
		p.To = sessiondir.ExpandPath(to, cwd)
	}
	path, err := ops.Restore(ctx, a.App(), p)
	if err != nil {
		if to == "" && errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w; use --to PATH to restore it to another file", err)
		}
		return err
	}
	if a.JSON {
		return a.Out.JSON(struct {
			ID   string `json:"id"`
			Path string `json:"path"`
		}{r.ID, path})
	}
	a.Out.Print(termsafe.Line(path) + "\n")
	return nil
}

// pickTrashed finds the item that a reference names: by its id or file, or else
// by its title. If several items have one name, the item's id is required.
func (a *Commands) pickTrashed(ctx context.Context, receipts []trash.Receipt, ref string) (trash.Receipt, error) {
	var matches []trash.Receipt
	for _, r := range receipts {
		file := filepath.Base(r.Path)
		_, id, _ := format.ParseFileName(file)
		switch {
		case r.ID == ref:
			return r, nil
		case strings.HasPrefix(r.ID, ref), r.Path == ref, strings.HasPrefix(file, ref), strings.HasPrefix(id, ref), r.Set != nil && strings.HasPrefix(r.Set.Session, ref):
			matches = append(matches, r)
		}
	}
	if len(matches) == 0 {
		for _, r := range receipts {
			if title := a.trashedTitle(ctx, r); title != "" && strings.EqualFold(title, ref) {
				matches = append(matches, r)
			}
		}
	}
	switch len(matches) {
	case 0:
		return trash.Receipt{}, exit.Missingf("%q is not in the trash; pith trash lists the items", ref)
	case 1:
		return matches[0], nil
	}
	ids := make([]string, len(matches))
	for i, r := range matches {
		ids[i] = r.ID
	}
	return trash.Receipt{}, exit.Ambiguousf("%q matches %d items in the trash: %s; use one of these IDs", ref, len(ids), strings.Join(ids[:min(len(ids), lookup.ListedMatches)], ", "))
}

func (a *Commands) Rm() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm SESSION...",
		Short: "Move sessions to the trash",
		Long: `Move sessions to the trash, with their artifacts (such as the sessions of
subagents). pith uses the system's trash command if there is one, and its own
trash otherwise; pith trash restore undoes it. pith asks first; without a
terminal, pass --yes. If one of the sessions does not exist, none is moved.

Sessions of Claude Code, Codex, Gemini CLI, Qwen Code, Copilot CLI and Kimi Code
go to pith's trash, with everything that belongs to them, unless the agent has
them open. The agent no longer lists them, and does again after a restore.`,
		Example: `  pith rm 0199a
  pith rm --yes 0199a 0199b
  pith trash`,
		Args:              flags.Takes(1, -1, -1),
		ValidArgsFunction: a.CompleteSession(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.rm(cmd.Context(), args, yes, a.JSON)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func (a *Commands) rm(ctx context.Context, refs []string, yes, asJSON bool) error {
	found, err := a.LocateAll(ctx, refs)
	if err != nil {
		return err
	}
	o, err := a.Trash()
	if err != nil {
		return err
	}
	plans := make([]*ops.Removal, len(found))
	for i := range found {
		if plans[i], err = ops.PlanRemoval(ctx, a.removal(found[i], o)); err != nil {
			return refused(err)
		}
	}
	if !yes {
		if err := a.confirmRemoval(ctx, found, plans); err != nil {
			return err
		}
	}
	receipts := []trash.Receipt{}
	for i := range found {
		if err = ctx.Err(); err != nil {
			break
		}
		var r trash.Receipt
		r, err = ops.Remove(ctx, a.removal(found[i], o))
		if r.ID != "" {
			receipts = append(receipts, r)
			if !asJSON {
				a.printRemoval(r)
			}
		}
		if err != nil {
			err = refused(err)
			break
		}
	}
	if asJSON { // sessions moved before a failure are reported too
		return errors.Join(a.Out.JSON(ops.TrashRecords(receipts)), err)
	}
	return err
}

// removal says how a session goes to the trash.
func (a *Commands) removal(session catalog.Ref, to trash.Options) ops.RemoveParams {
	return ops.RemoveParams{Session: session, Engine: a.Engine(), Catalog: a.Listing(), Trash: to}
}

// refused gives a refusal its exit code.
func refused(err error) error {
	if errors.As(err, new(*ops.OpenThereError)) || errors.As(err, new(*ops.DatabaseError)) || errors.As(err, new(*sources.NeededError)) || errors.As(err, new(*sources.PartError)) {
		return exit.Conflictf("%w", err)
	}
	return err
}

// confirmRemoval asks a person. If none can answer, it returns an error.
func (a *Commands) confirmRemoval(ctx context.Context, found []catalog.Ref, plans []*ops.Removal) error {
	if !a.CanAsk() {
		return exit.Usagef("not a terminal; pass --yes to move %s to the trash", humanize.Count(len(found), "session"))
	}
	infos, err := a.Facts(ctx, found)
	if err != nil {
		return err
	}
	for i := range infos {
		s := &infos[i]
		title := s.Title()
		also := ""
		if e := plans[i].Extent; e.Files > 0 {
			also = fmt.Sprintf(", with artifacts: %s, %s", humanize.Count(e.Files, "file"), humanize.Bytes(e.Bytes))
		}
		fmt.Fprintf(a.Env.Stderr, "%s  %s  %s%s\n", humanize.Time(s.Modified), termsafe.Fit(title, 50), termsafe.Line(plans[i].Path), also)
	}
	return a.Confirm(ctx, fmt.Sprintf("move %s to the trash", humanize.Count(len(infos), "session")))
}

func (a *Commands) printRemoval(r trash.Receipt) {
	a.Out.Print(termsafe.Line(r.Path) + "\n")
	if r.System {
		a.Note("moved to the system trash; restore it there")
		return
	}
	a.Note("moved to the trash; undo with pith trash restore %s", r.ID)
}
