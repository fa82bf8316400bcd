package ops

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/sessiondir"
)

// ListAllParams choose sessions of all projects.
type ListAllParams struct {
	SessionDir string `json:"sessionDir"`
	// Text adds the text of all messages, which the index does not have. Nil means true.
	Text  *bool  `json:"text"`
	Query string `json:"query"`
	// Order is the order of the list; "" means the most recently used session first.
	Order catalog.Order `json:"-"`
	// NoArchived leaves out archived sessions, unless the query is about them.
	NoArchived bool `json:"-"`
	// PinnedFirst puts pinned sessions before the others.
	PinnedFirst bool `json:"-"`
	// Limit is the number of sessions that are shown, or 0 for all. A list without a query
	// may then leave out others: see Listing.Left.
	Limit int `json:"-"`
}

// ListParams choose sessions of a project.
type ListParams struct {
	Cwd string `json:"cwd" need:"given"`
	ListAllParams
}

// A Listing is the result of List.
type Listing struct {
	Sessions []catalog.Info // the chosen ones, in order
	// Among are all sessions of the place, in which children and projects are found.
	Among []catalog.Info
	// Archived is the number of archived sessions that were left out.
	Archived int
	// Left is the number of sessions that were left out because of a limit.
	Left  int
	Marks func(id string) marks.Marks
	// Unmarked says that the marks could not be read.
	Unmarked error
	ids      []string
	text     bool
}

// List lists the sessions of a project.
func List(ctx context.Context, a *App, p ListParams) (*Listing, error) {
	return a.list(ctx, p.ListAllParams, sessiondir.ExpandPath(p.Cwd, ""), catalog.List)
}

// ListAll is like List for the sessions of all projects.
func ListAll(ctx context.Context, a *App, p ListAllParams) (*Listing, error) {
	return a.list(ctx, p, "", func(ctx context.Context, _ string, o catalog.Options) iter.Seq2[catalog.Info, error] {
		return catalog.ListAll(ctx, o)
	})
}

func (a *App) list(ctx context.Context, p ListAllParams, cwd string, from func(context.Context, string, catalog.Options) iter.Seq2[catalog.Info, error]) (*Listing, error) {
	a, _ = (&Where{SessionDir: p.SessionDir}).in(a)
	q, err := a.query(p.Query, cwd, nil)
	if err != nil {
		return nil, err
	}
	l := &Listing{text: p.Text == nil || *p.Text}
	l.Marks, l.Unmarked = a.MarksOf()
	o := a.of(q).Listing()
	o.Text, o.IncludeInternal = l.text, q.Has("internal")
	if len(o.Sources) == 0 {
		o.IDs = func(ids []string) { l.ids = ids }
	}
	first := shortlist{limit: p.Limit, now: a.now(), marks: l.Marks}
	if p.Limit > 0 && q.IsZero() && (p.Order == "" || p.Order == catalog.OrderRecent) {
		o.Omit = first.omits
	}
	if l.Among, err = catalog.Sorted(first.of(from(ctx, cwd, o))); err != nil {
		return nil, err
	}
	l.Sessions, l.Left = l.Among, first.left
	if !q.IsZero() {
		in := a.searching("")
		in.Sessions, in.Catalog = l.Among, o
		if l.Sessions, err = search.Sessions(ctx, q, in); err != nil {
			return nil, err
		}
	}
	l.arrange(&p, q.Has("archived"))
	return l, nil
}

// A shortlist leaves out sessions that a limited list does not show, before their facts
// are decoded.
type shortlist struct {
	limit  int
	now    time.Time
	marks  func(id string) marks.Marks
	used   []time.Time // of sessions so far, among them the newest
	oldest time.Time   // of the first limit ones; zero while there are fewer
	left   int
}

// omits leaves out a session without marks that was used before those that are shown.
func (s *shortlist) omits(id string, used time.Time) bool {
	if m := s.marks(id); s.oldest.IsZero() || !used.Before(s.oldest) || !m.IsZero() {
		return false
	}
	s.left++
	return true
}

// of returns the sessions of a list, and learns from them what may be left out.
func (s *shortlist) of(list iter.Seq2[catalog.Info, error]) iter.Seq2[catalog.Info, error] {
	if s.limit <= 0 {
		return list
	}
	return func(yield func(catalog.Info, error) bool) {
		for info, err := range list {
			if m := s.marks(info.ID); err == nil && !info.Archived && m.IsZero() {
				s.used = append(s.used, info.Recency(s.now))
			}
			if len(s.used) >= 3*s.limit {
				slices.SortFunc(s.used, func(a, b time.Time) int { return b.Compare(a) })
				s.used, s.oldest = s.used[:s.limit], s.used[s.limit-1]
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// arrange sorts the sessions as the parameters say, and leaves out archived ones.
func (l *Listing) arrange(p *ListAllParams, archived bool) {
	l.Sessions = slices.Clone(l.Sessions)
	if p.Order != "" {
		catalog.Sort(l.Sessions, p.Order)
	}
	if p.PinnedFirst {
		rank := func(i *catalog.Info) int {
			if l.Marks(i.ID).Pinned {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(l.Sessions, func(a, b catalog.Info) int { return rank(&a) - rank(&b) })
	}
	if p.NoArchived && !archived {
		all := len(l.Sessions)
		l.Sessions = slices.DeleteFunc(l.Sessions, func(i catalog.Info) bool { return i.Archived || l.Marks(i.ID).Archived })
		l.Archived = all - len(l.Sessions)
	}
}

// Arrange returns a list as a person sees it: pinned sessions first, and no archived
// ones.
func Arrange(a *App, infos []catalog.Info) *Listing {
	l := &Listing{Sessions: infos, Among: infos}
	l.Marks, l.Unmarked = a.MarksOf()
	l.arrange(&ListAllParams{PinnedFirst: true, NoArchived: true}, false)
	return l
}

// Record returns the list as it is encoded.
func (l *Listing) Record() any { return l.Rows() }

// Rows returns a row for each session.
func (l *Listing) Rows() []Row {
	rows := Rows(l.Sessions, l.Among, l.Marks)
	for i := range rows {
		if l.text {
			rows[i].AllMessagesText = &rows[i].Text
		}
	}
	return rows
}

// ShortIDs returns the shortest prefixes of the IDs of sessions that are unique among
// all sessions of the user, including those that the list omits.
func (l *Listing) ShortIDs(ctx context.Context, a *App, infos []catalog.Info) map[string]string {
	if l.ids == nil {
		return ShortIDs(ctx, a, infos)
	}
	return shorten(infos, l.ids)
}

// ShortIDs returns the shortest prefixes of the IDs of sessions that are unique among
// all sessions of the user.
func ShortIDs(ctx context.Context, a *App, infos []catalog.Info) map[string]string {
	o := a.Listing()
	o.Sources, o.Progress, o.Skipped = nil, nil, nil
	ids, _ := catalog.IDs(ctx, a.Cwd, o) // after an error, all IDs are shown in full
	return shorten(infos, ids)
}

// Shortest returns the shortest prefixes of IDs that tell them apart.
func Shortest(ids []string) map[string]string { return catalog.ShortIDs(ids) }

func shorten(infos []catalog.Info, ids []string) map[string]string {
	some := make([]string, len(infos))
	for i := range infos {
		some[i] = infos[i].ID
	}
	return catalog.Shorten(some, ids)
}

// StreamParams choose the sessions of Stream.
type StreamParams struct {
	Where
	Query string `json:"query"`
	Limit int    `json:"limit"` // 0 means no limit
}

// A Listed session is what a list shows of it.
type Listed struct {
	Ref
	Title    inspect.Text `json:"title"`
	Modified time.Time    `json:"modified"`
	Source   string       `json:"source"`
	Pinned   bool         `json:"pinned"`
	Archived bool         `json:"archived"`
	Internal bool         `json:"internal"`
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
		Ref: RefOf(i), Title: inspect.Text(i.Title()).Short(mostTitle), Modified: i.Modified, Source: i.Root,
		Pinned: m.Pinned, Archived: m.Archived || i.Archived, Internal: i.Internal,
	}
}

// ResolveParams name a session.
type ResolveParams struct {
	Reference string `json:"reference" need:"value"`
	Where
}

// Resolve finds the session that a reference names: by path, ID, start of the ID or
// name, or @ for the newest of the project.
func Resolve(ctx context.Context, a *App, p ResolveParams) (Row, error) {
	if p.Reference == "" {
		return Row{}, &ParamError{"reference", "must not be empty"}
	}
	a, _ = p.in(a)
	found, err := catalog.Resolve(ctx, p.Reference, sessiondir.ExpandPath(p.Cwd, ""), a.Listing())
	if err != nil {
		return Row{}, err
	}
	info, err := catalog.Facts(ctx, catalog.Ref{Path: found.Path}, catalog.Options{Text: true}) // Resolve reads no texts
	if err != nil {
		return Row{}, err
	}
	of, _ := a.MarksOf() // what cannot be read is reported by those who show marks
	row := Rows([]catalog.Info{info}, []catalog.Info{info}, of)[0]
	row.AllMessagesText = &row.Text
	return row, nil
}
