// Package lookup gives commands access to the user's sessions. It locates them
// and pith's own files, opens their indexes, finds and opens the session that a
// reference names, lists sessions, and completes their names in a shell.
//
// Its errors explain what to do, with commands that can be copied.
package lookup

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/internal/near"
	"github.com/pith-sessions/pith/sessiondir"
)

// Sessions finds, lists and opens the user's sessions. All commands are built
// on it.
type Sessions struct {
	*Indexes
	NoColor bool
	// JSON asks for results in JSON.
	JSON    bool
	command string // the running command with its parents; "" before it is known
}

// New returns the access of one run to the sessions.
func New(env console.Env) *Sessions {
	return &Sessions{Indexes: &Indexes{Places: &Places{Console: console.New(env)}}}
}

// SetUp applies the global flags.
func (a *Sessions) SetUp(cmd *cobra.Command) {
	a.command = cmd.CommandPath()
	if a.SessionDir != "" {
		a.SessionDir = sessiondir.ExpandPath(a.SessionDir, a.Env.Here()) // without a directory, a relative path stays relative
	}
	a.Colors = tone.Palette{On: a.Out.Terminal && !a.NoColor && a.Env.Getenv("NO_COLOR") == "" && a.Env.Getenv("TERM") != "dumb"}
}

// Complain prints an error as one line.
func (a *Sessions) Complain(err error) {
	text := ops.Explain(err, a.Hint)
	if exit.Code(err) == exit.Usage && !exit.NamesHelp(err) {
		text += "; see " + cmp.Or(a.command, "pith") + " --help"
	}
	file, ok := errors.AsType[*pith.FileError](err)
	if ok && errors.Is(err, pith.ErrNotSession) && a.command != "pith doctor" && !errors.As(err, new(repairableError)) {
		text += "; see " + a.Hint("doctor", file.Path)
	}
	fmt.Fprintf(a.Env.Stderr, "pith: %s\n", termsafe.Line(text))
}

// List returns the sessions of this project, or all, newest first. It notes and
// skips files that it cannot read.
func (a *Sessions) List(ctx context.Context, all, internal bool) ([]catalog.Info, error) {
	err := errors.Join(a.CheckSessionDir(), a.CheckSources())
	cwd := ""
	if err == nil && !all {
		cwd, err = a.Cwd()
	}
	if err != nil {
		return nil, err
	}
	return ops.Infos(ctx, a.App(), cwd, internal)
}

// Nearest returns the sessions of this project, or all sessions if it has none
// or is gone. The result all reports which.
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

// NearSession returns the session that a mistyped reference probably means, by its name
// or its ID, or "".
func (a *Sessions) NearSession(ctx context.Context, word string) string {
	a.Quiet = true
	infos, err := a.List(ctx, true, false)
	if err != nil {
		return ""
	}
	var names, ids []string
	short := a.ShortIDs(ctx, infos)
	for i := range infos {
		names, ids = append(names, infos[i].Name), append(ids, short[infos[i].ID])
	}
	return cmp.Or(near.Word(word, names), near.Word(word, ids))
}

// ShortIDs returns the shortest prefixes of session IDs that are unique among
// all sessions, including those that the list omits.
func (a *Sessions) ShortIDs(ctx context.Context, infos []catalog.Info) map[string]string {
	return ops.ShortIDs(ctx, a.App(), infos)
}

// ProjectAt returns a function that reports whether a working directory belongs
// to the project at dir. It asks the file system once for each name.
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
