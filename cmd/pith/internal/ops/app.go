package ops

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/redact"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// App configures the use cases: the locations of sessions, indexes, marks, trash and
// secrets, and the clock. The zero App reads pi's sessions without an index, and has
// neither marks nor trash. Copies share the indexes.
type App struct {
	// Environment holds the environment variables and the home directory.
	Environment sessiondir.Environment
	// Cwd is the working directory, which relative paths are resolved against; "" if it
	// is unknown.
	Cwd string
	// Dir is the directory of --session-dir, which holds the session files of all
	// projects; "" means the default directories.
	Dir string
	// Sources lists the agents whose sessions are read; empty means all.
	Sources []string
	// Store is where sessions are opened and created; nil means files.
	Store store.Store
	// Force allows writing to sessions that another program may have open.
	Force bool
	// ReadOnly opens every session read-only.
	ReadOnly bool
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Index and Words open the session index and the word index. If the function or its
	// result is nil, files are read instead.
	Index func() *catalog.Index
	Words func() *search.Index
	// Marks opens the pins, archive flags and tags. Nil means none.
	Marks func() (*marks.Collection, error)
	// Trash returns the location of the trash. Nil means none.
	Trash func() (trash.Options, error)
	// Secrets lists the sources of the user's secrets. Use cases add the projects of
	// sessions.
	Secrets redact.Sources
	// Skipped is called for every file that cannot be read. It may be nil.
	Skipped func(path string, err error)
	// Working is called with the progress of a use case. It may be nil.
	Working func(Work)
}

// Work is the progress of a use case.
type Work struct {
	What        string // in a few words
	Done, Total int64
	Bytes       bool // Done and Total count bytes, not files
}

// ParamError reports an invalid parameter. It matches pith.ErrInvalid.
type ParamError struct{ Name, Problem string }

func (e *ParamError) Error() string { return e.Name + " " + e.Problem }

// Is makes every ParamError match pith.ErrInvalid.
func (e *ParamError) Is(target error) bool { return target == pith.ErrInvalid }

// ErrNoPlace means that pith has no data directory for trash and marks.
var ErrNoPlace = errors.New("no data directory for pith; set HOME")

func (a *App) now() time.Time {
	if a.Now == nil {
		return time.Now()
	}
	return a.Now()
}

func (a *App) working(what string, bytes bool) func(done, total int64) {
	if a.Working == nil {
		return nil
	}
	return func(done, total int64) { a.Working(Work{what, done, total, bytes}) }
}

// Listing returns the options for listing sessions.
func (a *App) Listing() catalog.Options {
	o := catalog.Options{Dir: a.Dir, Getenv: a.Environment.Getenv, Home: a.Environment.Home, Sources: a.Sources, Skipped: a.Skipped}
	if a.Index != nil {
		o.Index = a.Index()
	}
	if at := a.working("reading sessions", false); at != nil {
		o.Progress = func(done, total int) { at(int64(done), int64(total)) }
	}
	return o
}

// Engine returns the options for opening and creating sessions.
func (a *App) Engine() pith.Options {
	return pith.Options{Dir: a.Dir, Store: a.Store, Now: a.Now, Force: a.Force}
}

// open opens a session file read-only. It also accepts the record of a subagent run,
// which reads like a session.
func (a *App) open(ctx context.Context, path string) (*pith.Session, error) {
	o := a.Engine()
	o.ReadOnly = true
	path = sessiondir.ExpandPath(path, "")
	s, err := pith.Open(ctx, path, o)
	if err == nil && !s.NeedsMigration() || err != nil && !errors.Is(err, pith.ErrNotSession) {
		return s, err // an old version takes lines without IDs
	}
	record, ok := subagent.FileSource(path)
	if !ok {
		return s, err
	}
	if s != nil {
		_ = s.Close() // only read
	}
	return record.Session(ctx, path, nil)
}

// Open opens a session, or the record of a subagent run, read-only.
func Open(ctx context.Context, a *App, path string) (*pith.Session, error) { return a.open(ctx, path) }

// MarksOf returns a function that maps session IDs to marks. If err is not nil, it
// returns no marks.
func (a *App) MarksOf() (func(id string) marks.Marks, error) {
	none := func(string) marks.Marks { return marks.Marks{} }
	if a.Marks == nil {
		return none, nil
	}
	all, err := a.Marks()
	if err != nil {
		return none, err
	}
	return all.Of, nil
}

// searching returns the options for searching. Filters see the marks of sessions.
func (a *App) searching(cwd string) search.Options {
	of, _ := a.MarksOf() // commands that show marks report the error
	o := search.Options{Catalog: a.Listing(), Cwd: cwd, Progress: a.working("reading sessions", true)}
	o.Session = func(i *catalog.Info) query.Session {
		m := of(i.ID)
		return query.Session{Info: i, Tags: m.Tags, Archived: m.Archived}
	}
	if a.Words != nil {
		o.Index = a.Words()
	}
	return o
}

// env returns what the values of filters refer to.
func (a *App) env(cwd string, zone *time.Location) query.Env {
	now := a.now()
	return query.Env{Now: now.In(cmp.Or(zone, now.Location())), Cwd: cmp.Or(cwd, a.Cwd), Catalog: a.Listing()}
}

// query parses a query. Its error is a *ParamError.
func (a *App) query(text, cwd string, zone *time.Location) (query.Query, error) {
	q, err := query.Parse(text, a.env(cwd, zone))
	if err != nil {
		err = &ParamError{"query", err.Error()}
	}
	return q, err
}

// editing returns all sessions, as blame reads them.
func (a *App) editing(ctx context.Context, touched bool) (o blame.Options, err error) {
	where := a.Listing()
	where.IncludeInternal, where.Touched = true, touched
	o = blame.Options{Index: where.Index, Home: a.Environment.Home}
	o.Sessions, err = catalog.Sorted(catalog.ListAll(ctx, where))
	return o, err
}

// Where restricts a use case to some sessions.
type Where struct {
	// Cwd is the directory of a project; "" means all projects.
	Cwd string `json:"cwd"`
	// SessionDir is the directory of the session files; "" means App.Dir.
	SessionDir string `json:"sessionDir"`
}

// in returns a with the session directory of w, and the absolute path of the project.
func (w *Where) in(a *App) (*App, string) {
	cwd := w.Cwd
	if cwd != "" {
		cwd = sessiondir.ExpandPath(cwd, "")
	}
	if w.SessionDir == "" {
		return a, cwd
	}
	other := *a
	other.Dir = sessiondir.ExpandPath(w.SessionDir, "")
	return &other, cwd
}
