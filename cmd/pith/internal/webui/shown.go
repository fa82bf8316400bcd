package webui

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/blobs"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/internal/parallel"
)

const (
	mostOpen    = 8  // sessions that are kept open
	mostStreams = 64 // pages that are told what is appended
)

// openSessions keeps the sessions that pages show.
type openSessions struct {
	c       Config
	mu      sync.Mutex // guards what follows
	list    []*shown   // the one used last at the end
	streams int
}

// shown is a session that pages show.
type shown struct {
	key  string
	info catalog.Info

	holders int  // requests that read it; guarded by openSessions.mu
	gone    bool // likewise: the last holder closes it

	mu       sync.Mutex // guards what follows
	session  *pith.Session
	pictures blobs.Folder
	at       state // as the session was when it was last read
	edition  int   // counts how often the file was rewritten
	doc      *page.Document
	indexed  bool
	ranges   []page.Range
}

// get gives the session with a key if it is open, and makes it the one used last. Who
// gets one holds it until release.
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

// keep takes a session that was opened, and holds it; of two that were opened at once
// the first one stays.
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

// release ends what get or keep began.
func (o *openSessions) release(s *shown) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if s.holders--; s.holders == 0 && s.gone {
		s.close()
	}
}

// forget drops a session that is not there any more.
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

// stream counts the pages that are told what is appended; false when there are
// enough of them.
func (o *openSessions) stream(by int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if by > 0 && o.streams >= mostStreams {
		return false
	}
	o.streams += by
	return true
}

// show opens a session.
func (a *archive) show(ctx context.Context, key string, info catalog.Info) (*shown, error) {
	at, err := a.stateOf(info)
	if err != nil {
		return nil, err
	}
	session, err := a.open(ctx, info)
	if err != nil {
		return nil, err
	}
	s := &shown{key: key, info: info, session: session, at: at}
	s.renew()
	return s, nil
}

func (s *shown) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.session.Close() // it was only read
}

// renew makes the document anew from where the session stands.
func (s *shown) renew() {
	s.pictures = blobs.Of(s.session.File())
	v := s.session.View()
	wanted := make([]int, v.Len())
	for i := range wanted {
		wanted[i] = i
	}
	s.doc = page.NewDocument(page.Source{View: v, Path: activePath(v), Wanted: wanted, Line: s.line})
	s.indexed, s.ranges = false, s.doc.Parts()
}

// line is a line with the pictures that the session keeps elsewhere.
func (s *shown) line(_ int, raw []byte) []byte { return s.pictures.Inline(raw) }

func activePath(v *pith.View) []int {
	path, err := v.Path("")
	if err != nil {
		return nil
	}
	return path
}

// index is the index of all entries, made when it is first asked for.
func (s *shown) index(ctx context.Context) (page.Index, []page.Bar, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.indexed {
		return s.copied(), s.doc.Facts.Window, nil
	}
	type outcome struct {
		part *page.Part
		err  error
	}
	for got := range parallel.InOrder(ctx, len(s.ranges), func(ctx context.Context, _ *struct{}, k int) (o outcome) {
		o.part, o.err = s.doc.Outline(ctx, s.ranges[k])
		return o
	}) {
		if got.err != nil {
			s.renew()
			return page.Index{}, nil, got.err
		}
		s.doc.Add(got.part)
	}
	if err := ctx.Err(); err != nil {
		s.renew()
		return page.Index{}, nil, err
	}
	s.indexed = true
	return s.copied(), s.doc.Facts.Window, nil
}

// copied is the index as it is now. Its columns only grow.
func (s *shown) copied() page.Index {
	x := s.doc.Index
	x.Labels, x.Kept, x.Hidden = maps.Clone(x.Labels), maps.Clone(x.Kept), maps.Clone(x.Hidden)
	return x
}

// part is the HTML of some entries.
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

// A place is how much of a session a page has.
type place struct{ entries, edition int }

// here is all of it.
func (s *shown) here() place {
	s.mu.Lock()
	defer s.mu.Unlock()
	return place{len(s.doc.Wanted), s.edition}
}

// refresh brings a session up to date with its file. One that was rewritten is
// opened anew.
func (s *shown) refresh(ctx context.Context, a *archive, at state) (err error) {
	anew := at.size < s.at.size || len(s.doc.Wanted) == 0 // an empty file has no session to go on with
	if !anew {
		_, err = s.session.Refresh(ctx)
	}
	if anew || err != nil {
		again, openErr := a.open(ctx, s.info)
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
	switch was := len(s.doc.Wanted); {
	case v.Len() < was || !s.indexed && v.Len() != was:
		s.renew()
	case v.Len() > was:
		r := s.doc.Grow(v, activePath(v))
		part, err := s.doc.Outline(ctx, r)
		if err != nil {
			s.renew()
			return err
		}
		s.doc.Add(part)
		s.ranges = append(s.ranges, r)
	}
	return nil
}

// news brings the session up to date. It is nothing when there is nothing new for a
// page, and tells how much the page has then. Before the index was made, and after the
// file was rewritten, it says that all is to be asked for.
func (s *shown) news(ctx context.Context, a *archive, seen place) ([]byte, place, error) {
	at, err := a.stateOf(s.info)
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
	part, err := s.doc.Render(ctx, page.Range{From: seen.entries, To: now.entries}, nil)
	if err != nil {
		return nil, seen, err
	}
	x := &s.doc.Index
	text, err := json.Marshal(map[string]any{"from": seen.entries, "ids": x.IDs[seen.entries:], "parents": x.Parents[seen.entries:], "kinds": x.Kinds[seen.entries:],
		"texts": x.Texts[seen.entries:], "labels": x.Labels, "kept": x.Kept, "hidden": x.Hidden, "firsts": x.Firsts, "leaf": x.Leaf, "html": string(part.HTML)})
	return text, now, err
}
