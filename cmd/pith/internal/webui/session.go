package webui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/export/page"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/parallel"
)

// errBusy means that more is open than one person looks at.
var errBusy = errors.New("too much is open")

const (
	mostOpen    = 8  // sessions that are kept open
	mostStreams = 64 // pages that are told what is appended
	tailEntries = 60 // entries that a page shows before its script has the index
	lookEvery   = 250 * time.Millisecond
)

// openSessions keeps the sessions that pages show.
type openSessions struct {
	c       Config
	mu      sync.Mutex // guards what follows
	list    []*shown   // the one used last at the end
	streams int
}

func newOpenSessions(c Config) *openSessions { return &openSessions{c: c} }

// shown is a session that pages show.
type shown struct {
	info catalog.Info

	mu      sync.Mutex // guards what follows
	session *pith.Session
	doc     *page.Document
	indexed bool
	ranges  []page.Range
}

// get opens a session, or gives the one that is open.
func (o *openSessions) get(ctx context.Context, info catalog.Info) (*shown, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.IndexFunc(o.list, func(s *shown) bool { return s.info.Path == info.Path }); i >= 0 {
		s := o.list[i]
		o.list = append(slices.Delete(o.list, i, i+1), s)
		return s, nil
	}
	engine := o.c.Engine
	engine.ReadOnly = true
	session, err := pith.Open(ctx, info.Path, engine)
	if err != nil {
		return nil, err
	}
	s := &shown{info: info, session: session}
	s.renew()
	if len(o.list) == mostOpen {
		o.list[0].close()
		o.list = slices.Delete(o.list, 0, 1)
	}
	o.list = append(o.list, s)
	return s, nil
}

func (o *openSessions) forget(gone *shown) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = slices.DeleteFunc(o.list, func(s *shown) bool { return s == gone })
	gone.close()
}

func (o *openSessions) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.list {
		s.close()
	}
	o.list = nil
}

func (s *shown) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.session.Close() // it was only read
}

// renew makes the document anew from where the session stands.
func (s *shown) renew() {
	v := s.session.View()
	wanted := make([]int, v.Len())
	for i := range wanted {
		wanted[i] = i
	}
	s.doc = page.NewDocument(page.Source{View: v, Path: activePath(v), Wanted: wanted})
	s.doc.Entry = func(i int) (format.Entry, error) {
		e, err := s.doc.View.Entry(i)
		if errors.Is(err, format.ErrSyntax) {
			return &format.UnknownEntry{}, nil
		}
		return e, err
	}
	s.indexed, s.ranges = false, s.doc.Parts()
}

func activePath(v *pith.View) []int {
	path, err := v.Path("")
	if err != nil {
		return nil
	}
	return path
}

// index is the index of all entries, made when it is first asked for.
func (s *shown) index(ctx context.Context) (page.Index, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.indexed {
		return s.doc.Index, page.Window(s.doc.Facts.Window), nil
	}
	type outcome struct {
		part *page.Part
		err  error
	}
	for got := range parallel.InOrder(ctx, len(s.ranges), func(ctx context.Context, _ *struct{}, k int) (o outcome) {
		o.part, o.err = s.doc.Render(ctx, s.ranges[k])
		return o
	}) {
		if got.err != nil {
			s.renew()
			return page.Index{}, "", got.err
		}
		s.doc.Add(got.part)
	}
	if err := ctx.Err(); err != nil {
		s.renew()
		return page.Index{}, "", err
	}
	s.doc.Plain.Reset()
	s.indexed = true
	return s.doc.Index, page.Window(s.doc.Facts.Window), nil
}

// part is the HTML of some entries.
func (s *shown) part(ctx context.Context, n int) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 0 || n >= len(s.ranges) {
		return nil, errNothing
	}
	p, err := s.doc.Render(ctx, s.ranges[n])
	if err != nil {
		return nil, err
	}
	return p.HTML, nil
}

// opened is the session that a request names.
func (s *Server) opened(w http.ResponseWriter, r *http.Request) *shown {
	info, err := s.find(r.Context(), r.PathValue("id"))
	if err == nil {
		var open *shown
		if open, err = s.open.get(r.Context(), info); err == nil {
			return open
		}
	}
	s.fail(w, err)
	return nil
}

func (s *Server) sessionPage(w http.ResponseWriter, r *http.Request) {
	open := s.opened(w, r)
	if open == nil {
		return
	}
	open.mu.Lock()
	defer open.mu.Unlock()
	info, d := &open.info, open.doc
	d.Facts.Model, d.Facts.First, d.Facts.Last, d.Facts.Spent = info.Model, info.Created, info.Modified, info.Spent
	tail, left, err := d.Tail(r.Context(), tailEntries)
	if err != nil {
		s.fail(w, err)
		return
	}
	if !open.indexed {
		d.Left = max(left, 1) // the script shows the whole path when it has the index
	}
	frame := page.Frame{Title: page.OneLine(info.Title(), 120), Cwd: s.homely(info.Cwd), Crumb: `<a href="/">Sessions</a> / `,
		Bar: `<span id="live" class="live" hidden>● live</span><a class="plainlink" href="` + page.Escaped("/s/"+info.ID+"/doctor") + `">doctor</a>`}
	if n := len(open.session.Findings()); n > 0 {
		frame.Notices = append(frame.Notices, "The file is not sound: "+page.Count(int64(n), "finding")+"; see doctor. What could be read is here.")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, head(frame.Title+" · pith")+frame.Begin(d))
	w.Write(tail)
	fmt.Fprint(w, page.End+`<script src="/assets/page.js"></script><script src="/assets/session.js"></script></body></html>`)
}

func (s *Server) sessionIndex(w http.ResponseWriter, r *http.Request) {
	open := s.opened(w, r)
	if open == nil {
		return
	}
	index, window, err := open.index(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, struct {
		page.Index
		Window string `json:"window"`
	}{index, window})
}

func (s *Server) sessionPart(w http.ResponseWriter, r *http.Request) {
	open := s.opened(w, r)
	if open == nil {
		return
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		s.fail(w, errNothing)
		return
	}
	html, err := open.part(r.Context(), n)
	if err != nil {
		s.fail(w, err)
		return
	}
	reply(w, html)
}

// sessionLive tells a page that its session grew, was rewritten or is gone. The page
// then asks for what it lacks.
func (s *Server) sessionLive(w http.ResponseWriter, r *http.Request) {
	open := s.opened(w, r)
	if open == nil {
		return
	}
	if !s.open.stream(1) {
		s.fail(w, errBusy)
		return
	}
	defer s.open.stream(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	send := func(text string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(10 * time.Second)) // a client that does not read is let go
		if _, err := fmt.Fprint(w, text); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	if !send("event: here\ndata: {}\n\n") {
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	size, seen, quiet := int64(-1), open.entries(), 0
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
		info, err := os.Stat(open.info.Path)
		switch {
		case err != nil:
			send("event: gone\ndata: {}\n\n")
			s.open.forget(open)
			return
		case info.Size() != size:
			size = info.Size()
			news, err := open.news(r.Context(), seen)
			switch {
			case err != nil:
				send("event: gone\ndata: {}\n\n")
				s.open.forget(open)
				return
			case news == nil:
				continue
			case !send("event: grown\ndata: " + string(news.json) + "\n\n"):
				return
			}
			seen, quiet = news.entries, 0
		default:
			if quiet++; quiet%60 == 0 && !send(": still here\n\n") {
				return
			}
		}
	}
}

func (s *shown) entries() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.doc.Wanted)
}

// news is what a page lacks that knows a number of entries.
type news struct {
	json    []byte
	entries int
}

// news brings the session up to date; nil when there is nothing new. Before the index
// was made, and after the file was rewritten, it says that all is to be asked for.
func (s *shown) news(ctx context.Context, seen int) (*news, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.session.Refresh(ctx); err != nil {
		return nil, err
	}
	s.session.Follow()
	v := s.session.View()
	was := len(s.doc.Wanted)
	switch {
	case v.Len() < was || !s.indexed && v.Len() != was:
		s.renew()
	case v.Len() > was:
		r := s.doc.Grow(v, activePath(v))
		part, err := s.doc.Render(ctx, r)
		if err != nil {
			s.renew()
			return nil, err
		}
		s.doc.Add(part)
		s.doc.Plain.Reset()
		s.ranges = append(s.ranges, r)
	}
	n := len(s.doc.Wanted)
	if n == seen {
		return nil, nil
	}
	if n < seen || !s.indexed {
		return &news{[]byte("{}"), n}, nil
	}
	part, err := s.doc.Render(ctx, page.Range{From: seen, To: n})
	if err != nil {
		return nil, err
	}
	x := &s.doc.Index
	text, err := json.Marshal(map[string]any{"from": seen, "ids": x.IDs[seen:], "parents": x.Parents[seen:], "kinds": x.Kinds[seen:], "texts": x.Texts[seen:],
		"labels": x.Labels, "kept": x.Kept, "hidden": x.Hidden, "firsts": x.Firsts, "leaf": x.Leaf, "html": part.HTML})
	return &news{text, n}, err
}

func (o *openSessions) stream(by int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if by > 0 && o.streams >= mostStreams {
		return false
	}
	o.streams += by
	return true
}
