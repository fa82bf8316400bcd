package rpcserver

import (
	"cmp"
	"context"
	"errors"
	"io/fs"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
)

// newMethods returns the methods that may create a session.
func newMethods() []*method {
	return []*method{
		opening("create", create),
		opening("continueRecent", continueRecent),
		opening("inMemory", inMemory),
		opening("forkFrom", forkFrom),
	}
}

// newParams are pi's options for a new session.
type newParams struct {
	Options       jsonObject `json:"options"`
	ID            sessionID  `json:"id"`
	ParentSession string     `json:"parentSession"`
}

// options returns the options of a session that is opened in a directory; "" means the
// usual one.
func (s *server) options(dir string, other policy) pith.Options {
	o := s.opt.App.Engine()
	o.Dir, o.OnConflict = cmp.Or(dir, o.Dir), other.conflict()
	return o
}

func in(cwd string, o pith.Options) pith.Options {
	o.Cwd = cwd
	return o
}

type createParams struct {
	Cwd        string `json:"cwd" need:"given"`
	SessionDir string `json:"sessionDir"`
	newParams
	OnConflict policy `json:"onConflict"`
}

func create(_ context.Context, c *call, p *createParams) (any, error) {
	o := c.server.options(p.SessionDir, p.OnConflict)
	o.ID, o.ParentSession = string(p.ID), p.ParentSession
	s, err := pith.Create(in(p.Cwd, o))
	return c.keep(s, err, o)
}

type openParams struct {
	Path        string `json:"path" need:"value"`
	SessionDir  string `json:"sessionDir"`
	CwdOverride string `json:"cwdOverride"`
	OnConflict  policy `json:"onConflict"`
	ReadOnly    bool   `json:"readOnly"`
}

// open opens a file. If there is none, it starts a session that will be written
// there, as pi does, unless the session is read-only.
func open(ctx context.Context, c *call, p *openParams) (any, error) {
	o := in(p.CwdOverride, c.server.options("", p.OnConflict))
	o.Dir = p.SessionDir // otherwise forks go next to the file
	o.ReadOnly = p.ReadOnly || c.server.opt.App.ReadOnly
	if o.ReadOnly {
		s, err := pith.Open(ctx, p.Path, o)
		return c.keep(s, err, o)
	}
	s, err := pith.OpenOrCreate(ctx, p.Path, o)
	return c.keep(s, err, o)
}

type recentParams struct {
	Cwd        string `json:"cwd" need:"given"`
	SessionDir string `json:"sessionDir"`
	OnConflict policy `json:"onConflict"`
}

// continueRecent opens the newest session of a project, the one that @ names,
// unless the client names a directory.
func continueRecent(ctx context.Context, c *call, p *recentParams) (any, error) {
	o := c.server.options(p.SessionDir, p.OnConflict)
	s, err := ops.ContinueRecent(ctx, &c.server.opt.App, in(p.Cwd, o))
	return c.keep(s, err, o)
}

type memoryParams struct {
	Cwd string `json:"cwd"`
	newParams
}

func inMemory(_ context.Context, c *call, p *memoryParams) (any, error) {
	o := c.server.options("", "")
	o.ID, o.ParentSession = string(p.ID), p.ParentSession
	s, err := pith.InMemory(in(p.Cwd, o))
	return c.keep(s, err, o)
}

type forkFromParams struct {
	SourcePath string     `json:"sourcePath" need:"value"`
	TargetCwd  string     `json:"targetCwd" need:"given"`
	SessionDir string     `json:"sessionDir"`
	Options    jsonObject `json:"options"`
	ID         sessionID  `json:"id"`
	OnConflict policy     `json:"onConflict"`
}

func forkFrom(ctx context.Context, c *call, p *forkFromParams) (any, error) {
	o := c.server.options(p.SessionDir, p.OnConflict)
	o.ID = string(p.ID)
	s, err := pith.ForkFrom(ctx, p.SourcePath, in(p.TargetCwd, o))
	if file, ok := errors.AsType[*pith.FileError](err); ok && errors.Is(err, pith.ErrNotSession) {
		err = &piwire.Error{Words: "Cannot fork: source session file is empty or invalid: " + file.Path, Err: err}
	}
	return c.keep(s, err, o)
}

// keep assigns an open session to its handle.
func (c *call) keep(s *pith.Session, err error, o pith.Options) (any, error) {
	if err != nil {
		return nil, err
	}
	c.handle.session, c.handle.opt = s, o
	return object{}.Text("session", c.handle.name).TextOrNull("path", s.File()).Text("id", s.ID()), nil
}

// closeSession closes the session of a handle. The handle is closed immediately, so
// that later requests fail; the session is closed outside of the queue, because
// the client's session_shutdown hook may take long.
func closeSession(_ context.Context, c *call, _ *none) (any, error) {
	end := c.handle.leave()
	return &later{run: func() (any, error) {
		defer c.server.sessions.drop()
		return nil, end()
	}}, nil
}

// switchMethods returns the methods that replace the session of a handle.
func switchMethods() []*method {
	return []*method{
		onSession("newSession", newSession).whenQuiet(),
		onSession("setSessionFile", setSessionFile).whenQuiet(),
		onSession("createBranchedSession", createBranchedSession).whenQuiet(),
	}
}

// successorOptions returns the options for a session that replaces the
// handle's.
func (c *call) successorOptions() pith.Options {
	o := c.handle.opt
	o.Dir, o.ID, o.ParentSession, o.Cwd, o.ReadOnly = c.session.Dir(), "", "", "", false
	return o
}

func newSession(_ context.Context, c *call, p *newParams) (any, error) {
	o := c.successorOptions()
	o.ID, o.ParentSession, o.Cwd = string(p.ID), p.ParentSession, c.session.Cwd()
	if !c.session.Persisted() {
		return c.switchTo(pith.InMemory(o))
	}
	return c.switchTo(pith.Create(o))
}

type fileParams struct {
	Path string `json:"path|sessionFile" need:"value"`
}

func setSessionFile(ctx context.Context, c *call, p *fileParams) (any, error) {
	path, o := p.Path, c.successorOptions()
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
	return nil, nil
}

type branchedParams struct {
	LeafID string `json:"leafId" need:"value"`
}

func createBranchedSession(ctx context.Context, c *call, p *branchedParams) (any, error) {
	return c.switchTo(c.session.Clone(ctx, p.LeafID))
}

// switchTo assigns a session to the handle and returns its file.
func (c *call) switchTo(s *pith.Session, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return orNull(s.File()), c.handle.replace(s)
}
