package repair

import (
	"context"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
)

// reindex deletes the index that ls and search use and builds it again.
func (a *Commands) reindex(ctx context.Context) error {
	dir, err := a.NeedCacheDir()
	if err != nil {
		return err
	}
	if err := a.CheckSessionDir(); err != nil {
		return err
	}
	r, err := ops.Reindex(ctx, a.App(), dir)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Out.JSON(r)
	}
	a.Out.Printf("%s, %s; the index takes %s in %s\n", humanize.Count(r.Sessions, "session"), humanize.Bytes(r.Bytes), humanize.Bytes(r.Size), layout.OneLine(r.Dir))
	return nil
}
