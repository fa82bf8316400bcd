package team

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/replica"
)

type pushFlags struct {
	redact       *flags.OneOf
	all, replace bool
}

func (a *Commands) pushCommand() *cobra.Command {
	var f pushFlags
	cmd := &cobra.Command{
		Use:   "push [SESSION...]",
		Short: "Upload sessions to the team database",
		Long: `Upload new entries of sessions to the team database. Only you can read them
until you share them with pith team grant. An interrupted push can be repeated.

A file that lacks entries the database already has (for example, one restored
from a backup) is not pushed; run pith team pull first.`,
		Example: `  pith team push @
  pith team push --all
  pith team push --all --redact all`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.CompleteSession(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.dsn() == "" {
				return errNoStore
			}
			if err := chosen(args, f.all); err != nil {
				return err
			}
			return a.push(cmd.Context(), args, f)
		},
	}
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "push all sessions of this machine")
	cmd.Flags().BoolVar(&f.replace, "replace", false, "also push files that lack entries; the previous copy is kept as an old one")
	f.redact = redactFlag(cmd)
	return cmd
}

func (a *Commands) push(ctx context.Context, refs []string, f pushFlags) error {
	files, err := a.files(ctx, refs, f.all)
	if err != nil {
		return err
	}
	l, err := a.connect(ctx, f.redact.Value)
	if err != nil {
		return err
	}
	defer l.close()
	sum, failed, err := l.pushAll(ctx, files, f.all, f.replace)
	if err != nil {
		return explain(err)
	}
	if a.JSON {
		if err := a.Out.JSON(sum); err != nil {
			return err
		}
	} else {
		a.Out.Printf("pushed %s, %s; %s up to date\n", humanize.Count(sum.Pushed, "session"), humanize.Bytes(sum.Bytes), humanize.Number(int64(sum.Same)))
	}
	sum.notes(a)
	return a.report(failed, "pushed")
}

// A pushSum is the result of a push in JSON. docs/reference/json.md describes
// it.
type pushSum struct {
	Pushed   int      `json:"pushed"`
	Same     int      `json:"upToDate"`
	Bytes    int64    `json:"bytes"`
	Sessions []string `json:"sessions"`
	deleted  int      // deleted in the database
}

// notes prints what a person may want to know.
func (s pushSum) notes(a *Commands) {
	if s.deleted > 0 {
		a.Note("note: %s deleted in the team database and not pushed; pith team purge ID --undelete allows it again", humanize.Count(s.deleted, "session"))
	}
}

func (a *Commands) files(ctx context.Context, refs []string, all bool) ([]catalog.Ref, error) {
	if !all {
		return a.LocateAll(ctx, refs)
	}
	infos, err := a.local(ctx)
	if err != nil {
		return nil, err
	}
	files := make([]catalog.Ref, len(infos))
	for i := range infos {
		files[i] = catalog.Ref{Path: infos[i].Path, ID: infos[i].ID, Cwd: infos[i].Cwd}
	}
	return files, nil
}

// pushAll pushes files. After an error it does not try any further ones.
func (l *link) pushAll(ctx context.Context, files []catalog.Ref, all, replace bool) (pushSum, []failure, error) {
	sum := pushSum{Sessions: []string{}}
	files = l.onePerSession(files)
	var known *replica.Listing
	if all || len(files) > fewSessions {
		var err error
		if known, err = l.List(ctx, l.Person, ""); err != nil {
			return sum, nil, err
		}
	}
	total, moved := sizeOf(files), int64(0)
	l.moved = func(n int64) {
		moved += n
		l.app.Working("pushing", moved, total, humanize.Bytes)
	}
	var failed []failure
	for n, file := range files {
		info, err := foreign.Stat(file.Path)
		if err != nil {
			continue // deleted in the meantime
		}
		if all && known.Deleted[file.ID] {
			sum.deleted++
			continue
		}
		var done replica.Pushed
		if known == nil || !l.Unchanged(file.Path, file.ID, known) {
			if done, err = l.Push(ctx, file.Path, replica.PushOptions{Replace: replace, Known: known}); err == nil {
				l.memory.RecordPush(file.Path, l.Policy, info, done.Copy)
			}
		}
		switch {
		case err != nil && (fatal(err) || ctx.Err() != nil):
			return sum, failed, err
		case err != nil:
			failed = append(failed, failure{file.Path, err})
		case done.Bytes == 0:
			sum.Same++
		default:
			sum.Pushed++
			sum.Bytes += done.Bytes
			sum.Sessions = append(sum.Sessions, file.ID)
		}
		if n%100 == 99 {
			_ = l.save() // saved again at the end
		}
	}
	return sum, failed, nil
}

// fewSessions is the number of sessions up to which each takes a query of its
// own. For more, one listing of all is faster.
const fewSessions = 5

func sizeOf(files []catalog.Ref) (total int64) {
	for _, f := range files {
		if info, err := foreign.Stat(f.Path); err == nil {
			total += info.Size()
		}
	}
	return total
}

// onePerSession omits copies of a session's file, which would otherwise
// overwrite each other in turn. It keeps the one that was pushed before, else
// the first.
func (l *link) onePerSession(files []catalog.Ref) []catalog.Ref {
	before := map[string]string{}
	for path, g := range l.memory.Pushes {
		before[g.Session] = path
	}
	first := map[string]int{}
	var out []catalog.Ref
	for _, f := range files {
		i, twice := first[f.ID]
		switch {
		case !twice:
			first[f.ID] = len(out)
			out = append(out, f)
			continue
		case before[f.ID] == f.Path:
			out[i], f = f, out[i]
		}
		l.app.Note("note: not pushed: %s has the same ID as %s", f.Path, out[i].Path)
	}
	return out
}
