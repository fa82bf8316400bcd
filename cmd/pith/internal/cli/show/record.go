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
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/subagent"
)

// openToRead opens the session that a reference names, or a file with the
// record of a subagent run, which is read like a session.
func (a *Commands) openToRead(ctx context.Context, ref string) (*pith.Session, catalog.Ref, error) {
	found, err := a.Locate(ctx, ref)
	if file := (*pith.FileError)(nil); errors.Is(err, pith.ErrNotSession) && errors.As(err, &file) {
		if _, ok := subagent.FileSource(file.Path); ok {
			found, err = catalog.Ref{Path: file.Path, Version: format.Version}, nil
		}
	}
	if err != nil {
		return nil, found, err
	}
	s, err := ops.Open(ctx, a.App(), found.Path)
	if err != nil {
		return nil, found, a.AdviseRepair(ctx, err, found.Path)
	}
	a.NoteUnknown(s)
	return s, found, nil
}

// openRun opens the conversation of a subagent run of a session. name is the
// entry of its call or result, followed by /N if there are several runs.
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
		return nil, exit.Missingf("entry %s ran no subagent; %s lists the runs", id, a.Hint("subagents", lookup.Name(s), "--all-branches"))
	case !numbered && len(runs) > 1:
		return nil, exit.Usagef("entry %s ran %d subagents; use %s/1 to %s/%d", id, len(runs), id, id, len(runs))
	case !numbered:
		n = 1
	case err != nil || n < 1 || n > len(runs):
		return nil, exit.Missingf("entry %s has no run %q; it has %d", id, number, len(runs))
	}
	source := runs[n-1].Source
	if source.Kind == "" {
		return nil, exit.Missingf("the conversation of run %s is gone; see %s", name, a.Hint("subagents", lookup.Name(s), "--all-branches"))
	}
	return source.Session(ctx, s.File(), &format.Header{Version: format.Version, ID: s.ID(), Timestamp: s.Header().Timestamp, Cwd: s.Cwd()})
}

// runHint returns the command that shows a subagent run.
func (a *Commands) runHint(file string, inv *subagent.Invocation, n int) string {
	return a.Hint("show", file, "--subagent", runName(inv, n))
}

// runName returns the name of a run on the command line.
func runName(inv *subagent.Invocation, n int) string {
	entry := cmp.Or(inv.ResultEntry, inv.CallEntry) // one message may contain several calls
	if len(inv.Runs) == 1 {
		return entry
	}
	return fmt.Sprintf("%s/%d", entry, n+1)
}
