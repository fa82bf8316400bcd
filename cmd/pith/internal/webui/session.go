package webui

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/internal/page"
)

const (
	openingEntries = 60              // entries that a page shows before its script has the index
	lookEvery      = 2 * time.Second // if the system does not report file changes
	quietTicks     = 8               // polls after which a stream sends a sign of life
)

// onSession returns the handler of a page about the session that a request names.
func (s *Server) onSession(answer func(http.ResponseWriter, *http.Request, *shown) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		open, err := s.opened(r, r.PathValue("id"))
		if err != nil {
			return err
		}
		return answer(w, r, open)
	}
}

// opened returns the session with a key, held for the request. It forgets one
// whose file is gone.
func (s *Server) opened(r *http.Request, key string) (open *shown, err error) {
	defer func() {
		if open != nil {
			context.AfterFunc(r.Context(), func() { s.open.release(open) }) // ends with the response
		}
	}()
	if open = s.open.get(key); open != nil {
		if _, _, err := open.news(r.Context(), s.archive, open.here()); err == nil {
			return open, nil
		}
		s.open.forget(open)
		s.open.release(open)
		open = nil
	}
	info, err := s.archive.find(r.Context(), key)
	if err != nil {
		return nil, err
	}
	fresh, err := s.archive.show(r.Context(), key, info)
	if err != nil {
		return nil, err
	}
	open = s.open.keep(fresh)
	return open, nil
}

// placeholder is the entry in commands that the page's script completes.
const placeholder = "@entry@"

// command is a command to copy, and what it does.
type command struct {
	Icon, About, Text string
	Here              bool // it is about the selected entry
	Ruled             bool // a line is above it
}

// commands returns commands to copy. It omits one in which the session's name
// contains the placeholder too: the shell would interpret an entry inserted between
// the quotes of that name.
func (s *Server) commands(open *shown) []command {
	info := &open.info
	offers := []command{
		{"branch", "Fork at the selected prompt", s.command(info, "fork", placeholder), true, false},
		{"copy", "Copy up to the selected entry", s.command(info, "clone", "--at", placeholder), true, false},
	}
	handover := command{"branch", "Continue in pi, as a copy", s.command(info, "handover", "--to", "pi"), false, false}
	program := ops.AgentTitle(info.Root)
	switch {
	case program != "":
		offers = []command{handover}
		if resume := map[string]string{"claude": "claude --resume ", "codex": "codex resume ", "opencode": "opencode --session "}[info.Root]; resume != "" && printable(info.ID) {
			offers = append([]command{{"term", "Resume in " + program, resume + shellWord(info.ID), false, false}}, offers...)
		}
	case ops.NeedsCopy(open.session): // what pi would write to a copy is lost when the original grows
		offers = append([]command{handover}, offers...)
	case printable(info.Path):
		resume := command{"term", "Resume in pi", "pi --session " + s.pathWord(info.Path), false, false}
		here := resume
		here.About, here.Here = "Resume in pi from the selected entry", true
		offers = append([]command{resume}, offers...)
		if branch := s.command(info, "branch", placeholder); branch != "" {
			here.Text = branch + " && " + resume.Text
			offers = append(offers, here)
		}
	}
	offers = append(offers, command{"read", "Open in the terminal", s.command(info, ""), false, true}, command{"file", "Files it changed", s.command(info, "files"), false, false}, command{"web", "Export as HTML", s.command(info, "export"), false, false})
	return slices.DeleteFunc(offers, func(c command) bool { return c.Text == "" || strings.Count(c.Text, placeholder) > 1 })
}

func (s *Server) sessionPage(w http.ResponseWriter, r *http.Request, open *shown) error {
	open.mu.Lock()
	defer open.mu.Unlock()
	info, d := &open.info, open.doc
	if !open.indexed {
		known, err := d.Head(r.Context(), page.OneLine(info.FirstMessage, 400), info.Model, info.Spent)
		if err != nil {
			return err
		}
		d = known
	}
	text, err := open.doc.Opening(r.Context(), openingEntries)
	if err != nil {
		return err
	}
	frame, err := s.frame(r, open)
	if err != nil {
		return err
	}
	return show(w, "session", struct {
		Title            string
		Key              string
		Begin, Text, End template.HTML // made by package page, which escapes
	}{frame.Title, url.PathEscape(open.key), template.HTML(frame.Begin(d)), template.HTML(text), template.HTML(d.End())})
}

// frame returns the parts around a session.
func (s *Server) frame(r *http.Request, open *shown) (page.Frame, error) {
	info := &open.info
	f := page.Frame{Title: open.title(), Project: base(info.Cwd), Limit: open.limit, Home: "/", Compare: "/s/" + url.PathEscape(open.key) + "/compare",
		Chips: `<span id="live" class="chip live" role="status" hidden><span class="live-dot"></span><span>live</span></span>`}
	if n := len(open.session.Findings()); n > 0 {
		left := "They are"
		if n == 1 {
			left = "It is"
		}
		f.Notices = append(f.Notices, page.Notice{Bad: true, Text: page.Count(int64(n), "line") + " of this file cannot be read. " + left + " left out; everything else is shown.", Command: s.command(info, "doctor")})
	}
	if note := ops.UnknownNote(open.session); note != "" {
		f.Notices = append(f.Notices, page.Notice{Text: strings.ToUpper(note[:1]) + note[1:] + "."})
	}
	tools := struct {
		Program, Parent, Key string
		Commands             []command
	}{Commands: s.commands(open), Key: open.key, Program: ops.AgentTitle(info.Root)}
	if info.ParentSession != "" {
		if l, err := s.archive.kept(r.Context()); err == nil {
			tools.Parent = l.keyOf(info.ParentSession)
			if _, ok := l.byKey[info.ParentSession]; ok {
				tools.Parent = info.ParentSession // named by its ID
			}
		}
	}
	var err error
	f.Tools, err = markup("session-tools", tools)
	return f, err
}

func (s *Server) sessionIndex(w http.ResponseWriter, r *http.Request, open *shown) error {
	index, _, err := open.index(r.Context())
	if err != nil {
		return err
	}
	open.mu.Lock()
	text := open.head()
	open.mu.Unlock()
	head := &text
	for piece := range index.Pieces() { // one line per piece, so that the browser can yield between them
		if err := reply(w, struct {
			page.Index
			Head *string `json:"head,omitempty"` // in the first piece
		}{piece, head}); err != nil {
			return err
		}
		head = nil
	}
	return nil
}

func (s *Server) sessionPart(w http.ResponseWriter, r *http.Request, open *shown) error {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil {
		return errNothing
	}
	html, err := open.part(r.Context(), n)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, err = w.Write(html)
	return err
}

// sessionSearch serves the IDs of the entries that match a query.
func (s *Server) sessionSearch(w http.ResponseWriter, r *http.Request, open *shown) error {
	info := open.info
	at, err := stateOf(info.Path)
	if err != nil {
		return err
	}
	info.Size, info.FileTime = at.size, at.at // includes entries appended since the list
	ids, err := ops.Within(r.Context(), s.c.App, info, r.URL.Query().Get("q"), mostPlaces)
	if err != nil {
		return err
	}
	return reply(w, ids)
}

func (s *Server) sessionContext(w http.ResponseWriter, r *http.Request, open *shown) error {
	open.mu.Lock()
	v := open.doc.View
	open.mu.Unlock()
	id := r.URL.Query().Get("at")
	if id == "" {
		return fmt.Errorf("no entry: %w", pith.ErrNoEntry)
	}
	c, err := v.Context(id)
	if err != nil {
		return err
	}
	path, err := v.PathIDs(id)
	if err != nil {
		return err
	}
	out := struct {
		Seen       []string `json:"seen"`
		Compaction string   `json:"compaction"` // "" if there is none
		Gone       int      `json:"gone"`
		Kept       int      `json:"kept"`
	}{Seen: []string{}}
	if first, compaction := c.First, c.Compaction; compaction >= 0 && compaction < len(path) {
		out.Compaction, out.Gone, out.Kept = path[compaction], first, max(0, compaction-first)
		if first > compaction {
			out.Gone = compaction
		}
	}
	for m, err := range c.Messages() {
		if err != nil {
			return err
		}
		out.Seen = append(out.Seen, m.EntryID)
	}
	return reply(w, out)
}

// sessionLive notifies a page that its session grew, was rewritten or is gone.
// A page sends the number of entries that it has, so that it misses none
// between two streams.
func (s *Server) sessionLive(w http.ResponseWriter, r *http.Request, open *shown) error {
	seen := open.here()
	if n, err := strconv.Atoi(r.URL.Query().Get("seen")); err == nil && n >= 0 {
		seen.entries = n
	}
	if !s.open.stream(1) {
		return ops.ErrTooMany
	}
	defer s.open.stream(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	send := func(text string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(10 * time.Second)) // drop a client that does not read
		if _, err := fmt.Fprint(w, text); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	open.mu.Lock()
	last := open.doc.Facts.Last
	open.mu.Unlock()
	written := strconv.FormatBool(s.c.App.Now().Sub(last).Abs() < liveFor)
	if !send("event: here\ndata: {\"written\":" + written + "}\n\n") {
		return nil
	}
	changed, stop := s.watch.file(open.info.Path)
	defer stop()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for quiet, failed := 0, 0; ; {
		var news []byte
		var err error
		news, seen, err = open.news(r.Context(), s.archive, seen)
		switch {
		case r.Context().Err() != nil:
			return nil
		case err != nil && !errors.Is(err, fs.ErrNotExist) && failed < 2:
			failed++ // it may be in the middle of a rewrite
		case err != nil:
			send("event: gone\ndata: {}\n\n")
			s.open.forget(open)
			return nil
		case news != nil:
			if !send("event: grown\ndata: " + string(news) + "\n\n") {
				return nil
			}
			quiet, failed = 0, 0
		default:
			if quiet++; quiet%quietTicks == 0 && !send(": still here\n\n") {
				return nil
			}
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-changed:
		case <-tick.C:
		}
	}
}
