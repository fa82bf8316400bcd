// Package lookup is what all commands share about the user's sessions: where they
// and pith's own files are, the indexes over them, finding and opening the one
// that a reference names, listing them, and completing their names in a shell.
//
// What is wrong it says in words that a person can act on, with commands that can
// be copied.
package lookup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// Sessions are the user's sessions as every command finds, lists and opens them.
// The families of commands are built on it.
type Sessions struct {
	*Indexes
	NoColor bool
	team    *team
	command string // that is run, with its parents; "" before one was found
}

// New is the access of one run to the sessions.
func New(env console.Env) *Sessions {
	return &Sessions{Indexes: &Indexes{Places: &Places{Console: console.New(env)}}}
}

// SetUp settles what depends on the global flags.
func (a *Sessions) SetUp(cmd *cobra.Command) {
	a.command = cmd.CommandPath()
	if a.SessionDir != "" {
		cwd, err := a.Env.Cwd()
		if err != nil {
			cwd = "" // matters for a relative path alone, which then stays relative
		}
		a.SessionDir = sessiondir.ExpandPath(a.SessionDir, cwd)
	}
	a.Colors = tone.Palette{On: a.Out.Terminal && !a.NoColor && a.Env.Getenv("NO_COLOR") == "" && a.Env.Getenv("TERM") != "dumb"}
}

// Complain prints an error as one line.
func (a *Sessions) Complain(err error) {
	text := err.Error()
	if exit.Code(err) == exit.Usage && !exit.NamesHelp(err) {
		text += "; see " + cmp.Or(a.command, "pith") + " --help"
	}
	if errors.Is(err, fs.ErrPermission) && !errors.Is(err, store.ErrReadOnly) {
		text += "; check the permissions of the file and its folder"
	}
	var file *pith.FileError
	if errors.Is(err, pith.ErrNotSession) && errors.As(err, &file) && a.command != "pith doctor" && !errors.As(err, new(mendableError)) {
		text += "; see " + a.Hint("doctor", file.Path)
	}
	if foreign := (*format.ForeignError)(nil); errors.As(err, &foreign) {
		title := foreign.Source
		if p, ok := all.Find(foreign.Source); ok {
			title = p.Title()
		}
		text = fmt.Sprintf("read-only: a %s session; import it first: %s", title, a.Hint("import", foreign.Session))
	}
	if held := (*pith.HeldError)(nil); errors.As(err, &held) {
		text += fmt.Sprintf("; leave %s first, or add --force", held.Program)
	}
	fmt.Fprintf(a.Env.Stderr, "pith: %s\n", termsafe.Line(text))
}

// List are those of this project, or all, newest first. What cannot be read
// is told and passed over.
func (a *Sessions) List(ctx context.Context, all, internal bool) ([]catalog.Info, error) {
	return catalog.Sorted(a.Each(ctx, all, internal))
}

// Each yields the sessions of List as they are read, the one whose file was written last
// first. An error comes once, last.
func (a *Sessions) Each(ctx context.Context, all, internal bool) iter.Seq2[catalog.Info, error] {
	return func(yield func(catalog.Info, error) bool) {
		err := errors.Join(a.CheckSessionDir(), a.CheckSources())
		cwd := ""
		if err == nil && !all {
			cwd, err = a.Cwd()
		}
		if err != nil {
			yield(catalog.Info{}, err)
			return
		}
		o := a.Listing()
		o.IncludeInternal = internal
		o.Skipped = func(path string, err error) { a.Note("note: passed over %s: %v", path, Cause(err)) }
		bar := a.Progress("reading sessions")
		defer bar.Done()
		o.Progress = func(done, total int) { bar.At(int64(done), int64(total), humanize.Number) }
		if all {
			catalog.ListAll(ctx, o)(yield)
			return
		}
		catalog.List(ctx, cwd, o)(yield)
	}
}

// Nearest are those of this project, or all when it has none or is
// gone; all says which.
func (a *Sessions) Nearest(ctx context.Context) (infos []catalog.Info, all bool, err error) {
	if _, err := a.Env.Cwd(); err == nil {
		infos, err := a.List(ctx, false, false)
		if err != nil || len(infos) > 0 {
			return infos, false, err
		}
	}
	infos, err = a.List(ctx, true, false)
	return infos, true, err
}

// ShortIDs are the beginnings of the ids of sessions that name each of them among
// all sessions, whatever part of those a list shows.
func (a *Sessions) ShortIDs(ctx context.Context, infos []catalog.Info) map[string]string {
	cwd, err := a.Env.Cwd()
	if err != nil {
		cwd = ""
	}
	o := a.Listing()
	o.Sources = nil
	ids, err := catalog.IDs(ctx, cwd, o)
	if err != nil {
		ids = nil // the command ends soon
	}
	for i := range infos {
		ids = append(ids, infos[i].ID)
	}
	return catalog.ShortIDs(ids)
}

// ProjectAt tells whether a working directory is the project at a directory. The
// file system is asked once for each name.
func ProjectAt(dir string) func(cwd string) bool {
	known := map[string]bool{}
	return func(cwd string) bool {
		same, ok := known[cwd]
		if !ok {
			same = sessiondir.SameProject(dir, cwd)
			known[cwd] = same
		}
		return same
	}
}
