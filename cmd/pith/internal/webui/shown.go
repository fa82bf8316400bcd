package webui

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/internal/blobs"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/internal/parallel"
)

const (
	mostOpen    = 8  // sessions kept open
	mostStreams = 64 // pages that receive live updates
)

// openSessions holds the sessions that pages show.
type openSessions struct {
	mu      sync.Mutex // guards what follows
	list    []*shown   // the most recently used one last
	streams int
}

// shown is a session that pages show.
type shown struct {
	key  string
	info catalog.Info

	holders int  // requests that read it; guarded by openSessions.mu
	gone    bool // likewise; the last holder closes it

	mu       sync.Mutex // guards what follows
	session  *pith.Session
	pictures blobs.Folder
	at       state // when the session was last read
	edition  int   // number of rewrites of the file
	doc      *page.Document
	indexed  bool
	ranges   []page.Range
	grown    []growth
	home     string
	limit    int64 // tokens of the model
}

// A growth says that a session of some entries grew, and which stretch of its
// page is the first that changed.
type growth struct{ entries, from int }

// mostNews is the number of stretches sent to a page; for more it reloads all.
const mostNews = 50

// get returns the session with a key if it is open, and makes it the most
// recently used. The caller holds it until release.
func (o *openSessions) get(key string) *shown {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.list, func(s *shown) bool { return s.key == key })
	if i < 0 {
		return nil
	}
	s := o.list[i]
	o.list = append(slices.Delete(o.list, i, i+1), s)
	s.holders++
	return s
}

// keep adds an open session and holds it. If the session was opened twice
// concurrently, the first one stays.
func (o *openSessions) keep(s *shown) *shown {
	if first := o.get(s.key); first != nil {
		s.close()
		return first
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.list) >= mostOpen {
		if i := slices.IndexFunc(o.list, func(s *shown) bool { return s.holders == 0 }); i >= 0 {
			o.list[i].close()
			o.list = slices.Delete(o.list, i, i+1)
		}
	}
	s.holders = 1
	o.list = append(o.list, s)
	return s
}

// release ends the hold of get or keep.
func (o *openSessions) release(s *shown) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s.holders--; s.holders == 0 && s.gone {
		s.close()
	}
}

// forget drops a session that no longer exists.
func (o *openSessions) forget(gone *shown) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = slices.DeleteFunc(o.list, func(s *shown) bool { return s == gone })
	gone.gone = true
}

func (o *openSessions) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.list {
		s.close()
	}
	o.list = nil
}

// stream adds by to the number of pages with live updates. It returns false if
// there are too many.
func (o *openSessions) stream(by int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if by > 0 && o.streams >= mostStreams {
		return false
	}
	o.streams += by
	return true
}

func (a *archive) show(ctx context.Context, key string, info catalog.Info) (*shown, error) {
	at, err := stateOf(info.Path)
	if err != nil {
		return nil, err
	}
	session, err := ops.Open(ctx, a.c.App, info.Path)
	if err != nil {
		return nil, err
	}
	s := &shown{key: key, info: info, session: session, at: at, home: a.c.App.Environment.Home, limit: a.c.Window(info.Model)}
	s.renew()
	return s, nil
}

func (s *shown) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.session.Close() // it was only read
}

// renew makes the document again from the current leaf.
func (s *shown) renew() {
	s.pictures = blobs.Of(s.session.File())
	v := s.session.View()
	s.doc = page.NewDocument(page.Source{View: v, Path: activePath(v), Wanted: page.All(v), Line: s.line, Agent: page.AgentOf(s.info.Root), Cwd: s.info.Cwd, Home: s.home})
	s.indexed, s.ranges, s.grown = false, s.doc.Parts(), nil
}

// line returns a line with the images that the session stores in other files.
func (s *shown) line(_ int, raw []byte) []byte { return s.pictures.Inline(raw) }

func activePath(v *pith.View) []int {
	path, err := v.Path("")
	if err != nil {
		return nil
	}
	return path
}

// index returns the index of all stretches, and the document for its facts. It
// makes it on first use.
func (s *shown) index(ctx context.Context) (page.Index, *page.Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.indexed {
		return s.copied(), s.doc, nil
	}
	err := parallel.Make(ctx, len(s.ranges), func() func(int) (*page.Part, error) {
		return func(k int) (*page.Part, error) { return s.doc.Outline(ctx, s.ranges[k]) }
	}, func(_ int, part *page.Part) bool {
		s.doc.Add(part)
		return true
	})
	if err != nil {
		s.renew()
		return page.Index{}, nil, err
	}
	s.indexed = true
	return s.copied(), s.doc, nil
}

// copied returns the current index with the stretches at which its parts begin.
func (s *shown) copied() page.Index {
	x := s.doc.Index
	x.Firsts = nil
	for _, r := range s.ranges {
		x.Firsts = append(x.Firsts, r.From)
	}
	return x
}

// part returns the HTML of some entries.
func (s *shown) part(ctx context.Context, n int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 0 || n >= len(s.ranges) {
		return nil, errNothing
	}
	p, err := s.doc.Render(ctx, s.ranges[n], nil)
	if err != nil {
		return nil, err
	}
	return p.HTML, nil
}

// A place is the part of a session that a page has.
type place struct{ entries, edition int }

// here returns the place of the whole session.
func (s *shown) here() place {
	s.mu.Lock()
	defer s.mu.Unlock()
	return place{len(s.doc.Wanted), s.edition}
}

// refresh updates a session from its file. It opens a rewritten file again.
func (s *shown) refresh(ctx context.Context, a *archive, at state) (err error) {
	reopen := at.size < s.at.size || len(s.doc.Wanted) == 0 // an empty file has no session to continue
	if !reopen {
		_, err = s.session.Refresh(ctx)
	}
	if reopen || err != nil {
		again, openErr := ops.Open(ctx, a.c.App, s.info.Path)
		if openErr != nil {
			return openErr
		}
		_ = s.session.Close() // it was only read
		s.session = again
		s.renew()
		s.at = at
		s.edition++
		return nil
	}
	s.at = at
	s.session.Follow()
	v := s.session.View()
	was := len(s.doc.Wanted)
	if v.Len() < was || !s.indexed && v.Len() != was {
		s.renew()
		return nil
	}
	if v.Len() == was {
		return nil
	}
	doc, from := s.doc.Later(v, activePath(v))
	part, err := doc.Outline(ctx, page.Range{From: from, To: doc.Len()})
	if err != nil {
		s.renew()
		return err
	}
	doc.Add(part)
	s.doc = doc
	s.grown = append(s.grown, growth{was, from})
	for len(s.ranges) > 0 && s.ranges[len(s.ranges)-1].To > from {
		last := &s.ranges[len(s.ranges)-1]
		if last.To = from; last.From >= from {
			s.ranges = s.ranges[:len(s.ranges)-1]
		}
	}
	s.ranges = append(s.ranges, page.Range{From: from, To: doc.Len()})
	return nil
}

// news updates the session. It returns the update for a page, or nil if there
// is none, and the place of the page afterwards. Before the index was made, and
// after the file was rewritten, the update makes the page reload everything.
func (s *shown) news(ctx context.Context, a *archive, seen place) ([]byte, place, error) {
	at, err := stateOf(s.info.Path)
	if err != nil {
		return nil, seen, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if at != s.at {
		if err := s.refresh(ctx, a, at); err != nil {
			return nil, seen, err
		}
	}
	now := place{len(s.doc.Wanted), s.edition}
	switch {
	case now == seen:
		return nil, now, nil
	case now.edition != seen.edition, now.entries < seen.entries, !s.indexed:
		return []byte("{}"), now, nil
	}
	from, known := s.doc.Len(), false
	for _, g := range s.grown {
		known = known || g.entries == seen.entries
		if g.entries >= seen.entries {
			from = min(from, g.from)
		}
	}
	if !known || s.doc.Len()-from > mostNews {
		return []byte("{}"), now, nil
	}
	part, err := s.doc.Render(ctx, page.Range{From: from, To: s.doc.Len()}, nil)
	if err != nil {
		return nil, seen, err
	}
	x := &s.doc.Index
	text, err := json.Marshal(map[string]any{"from": from, "stretches": x.Stretches[from:], "leaf": x.Leaf, "html": strings.Split(string(part.HTML), page.Separator), "head": s.head()})
	return text, now, err
}

// head returns the summary of the session.
func (s *shown) head() string {
	return page.Frame{Title: s.title(), Project: base(s.info.Cwd), Limit: s.limit}.Head(s.doc)
}

func (s *shown) title() string { return page.OneLine(s.info.Title(), 120) }
