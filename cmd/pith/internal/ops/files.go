package ops

import (
	"cmp"
	"context"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
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
	Touches  []Touch `json:"touches"`
	More     bool    `json:"more"`
	Sessions int     `json:"sessions"` // searched
}

// A Touch is a turn in which tools were called with a file.
type Touch struct {
	Ref
	*recall.Touch
	About turn `json:"turn"`
}

// SessionFiles are the files that a session changed.
type SessionFiles struct {
	Root  string          `json:"root"`
	Files []blame.Changed `json:"files"`
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
	out := &Touched{Touches: make([]Touch, len(t.List)), More: t.More, Sessions: t.Sessions}
	for i := range t.List {
		touch := &t.List[i]
		out.Touches[i] = Touch{RefOf(&touch.Session), touch, turn{&touch.Turn, touch.Copies}}
	}
	return out, nil
}

// BlameParams name a file by its absolute path.
type BlameParams struct {
	Path string `json:"path" need:"value"`
}

// Blamed are lines of a file and the edits that wrote them, as they are encoded.
type Blamed struct {
	File  string        `json:"file"`
	Lines []BlamedLine  `json:"lines"`
	Edits []BlamingEdit `json:"edits"`
}

// A BlamedLine is one line of a file. Edit is an index into Blamed.Edits, or nil.
type BlamedLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Edit *int   `json:"edit"`
}

// A BlamingEdit is a recorded edit, with its session.
type BlamingEdit struct {
	Path   string `json:"path"`
	ID     string `json:"id"`
	Source string `json:"source"`
	*blame.Edit
}

// BlamedLines returns the lines from first to last, from 1, and the edits that wrote them.
func BlamedLines(r *blame.Report, first, last int) Blamed {
	out := Blamed{File: r.Path}
	number := map[int]int{}
	for n := max(first, 1); n <= min(last, len(r.Lines)); n++ {
		l := r.Lines[n-1]
		line := BlamedLine{Line: n, Text: l.Text}
		if l.Edit >= 0 {
			k, ok := number[l.Edit]
			if !ok {
				k = len(out.Edits)
				number[l.Edit] = k
				e := &r.Edits[l.Edit]
				out.Edits = append(out.Edits, BlamingEdit{e.Session.Path, e.Session.ID, e.Session.Root, e})
			}
			line.Edit = &k
		}
		out.Lines = append(out.Lines, line)
	}
	return out
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
