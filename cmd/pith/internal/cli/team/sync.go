package team

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/store/pgstore"
)

type syncFlags struct {
	connectFlags
	watch bool
	every time.Duration
}

func (a *Commands) syncCommand() *cobra.Command {
	var f syncFlags
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Pull and push all sessions",
		Long: `Pull all your sessions, then push all sessions of this machine. With --watch,
repeat until Ctrl+C.`,
		Example: `  pith team sync
  pith team sync --watch --interval 10s`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.every < time.Second {
				return exit.Usagef("invalid --interval %s: use 1s or more", f.every)
			}
			return a.sync(cmd.Context(), f)
		},
	}
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "repeat until Ctrl+C")
	cmd.Flags().DurationVar(&f.every, "interval", 5*time.Second, "with --watch: the `TIME` between runs")
	f.connectFlags.add(cmd, true)
	return cmd
}

func (a *Commands) sync(ctx context.Context, f syncFlags) error {
	away := false
	for first := true; ; first = false {
		err := a.syncOnce(ctx, f, !f.watch)
		if !f.watch || first && err != nil && !errors.Is(err, pgstore.ErrUnavailable) {
			return err // an error on the first try does not go away by itself
		}
		switch gone := errors.Is(err, pgstore.ErrUnavailable); {
		case ctx.Err() != nil:
			return ctx.Err()
		case gone && !away:
			a.Note("note: %v", err)
			away = true
		case !gone && away:
			a.Note("note: connected to the team database again")
			away = false
		}
		if err != nil && !errors.Is(err, pgstore.ErrUnavailable) {
			a.Note("%v", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(f.every):
		}
	}
}

// syncOnce pulls and pushes. It prints nothing unless something was copied or
// reported is set.
func (a *Commands) syncOnce(ctx context.Context, f syncFlags, reported bool) error {
	l, err := a.connect(ctx, f.connectFlags)
	if err != nil {
		return err
	}
	defer l.close()
	p, err := a.newPulling(ctx, l, pullFlags{connectFlags: f.connectFlags, all: true})
	if err != nil {
		return explain(err)
	}
	sessions, err := p.chosen(nil)
	if err != nil {
		return err
	}
	in, failed, err := p.run(ctx, sessions)
	if err != nil {
		return explain(err)
	}
	files, err := a.files(ctx, nil, true)
	if err != nil {
		return err
	}
	out, unsent, err := l.pushAll(ctx, files, pushFlags{all: true})
	if err != nil {
		return explain(err)
	}
	if reported || in.Pulled+out.Pushed > 0 {
		a.Out.Printf("pulled %s, %s; pushed %s, %s\n", humanize.Count(in.Pulled, "session"), humanize.Bytes(in.Bytes),
			humanize.Count(out.Pushed, "session"), humanize.Bytes(out.Bytes))
		if err := a.Out.Flush(); err != nil {
			return err
		}
	}
	if reported {
		p.notes(in)
		out.notes(a)
	}
	return a.report(append(failed, unsent...), "synced")
}
