package rpcserver

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/sessiondir"
)

func openMethods() []*method {
	return []*method{
		opening("create", "cwd, sessionDir?, options:object?, id:sessionID?, parentSession?, onConflict:follow/refuse/stay?", create),
		opening("open", "path:name, sessionDir?, cwdOverride?, onConflict:follow/refuse/stay?, readOnly:flag?", open),
		opening("continueRecent", "cwd, sessionDir?, onConflict:follow/refuse/stay?", continueRecent),
		opening("inMemory", "cwd?, options:object?, id:sessionID?, parentSession?", inMemory),
		opening("forkFrom", "sourcePath:name, targetCwd, sessionDir?, options:object?, id:sessionID?, onConflict:follow/refuse/stay?", forkFrom),
		closing(),
	}
}

// newSessionOptions reads the parameters for a new session. A method that does
// not have one of them gets its default.
func (c *call) newSessionOptions() pith.Options {
	o := c.server.engineOptions()
	if dir := c.text("sessionDir"); dir != "" {
		o.Dir = dir
	}
	o.ID, o.ParentSession = c.text("id"), c.text("parentSession")
	o.OnConflict = policies[c.text("onConflict")]
	return o
}

func in(cwd string, o pith.Options) pith.Options {
	o.Cwd = cwd
	return o
}

func create(_ context.Context, c *call) ([]byte, error) {
	cwd, o := c.text("cwd"), c.newSessionOptions()
	s, err := pith.Create(in(cwd, o))
	return c.keep(s, err, o)
}

// open opens a file. If there is none, it starts a session that will be written
// there, as pi does, unless the session is read-only.
func open(ctx context.Context, c *call) ([]byte, error) {
	path, o := c.text("path"), c.newSessionOptions()
	o.Dir = c.text("sessionDir") // otherwise forks go next to the file
	o.Cwd = c.text("cwdOverride")
	o.ReadOnly = c.flag("readOnly") || c.server.opt.App.ReadOnly
	if o.ReadOnly {
		s, err := pith.Open(ctx, path, o)
		return c.keep(s, err, o)
	}
	s, err := pith.OpenOrCreate(ctx, path, o)
	return c.keep(s, err, o)
}

// continueRecent opens the newest session of a project, the one that @ names,
// unless the client names a directory.
func continueRecent(ctx context.Context, c *call) ([]byte, error) {
	cwd, o := c.text("cwd"), c.newSessionOptions()
	if o.Dir == "" && o.Store == nil {
		found, err := catalog.Resolve(ctx, "@", sessiondir.ExpandPath(cwd, ""), c.server.opt.App.Listing())
		if err == nil {
			at := in(cwd, o)
			at.Dir = filepath.Dir(found.Path)
			s, err := pith.Open(ctx, found.Path, at)
			return c.keep(s, err, o)
		}
		if !errors.Is(err, catalog.ErrNotFound) {
			return nil, err
		}
	}
	s, err := pith.ContinueRecent(ctx, in(cwd, o))
	return c.keep(s, err, o)
}

func inMemory(_ context.Context, c *call) ([]byte, error) {
	cwd, o := c.text("cwd"), c.newSessionOptions()
	s, err := pith.InMemory(in(cwd, o))
	return c.keep(s, err, o)
}

func forkFrom(ctx context.Context, c *call) ([]byte, error) {
	source, cwd, o := c.text("sourcePath"), c.text("targetCwd"), c.newSessionOptions()
	s, err := pith.ForkFrom(ctx, source, in(cwd, o))
	if file, ok := errors.AsType[*pith.FileError](err); ok && errors.Is(err, pith.ErrNotSession) {
		err = &piwire.Error{Words: "Cannot fork: source session file is empty or invalid: " + file.Path, Err: err}
	}
	return c.keep(s, err, o)
}

// keep assigns an open session to its handle.
func (c *call) keep(s *pith.Session, err error, o pith.Options) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	c.handle.session, c.handle.opt = s, o
	return object{}.Text("session", c.handle.name).TextOrNull("path", s.File()).Text("id", s.ID()), nil
}

func closing() *method {
	m := onSession("close", "", nil)
	m.last = true
	return m
}

// runLast closes the session of a handle. The handle is closed immediately, so
// that later requests fail; the session is closed outside of the queue, because
// the client's session_shutdown hook may take long.
func (s *server) runLast(m *method, c *call, j *job) {
	if failed := s.guard(j.request, func() ([]byte, error) { return nil, c.prepare(m) }); failed.fault != nil {
		j.answer(failed)
		return
	}
	end := c.handle.leave()
	s.work.Go(func() {
		answer := s.guard(j.request, func() ([]byte, error) { return nothing(end()) })
		s.sessions.drop()
		j.answer(answer)
	})
}

// switchMethods returns the methods that replace the session of a handle.
func switchMethods() []*method {
	return []*method{
		onSession("newSession", "options:object?, id:sessionID?, parentSession?", newSession),
		onSession("setSessionFile", "path|sessionFile:name", setSessionFile),
		onSession("createBranchedSession", "leafId:name", createBranchedSession),
	}
}

// successorOptions returns the options for a session that replaces the
// handle's.
func (c *call) successorOptions() pith.Options {
	o := c.handle.opt
	o.Dir, o.ID, o.ParentSession, o.Cwd, o.ReadOnly = c.session.Dir(), "", "", "", false
	return o
}

func newSession(_ context.Context, c *call) ([]byte, error) {
	o := c.successorOptions()
	o.ID, o.ParentSession = c.text("id"), c.text("parentSession")
	if !c.session.Persisted() {
		return c.switchTo(pith.InMemory(in(c.session.Cwd(), o)))
	}
	return c.switchTo(pith.Create(in(c.session.Cwd(), o)))
}

func setSessionFile(ctx context.Context, c *call) ([]byte, error) {
	path, o := c.text("path"), c.successorOptions()
	s, err := pith.Open(ctx, path, o)
	if errors.Is(err, fs.ErrNotExist) {
		o.Cwd = c.session.Cwd() // a file that does not exist yet has no header
		s, err = pith.OpenOrCreate(ctx, path, o)
	}
	if err != nil {
		return nil, err
	}
	if err := c.handle.replace(s); err != nil {
		return nil, err
	}
	// The previous session may have used the same file and have recorded its
	// position there on close.
	if _, err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	s.Follow()
	return null, nil
}

func createBranchedSession(ctx context.Context, c *call) ([]byte, error) {
	return c.switchTo(c.session.Clone(ctx, c.text("leafId")))
}

// switchTo assigns a session to the handle and returns its file.
func (c *call) switchTo(s *pith.Session, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return textOrNull(s.File()), c.handle.replace(s)
}
