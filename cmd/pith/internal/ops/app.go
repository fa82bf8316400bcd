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
	"github.com/pith-sessions/pith/internal/edits"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/redact"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// An App is what the use cases work on: where the sessions of a user are, pith's own
// files about them, and the clock. The zero App reads pi's sessions without an index,
// and has no marks and no trash. A copy shares the indexes with its original.
type App struct {
	// Environment has the variables and the home directory of the user.
	Environment sessiondir.Environment
	// Cwd is the working directory of the user, for relative paths; "" if there is none.
	Cwd string
	// Dir is the directory with the session files of all projects, as --session-dir
	// names it; "" means the usual ones.
	Dir string
	// Sources are the agents whose sessions are read; empty means all.
	Sources []string
	// Store holds the sessions; nil means files.
	Store store.Store
	// Force writes to sessions that another program seems to have open.
	Force bool
	// ReadOnly opens every session for reading.
	ReadOnly bool
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Index and Words open the indexes of sessions and of their words. Nil, like a nil
	// result, means that files are read instead.
	Index func() *catalog.Index
	Words func() *search.Index
	// Marks opens the pins, archive flags and tags. Nil means that there are none.
	Marks func() (*marks.Collection, error)
	// Trash returns the location of the trash. Nil means that there is none.
	Trash func() (trash.Options, error)
	// Secrets are the sources of the user's secrets. The projects of sessions are
	// added to them.
	Secrets redact.Sources
	// Skipped is told which files could not be read. It may be nil.
	Skipped func(path string, err error)
	// Working is told how far a use case is. It may be nil.
	Working func(Work)
}

// A Work is the progress of a use case.
type Work struct {
	What        string // in a few words
	Done, Total int64
	Bytes       bool // the unit of Done and Total; files otherwise
}

// A ParamError is the error of a parameter. It matches pith.ErrInvalid.
type ParamError struct{ Name, Problem string }

func (e *ParamError) Error() string { return e.Name + " " + e.Problem }

// Is makes every ParamError match pith.ErrInvalid.
func (e *ParamError) Is(target error) bool { return target == pith.ErrInvalid }

// ErrNoPlace means that there is no directory for trash or marks.
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

// Listing returns the options of every list of sessions.
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

// Engine returns the options with which every session is opened or created.
func (a *App) Engine() pith.Options {
	return pith.Options{Dir: a.Dir, Store: a.Store, Now: a.Now, Force: a.Force}
}

// open opens the session in a file for reading, or a file with the record of a subagent
// run, which is read like a session.
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

// Open opens a session, or the record of a subagent run, for reading.
func Open(ctx context.Context, a *App, path string) (*pith.Session, error) { return a.open(ctx, path) }

// MarksOf returns the marks of sessions by their IDs. After an error there are none.
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

// searching returns the options of every search. Sessions are chosen with their marks.
func (a *App) searching(cwd string) search.Options {
	of, _ := a.MarksOf() // what cannot be read is reported by those who show marks
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

// query parses a query. The error is a *ParamError.
func (a *App) query(text, cwd string, zone *time.Location) (query.Query, error) {
	now := a.now()
	q, err := query.Parse(text, query.Env{Now: now.In(cmp.Or(zone, now.Location())), Cwd: cmp.Or(cwd, a.Cwd), Catalog: a.Listing()})
	if err != nil {
		err = &ParamError{"query", err.Error()}
	}
	return q, err
}

// editing returns the edits index over all sessions. done must be called.
func (a *App) editing(ctx context.Context) (infos []catalog.Info, index *edits.Index, done func(), err error) {
	where := a.Listing()
	where.IncludeInternal = true
	if infos, err = catalog.Sorted(catalog.ListAll(ctx, where)); err != nil {
		return nil, nil, nil, err
	}
	index = edits.Open(ctx, where.Index.Dir())
	return infos, index, func() { index.Close(ctx) }, nil
}

// Where says which sessions a use case looks at.
type Where struct {
	// Cwd is the directory of a project; "" means all projects.
	Cwd string `json:"cwd"`
	// SessionDir is the directory of the session files; "" means that of the App.
	SessionDir string `json:"sessionDir"`
}

// in returns the App for a place, and the absolute path of the project.
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
