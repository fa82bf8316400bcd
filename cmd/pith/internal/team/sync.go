package team

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/store/pgstore"
)

type syncFlags struct {
	redact *flags.OneOf
	watch  bool
	every  time.Duration
}

func (a *Commands) syncCommand() *cobra.Command {
	var f syncFlags
	cmd := &cobra.Command{
		Use:   "sync [DSN | DIR]",
		Short: "Keep the same sessions on your own machines",
		Long: `Pull all your sessions from your other machines, then push all sessions of this
machine: through a PostgreSQL database, or through a directory that something
else synchronizes, such as Syncthing, Dropbox, NFS or an rclone mount. Without
an argument, use PITH_STORE or store in pith's settings. With --watch, repeat
until Ctrl+C.

In a directory each machine writes only files of its own. Conflict copies and
files that have not arrived completely are left out until they are complete.`,
		Example: `  pith team sync ~/Sync/sessions
  pith team sync postgres://ana@db.example/pith
  pith team sync --watch --interval 10s`,
		Args: flags.Takes(0, 1, 0),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.every < time.Second {
				return exit.Usagef("invalid --interval %s: use 1s or more", f.every)
			}
			a.store = cmp.Or(strings.Join(args, ""), a.store)
			dir := ""
			if store := a.dsn(); store != "" && !isDSN(store) {
				var err error
				if dir, err = a.Directory(store); err != nil {
					return err
				}
			}
			return a.sync(cmd.Context(), dir, f)
		},
	}
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "repeat until Ctrl+C")
	cmd.Flags().DurationVar(&f.every, "interval", 5*time.Second, "with --watch: the `TIME` between runs")
	f.redact = redactFlag(cmd)
	return cmd
}

// isDSN reports whether an argument is a connection string, and not a directory.
func isDSN(text string) bool { return dsnStart.MatchString(text) }

var dsnStart = regexp.MustCompile(`^(postgres(ql)?://|\w+\s*=)`)

// away reports whether an error may go away by itself.
func away(err error) bool {
	return errors.Is(err, pgstore.ErrUnavailable) || errors.Is(err, fs.ErrNotExist)
}

// sync syncs with a directory, or with the database for "".
func (a *Commands) sync(ctx context.Context, dir string, f syncFlags) error {
	gone := false
	for first := true; ; first = false {
		err := a.syncOnce(ctx, dir, f, !f.watch)
		if !f.watch || first && err != nil && !errors.Is(err, pgstore.ErrUnavailable) {
			return err // an error on the first try does not go away by itself
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case away(err) && !gone:
			a.Note("note: %v", err)
			gone = true
		case !away(err) && gone:
			a.Note("note: connected again")
			gone = false
		}
		if err != nil && !away(err) {
			a.Note("%v", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(f.every):
		}
	}
}

// open opens what sync uses.
func (a *Commands) open(ctx context.Context, dir, policy string) (*link, error) {
	if dir == "" {
		return a.connect(ctx, policy)
	}
	folder, err := replica.NewFolder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Missingf("%s does not exist; create it once, or wait until it is mounted (%w)", dir, err)
	}
	if err != nil {
		return nil, err
	}
	own := a.Environment().AgentDir()
	if real, err := filepath.EvalSymlinks(dir); err == nil && (real == own || strings.HasPrefix(real, own+string(os.PathSeparator))) {
		return nil, exit.Usagef("%s contains the sessions themselves; choose another directory", dir)
	}
	return a.link(ctx, folder, "", dir, policy)
}

// syncOnce pulls and pushes. It prints nothing unless something was copied or
// reported is set.
func (a *Commands) syncOnce(ctx context.Context, dir string, f syncFlags, reported bool) error {
	l, err := a.open(ctx, dir, f.redact.Value)
	if err != nil {
		return err
	}
	defer l.close()
	p, err := a.newPulling(ctx, l, pullFlags{all: true})
	if err != nil {
		return explain(err)
	}
	in, failed, err := p.run(ctx, p.own())
	if err != nil {
		return explain(err)
	}
	files, err := a.files(ctx, nil, true)
	if err != nil {
		return err
	}
	out, unsent, err := l.pushAll(ctx, files, true, false)
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
