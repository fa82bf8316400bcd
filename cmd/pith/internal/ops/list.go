package ops

import (
	"context"
	"iter"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/sessiondir"
)

// ListAllParams choose sessions of all projects.
type ListAllParams struct {
	SessionDir string `json:"sessionDir"`
	// Text adds the text of all messages, which the index does not have. Nil means true.
	Text  *bool  `json:"text"`
	Query string `json:"query"`
}

// ListParams choose sessions of a project.
type ListParams struct {
	Cwd string `json:"cwd,given"`
	ListAllParams
}

// List returns the sessions of a project, newest first, as pi does: marks change
// neither the order nor, without a query, the content.
func List(ctx context.Context, a *App, p ListParams) ([]view.Session, error) {
	return a.list(ctx, p.ListAllParams, sessiondir.ExpandPath(p.Cwd, ""), catalog.List)
}

// ListAll is like List for the sessions of all projects.
func ListAll(ctx context.Context, a *App, p ListAllParams) ([]view.Session, error) {
	return a.list(ctx, p, "", func(ctx context.Context, _ string, o catalog.Options) iter.Seq2[catalog.Info, error] {
		return catalog.ListAll(ctx, o)
	})
}

func (a *App) list(ctx context.Context, p ListAllParams, cwd string, from func(context.Context, string, catalog.Options) iter.Seq2[catalog.Info, error]) ([]view.Session, error) {
	a, _ = (&Where{SessionDir: p.SessionDir}).in(a)
	q, err := a.query(p.Query, cwd, nil)
	if err != nil {
		return nil, err
	}
	o := a.Listing()
	o.Text = p.Text == nil || *p.Text
	infos, err := catalog.Sorted(from(ctx, cwd, o))
	if err != nil {
		return nil, err
	}
	if !q.IsZero() {
		in := a.searching(cwd)
		in.Sessions, in.Catalog = infos, o
		if infos, err = search.Sessions(ctx, q, in); err != nil {
			return nil, err
		}
	}
	rows := a.rows(infos)
	out := make([]view.Session, len(infos))
	for i := range infos {
		out[i] = rows.Row(&infos[i])
		if o.Text {
			out[i].AllMessagesText = new(view.Text(infos[i].Text))
		}
	}
	return out, nil
}

// rows returns a maker of rows with the current marks.
func (a *App) rows(among []catalog.Info) *view.Rows {
	of, _ := a.MarksOf()
	return &view.Rows{Among: among, Marks: of}
}

// StreamParams choose the sessions of Stream.
type StreamParams struct {
	Where
	Query string `json:"query"`
	Limit int    `json:"limit"` // 0 means no limit
}

// A Listed session is what a list shows of it.
type Listed struct {
	view.Ref
	Title    view.Text `json:"title"`
	Modified view.Time `json:"modified"`
	Source   string    `json:"source"`
	Pinned   bool      `json:"pinned"`
	Archived bool      `json:"archived"`
	Internal bool      `json:"internal"`
}

// mostTitle is the number of characters of a title, which may be a pasted text.
const mostTitle = 1000

// Stream yields the sessions of a project, or of all, while their files are read, the
// most recently written file first. Without an index it reads no more of them than a
// list does, and it holds none. Filters of entries are not possible.
func Stream(ctx context.Context, a *App, p StreamParams) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		a, cwd := p.in(a)
		q, err := a.query(p.Query, cwd, nil)
		if _, any := q.OfEntries(); err == nil && any {
			err = &ParamError{"query", "has a filter of entries; use search for those"}
		}
		of, merr := a.MarksOf()
		if err == nil {
			err = merr
		}
		if err != nil {
			yield(Listed{}, err)
			return
		}
		o := a.Listing()
		o.IncludeInternal = q.Has("internal")
		infos := catalog.ListAll(ctx, o)
		if cwd != "" {
			infos = catalog.List(ctx, cwd, o)
		}
		in := a.searching(cwd)
		passes, n := in.Chooser(q), 0
		for info, err := range infos {
			if err != nil {
				yield(Listed{}, err)
				return
			}
			if passes(&info) && (!yield(listed(&info, of(info.ID)), nil) || p.Limit > 0 && n+1 == p.Limit) {
				return
			} else if passes(&info) {
				n++
			}
		}
	}
}

func listed(i *catalog.Info, m marks.Marks) Listed {
	return Listed{
		Ref: view.RefOf(i), Title: view.Text(i.Title()).Short(mostTitle), Modified: view.Time{Time: i.Modified}, Source: i.Root,
		Pinned: m.Pinned, Archived: m.Archived || i.Archived, Internal: i.Internal,
	}
}

// ResolveParams name a session.
type ResolveParams struct {
	Reference string `json:"reference,needed"`
	Where
}

// Resolve finds the session that a reference names: by path, ID, start of the ID or
// name, or @ for the newest of the project.
func Resolve(ctx context.Context, a *App, p ResolveParams) (view.Session, error) {
	if p.Reference == "" {
		return view.Session{}, &ParamError{"reference", "must not be empty"}
	}
	a, _ = p.in(a)
	found, err := catalog.Resolve(ctx, p.Reference, sessiondir.ExpandPath(p.Cwd, ""), a.Listing())
	if err != nil {
		return view.Session{}, err
	}
	info, err := catalog.Facts(ctx, catalog.Ref{Path: found.Path}, catalog.Options{Text: true}) // Resolve reads no texts
	if err != nil {
		return view.Session{}, err
	}
	row := a.rows([]catalog.Info{info}).Row(&info)
	row.AllMessagesText = new(view.Text(info.Text))
	return row, nil
}
