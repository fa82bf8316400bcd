package housekeep

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

type restoreFlags struct {
	to, olderThan   string
	all, purge, yes bool
}

// trashedTitle returns the name or the first message of a session in the trash,
// in one line, or "" if it cannot be read.
func (a *Commands) trashedTitle(ctx context.Context, r trash.Receipt) string {
	return layout.Flatten(ops.TrashedTitle(ctx, a.App(), &r))
}

// empty removes items from the trash: back to where they were, or permanently.
func (a *Commands) empty(ctx context.Context, refs []string, f restoreFlags) error {
	items, err := a.chosenItems(ctx, refs, f)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		a.Note("nothing in the trash matches")
	}
	if f.purge {
		return a.purge(ctx, items, f)
	}
	var failed []error
	for _, r := range items {
		if err := a.restore(ctx, r, f.to); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// chosenItems returns the items that the command line selects.
func (a *Commands) chosenItems(ctx context.Context, refs []string, f restoreFlags) ([]trash.Receipt, error) {
	switch {
	case len(refs) > 0 && (f.all || f.olderThan != ""):
		return nil, exit.Usagef("ITEM and --all or --older-than cannot be used together")
	}
	before, err := flags.Time("older-than", f.olderThan, a.Env.Now())
	if err != nil {
		return nil, err
	}
	receipts, err := a.trashed()
	if err != nil {
		return nil, err
	}
	if len(refs) == 0 {
		return slices.DeleteFunc(receipts, func(r trash.Receipt) bool {
			return !f.purge && r.System || !before.IsZero() && !r.Time.Before(before)
		}), nil
	}
	var items []trash.Receipt
	for _, ref := range refs {
		r, err := a.pickTrashed(ctx, receipts, ref)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(items, func(i trash.Receipt) bool { return i.ID == r.ID }) {
			items = append(items, r)
		}
	}
	return items, nil
}

// purge deletes items permanently.
func (a *Commands) purge(ctx context.Context, items []trash.Receipt, f restoreFlags) error {
	if !f.yes && len(items) > 0 {
		if err := a.confirmPurge(ctx, items); err != nil {
			return err
		}
	}
	var purged []trash.Receipt
	var err error
	for _, r := range items {
		if err = ctx.Err(); err != nil {
			break
		}
		if _, err = ops.Purge(ctx, a.App(), ops.ItemParams{ID: r.ID}); err != nil {
			break
		}
		purged = append(purged, r)
		if !a.JSON {
			a.Out.Print(termsafe.Line(r.Path) + "\n")
		}
	}
	if a.JSON { // items deleted before a failure are reported too
		return errors.Join(a.Out.JSON(ops.TrashRecords(purged)), err)
	}
	return err
}

func (a *Commands) confirmPurge(ctx context.Context, items []trash.Receipt) error {
	what := fmt.Sprintf("delete %s permanently", humanize.Count(len(items), "session"))
	if !a.CanAsk() {
		return exit.Usagef("not a terminal; pass --yes to %s", what)
	}
	return a.Confirm(ctx, what)
}
