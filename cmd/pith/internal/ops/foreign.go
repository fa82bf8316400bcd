package ops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/running"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/openclaw"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store/filestore"
)

// A foreign is a session of another agent, as the agent itself stores it.
type foreign struct {
	program sources.Program
	root    string
	session sources.Session
	header  *format.Header
}

// AgentFiles remembers which sessions other agents have, for the time of a command
// that changes many.
type AgentFiles struct{ listed map[string][]sources.Session }

// sessions returns what a program lists. Those that can be read are returned with an
// error.
func (a *AgentFiles) sessions(ctx context.Context, p sources.Program, root string) ([]sources.Session, error) {
	if a == nil {
		return p.Sessions(ctx, root)
	}
	if list, ok := a.listed[root]; ok {
		return list, nil
	}
	list, err := p.Sessions(ctx, root)
	if a.listed == nil {
		a.listed = map[string][]sources.Session{}
	}
	a.listed[root] = list
	return list, err
}

// An OpenThereError means that another agent has a session open.
type OpenThereError struct {
	Program string
	Process int
}

func (e *OpenThereError) Error() string {
	return fmt.Sprintf("%s has the session open (process %d); quit it first", e.Program, e.Process)
}

// A DatabaseError means that a session is in the database of another agent.
type DatabaseError struct {
	Program, Session string
	Command          string // of the agent
}

func (e *DatabaseError) Error() string {
	return fmt.Sprintf("session %s is in the database of %s; to delete it: %s", e.Session, e.Program, e.Command)
}

// A NoNameError means that sessions of an agent cannot be named from outside.
type NoNameError struct{ Program, Session string }

func (e *NoNameError) Error() string {
	return fmt.Sprintf("sessions of %s can only be named there; or import it first: pith import %s", e.Program, e.Session)
}

// AgentTitle returns the title of the agent whose sessions are under a root, as in
// catalog.Info.Root; "" for those in pi's format.
func AgentTitle(root string) string {
	if p, ok := all.Find(root); ok {
		return p.Title()
	}
	return ""
}

// findForeign returns a session as another agent stores it, or nil if the session is
// not another agent's.
func findForeign(ctx context.Context, session catalog.Ref, o catalog.Options, files *AgentFiles) (*foreign, error) {
	if session.InDatabase() {
		return nil, databaseError(openclaw.Program{}, session.ID)
	}
	h, err := sessiondir.HeaderOf(session.Path)
	if err != nil || h.Source == "" {
		return nil, nil
	}
	p, ok := all.Find(h.Source)
	if !ok {
		return nil, h.CheckWritable()
	}
	if c, ok := p.(sources.Commander); ok {
		return nil, databaseError(c, h.ID)
	}
	f := &foreign{program: p, header: h}
	for _, e := range environments(o) {
		for _, f.root = range p.Roots(e) {
			if !isBelow(h.Original, f.root) {
				continue
			}
			listed, err := files.sessions(ctx, p, f.root)
			for _, s := range listed {
				if s.Path == h.Original {
					f.session = s
					return f, nil
				}
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return nil, h.CheckWritable() // a copy in another place
}

func databaseError(p sources.Commander, id string) error {
	return &DatabaseError{p.Title(), id, p.DeleteCommand(id)}
}

// environments returns where other agents store sessions: in the user's home, and in
// the directory of sessions that the user chose.
func environments(o catalog.Options) []sources.Environment {
	e := sessiondir.Environment{Home: o.Home, Getenv: o.Getenv}
	if o.Getenv == nil {
		e.Getenv = os.Getenv
	}
	list := []sources.Environment{{Home: e.HomeDir(), Getenv: e.Getenv}}
	for _, dir := range []string{o.Dir, e.Getenv("PITH_SESSION_DIR")} {
		if dir != "" {
			list = append(list, sources.Environment{Home: sessiondir.ExpandPath(dir, ""), Getenv: func(string) string { return "" }})
		}
	}
	return list
}

func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// checkClosed returns an *OpenThereError if the agent has the session open.
func (f *foreign) checkClosed(ctx context.Context, files ...string) error {
	pid := 0
	if h, ok := f.program.(sources.Holder); ok {
		pid = h.Holder(ctx, f.root, f.session)
	}
	if t, ok := f.program.(sources.Terminal); ok && pid == 0 && f.header.Cwd != "" {
		pid = running.In([]string{f.header.Cwd}, t.Commands())
	}
	for _, file := range append(files, f.session.Path) {
		if pid == 0 {
			pid, _ = filestore.Writer(ctx, file)
		}
	}
	if pid != 0 {
		return &OpenThereError{f.program.Title(), pid}
	}
	return ctx.Err()
}
