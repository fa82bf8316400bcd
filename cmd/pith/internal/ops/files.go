package ops

import (
	"cmp"
	"context"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/recall"
)

// FilesParams choose the files of a session, or the turns that touched a file.
type FilesParams struct {
	Path    string `json:"path"` // of the file; needed without a session
	Session string `json:"session"`
	Where
	Page
}

// Touched are the turns that called tools with a file, newest first.
type Touched struct {
	Touches  []view.Touch `json:"touches"`
	More     bool         `json:"more"`
	Sessions int          `json:"sessions"` // searched
}

// SessionFiles are the files that a session changed.
type SessionFiles struct {
	Root  string
	Files []blame.Changed
}

// Record returns the files as they are encoded.
func (f *SessionFiles) Record() any {
	return view.Files{Root: view.Text(f.Root), Files: view.ChangedFiles(f.Files)}
}

// Files returns the *SessionFiles of a session, or without one the *Touched of a path.
func Files(ctx context.Context, a *App, p FilesParams) (any, error) {
	if p.Session == "" {
		return Touches(ctx, a, p)
	}
	a, _ = p.in(a)
	s, err := a.open(ctx, p.Session)
	if err != nil {
		return nil, err
	}
	defer s.Close() // only read
	past, err := Past(ctx, a, s)
	if err != nil {
		return nil, err
	}
	list := past.Files()
	if p.Path != "" {
		f, ok := past.Find(p.Path, cmp.Or(a.Cwd, past.Root()))
		if !ok {
			return nil, &ParamError{"path", "is not a file that the session changed"}
		}
		list = []blame.Changed{*f}
	}
	return &SessionFiles{past.Root(), list}, nil
}

// Past opens what a session did to files.
func Past(ctx context.Context, a *App, s *pith.Session) (*blame.Past, error) {
	o, err := a.editing(ctx, false)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(o.Sessions, func(i catalog.Info) bool { return i.Path == s.File() })
	if at < 0 { // a file that no list has
		at = len(o.Sessions)
		o.Sessions = append(o.Sessions, catalog.Info{Path: s.File(), ID: s.ID(), Cwd: s.Cwd()})
	}
	return blame.OpenPast(ctx, s, at, o)
}

// Touches finds the turns that called tools with a file.
func Touches(ctx context.Context, a *App, p FilesParams) (*Touched, error) {
	if p.Path == "" {
		return nil, &ParamError{"path", "must not be empty"}
	}
	a, cwd := p.in(a)
	t, err := recall.Touched(ctx, p.Path, cwd, recall.Options{Search: a.searching(cwd), Limit: p.limit(), Offset: p.Offset})
	if err != nil {
		return nil, err
	}
	out, rows := &Touched{Touches: make([]view.Touch, len(t.List)), More: t.More, Sessions: t.Sessions}, &view.Rows{}
	for i := range t.List {
		out.Touches[i] = rows.Touch(&t.List[i])
	}
	return out, nil
}

// BlameParams name a file by its absolute path.
type BlameParams struct {
	Path string `json:"path" need:"value"`
}

// Blame tells which session wrote each line of a file. any is false if there are no
// sessions at all.
func Blame(ctx context.Context, a *App, p BlameParams) (r *blame.Report, any bool, err error) {
	o, err := a.editing(ctx, true)
	if err != nil {
		return nil, false, err
	}
	r, err = blame.File(ctx, p.Path, o)
	return r, len(o.Sessions) > 0, err
}
