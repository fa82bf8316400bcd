package show

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/subagent"
)

// openToRead opens what a reference names: a session, or a file with the record of a
// run, which is read like one.
func (a *Commands) openToRead(ctx context.Context, ref string) (*pith.Session, catalog.Ref, error) {
	found, err := a.Locate(ctx, ref)
	var s *pith.Session
	if err == nil {
		s, err = a.Read(ctx, found)
	}
	path := found.Path
	if file := (*pith.FileError)(nil); errors.Is(err, pith.ErrNotSession) && errors.As(err, &file) {
		path = file.Path
	} else if err != nil || !s.NeedsMigration() { // to which lines without ids seem old
		return s, found, err
	}
	record, ok := subagent.FileSource(path)
	if !ok {
		return s, found, err
	}
	if s != nil {
		lookup.Close(s, &err)
	}
	s, err = record.Session(ctx, path, nil)
	return s, catalog.Ref{Path: path, Version: format.Version}, err
}

// openRun opens the conversation of a run that a session tells of. The run is named
// by the entry of its call or result, and if there are several by its number too.
func (a *Commands) openRun(ctx context.Context, s *pith.Session, name string) (*pith.Session, error) {
	ref, number, numbered := strings.Cut(name, "/")
	id, err := lookup.EntryOf(s, ref)
	if err != nil {
		return nil, err
	}
	r, err := subagent.Read(ctx, s, subagent.Options{AllBranches: true, Environment: a.Environment()})
	if err != nil {
		return nil, err
	}
	var runs, called []subagent.Run
	for i := range r.Invocations {
		switch inv := &r.Invocations[i]; id {
		case inv.ResultEntry:
			runs = append(runs, inv.Runs...)
		case inv.CallEntry:
			called = append(called, inv.Runs...)
		}
	}
	if len(runs) == 0 {
		runs = called
	}
	n, err := strconv.Atoi(number)
	switch {
	case len(runs) == 0:
		return nil, exit.Missingf("entry %s runs no subagent; see %s", id, a.Hint("subagents", lookup.Name(s), "--all-branches"))
	case !numbered && len(runs) > 1:
		return nil, exit.Usagef("entry %s ran %d subagents; say which: %s/1 to %s/%d", id, len(runs), id, id, len(runs))
	case !numbered:
		n = 1
	case err != nil || n < 1 || n > len(runs):
		return nil, exit.Missingf("entry %s has no run %q; it has %d", id, number, len(runs))
	}
	source := runs[n-1].Source
	if source.Kind == "" {
		return nil, exit.Missingf("of run %s nothing is left; see %s", name, a.Hint("subagents", lookup.Name(s), "--all-branches"))
	}
	return source.Session(ctx, s.File(), &format.Header{Version: format.Version, ID: s.ID(), Timestamp: s.Header().Timestamp, Cwd: s.Cwd()})
}

// runHint is the command that shows a run of a session.
func (a *Commands) runHint(file string, inv *subagent.Invocation, n int) string {
	return a.Hint("show", file, "--run", runName(inv, n))
}

// runName is how a run of a call is named on the command line.
func runName(inv *subagent.Invocation, n int) string {
	entry := cmp.Or(inv.ResultEntry, inv.CallEntry) // one message may hold several calls
	if len(inv.Runs) == 1 {
		return entry
	}
	return fmt.Sprintf("%s/%d", entry, n+1)
}
