package lookup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/sessiondir"
)

// adviseRepair adds to an ErrNotSession how to repair the file, if it is a
// session that lost its header.
func (a adviser) adviseRepair(ctx context.Context, err error, ref, cwd string) error {
	if !errors.Is(err, pith.ErrNotSession) {
		return err
	}
	path := sessiondir.ExpandPath(ref, cwd)
	if !ops.LostHeader(ctx, path) {
		return err
	}
	return repairableError{fmt.Errorf("%w: its header is missing; repair it with %s", err, a.Hint("doctor", path, "--fix"))}
}

// An adviser explains errors of references to sessions.
type adviser struct{ *Sessions }

// A repairableError is an error that explains how to repair a file.
type repairableError struct{ error }

func (e repairableError) Unwrap() error { return e.error }

// A directoryError is the advice for a directory that was named as a session.
type directoryError string

func (e directoryError) Error() string { return string(e) }

func (directoryError) Unwrap() error { return pith.ErrNotSession }

// advise adds to the error of a reference without a session what to do about
// it, with commands that can be copied (pitfall 177).
func (a adviser) advise(ctx context.Context, err error, ref, cwd string) error {
	if several, ok := errors.AsType[*catalog.AmbiguousError](err); ok {
		return exit.Ambiguousf("%s", a.describeMatches(ctx, several))
	}
	missing, named := errors.AsType[*catalog.NotFoundError](err)
	if named || errors.Is(err, pith.ErrNotSession) {
		dir := sessiondir.ExpandPath(ref, cwd)
		if info, serr := os.Stat(dir); serr == nil && info.IsDir() {
			isDir := directoryError(fmt.Sprintf("%s is a directory; pass a session file, or list its sessions with pith ls --all --session-dir %s", dir, quote(dir)))
			if named {
				return exit.Missingf("%s", isDir)
			}
			return isDir
		} else if named && serr == nil && info.Mode().IsRegular() {
			return exit.Missingf("%w; to read the file of that name, pass %s", err, quote("."+string(filepath.Separator)+ref))
		}
	}
	if !named {
		return a.adviseRepair(ctx, err, ref, cwd)
	}
	list := a.Hint("ls", "--all")
	switch {
	case missing.Path != "":
		return exit.Missingf("%w; %s lists sessions", err, list)
	case a.Demo() != nil && !a.HasAny(ctx):
		return exit.Missingf("%w", noSessionsError{err})
	case missing.Project != "" && missing.Searched == 0:
		return exit.Missingf("no sessions in %s yet; %s lists other projects", a.ShortPath(missing.Project), list)
	case missing.Project != "":
		return exit.Missingf("%w; %s lists other projects", err, list)
	}
	return exit.Missingf("%w; %s lists sessions", err, list)
}

// NoteNothingHere says that there are no sessions to work on, and where pith looked:
// in this project, or everywhere.
func (a *Sessions) NoteNothingHere(ctx context.Context, everywhere bool) {
	cwd := a.Env.Here()
	if !everywhere && cwd != "" && a.HasAny(ctx) {
		a.Note("no sessions in %s; %s lists other projects", a.ShortPath(cwd), a.Hint("ls", "--all"))
		return
	}
	var dirs []string
	for _, dir := range ops.Roots(a.App()) {
		if len(dirs) < ListedMatches {
			dirs = append(dirs, a.ShortPath(dir))
		}
	}
	if len(dirs) == 0 {
		dirs = []string{a.ShortPath(filepath.Join(a.Environment().AgentDir(), "sessions"))}
	}
	a.Note("no sessions found in %s; try pith demo", strings.Join(dirs, ", "))
}

// ListedMatches is the number of matches that an error lists.
const ListedMatches = 5

// Shorten replaces the error of a missing file by a shorter one.
func Shorten(err error) error {
	if file, ok := errors.AsType[*pith.FileError](err); ok && errors.Is(err, fs.ErrNotExist) {
		return exit.Missingf("no such file: %s", file.Path)
	}
	return err
}

// describeMatches lists the sessions that match a reference (pitfalls 64, 70).
func (a adviser) describeMatches(ctx context.Context, e *catalog.AmbiguousError) string {
	short := a.ShortIDs(ctx, e.Matches)
	files := map[string]int{} // by ID
	for i := range e.Matches {
		files[e.Matches[i].ID]++
	}
	var list []string
	for i := range e.Matches {
		if i == ListedMatches {
			list = append(list, fmt.Sprintf("%d more", len(e.Matches)-i))
			break
		}
		m := &e.Matches[i]
		title := m.Title()
		name := short[m.ID]
		if files[m.ID] > 1 {
			name = m.Path // a copy has the same ID
		}
		list = append(list, fmt.Sprintf("%s (%s, %s)", name, humanize.Time(m.Modified), termsafe.Fit(title, 30)))
	}
	const better = "use more of the ID, or the file"
	return fmt.Sprintf("%q matches %d sessions: %s; %s", e.Ref, len(e.Matches), strings.Join(list, ", "), better)
}
