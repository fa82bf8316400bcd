package webui

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
)

// listPage serves the list of all sessions. Its script fills it.
func (s *Server) listPage(w http.ResponseWriter, _ *http.Request) error {
	return show(w, "list", nil)
}

// listData serves the last list. To a client that has that one it serves a
// current list, or nothing if there are no changes.
func (s *Server) listData(w http.ResponseWriter, r *http.Request) error {
	list, have := s.archive.kept, r.URL.Query().Get("have")
	if have != "" {
		list = s.archive.look
	}
	l, err := list(r.Context())
	switch {
	case err != nil:
		return err
	case l.version == have:
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(l.json) // a client that has disconnected needs no answer
	return nil
}

// found is a session in the result of a search, with its first match. A session that
// matches only by its title, or by filters alone, has no entry and no places.
type found struct {
	Session string `json:"session"`
	Entry   string `json:"entry"`
	Role    string `json:"role"`
	Time    int64  `json:"time"`
	Before  string `json:"before"`
	Match   string `json:"match"`
	After   string `json:"after"`
	Places  int    `json:"places"` // matches in the session
}

// answer is the result of a search.
type answer struct {
	Error     string  `json:"error,omitempty"`
	Text      string  `json:"text"` // the query without session filters
	Hits      []found `json:"hits"`
	Places    int     `json:"places"`
	More      bool    `json:"more"`
	Brief     bool    `json:"brief"` // a session with places has no entry
	Unindexed int64   `json:"unindexed"`
}

// A search returns the first matches of fewPlaces sessions and the number of matches of
// every session, if the index can count them. Otherwise it returns fewPlaces matches. The
// rest comes on request. In one session it finds up to mostPlaces.
const fewPlaces, mostPlaces = 100, 100_000

func (s *Server) searchData(w http.ResponseWriter, r *http.Request) error {
	l, err := s.archive.kept(r.Context())
	if err != nil {
		return err
	}
	q, err := s.parse(r.URL.Query().Get("q"))
	if errors.Is(err, search.ErrQuery) {
		return reply(w, answer{Error: err.Error(), Hits: []found{}})
	}
	out := answer{Hits: []found{}, Text: q.text}
	kept := q.sessions(l)
	if q.text != "" && len(kept) > 0 {
		o := search.Options{First: true, Limit: fewPlaces, Sessions: make([]catalog.Info, 0, len(kept))}
		if r.URL.Query().Get("all") != "" {
			o.Limit = 0
		}
		for _, i := range kept {
			o.Sessions = append(o.Sessions, l.infos[i])
		}
		if err := s.matches(r.Context(), q, o, l, &out); err != nil {
			return err
		}
	}
	out.addTitles(l, kept)
	return reply(w, out)
}

func (s *Server) matches(ctx context.Context, q query, o search.Options, l *listing, out *answer) error {
	got, err := s.search(ctx, q, o)
	if err != nil {
		return err
	}
	out.More, out.Unindexed = got.More, got.Unindexed
	at := map[string]int{}
	for i := range got.Hits { // the last entry of a session comes first
		h := &got.Hits[i]
		n, ok := at[h.Session.Path]
		if !ok {
			n = len(out.Hits)
			at[h.Session.Path] = n
			out.Hits = append(out.Hits, found{Session: l.keyOf(h.Session.Path)})
		}
		f := &out.Hits[n]
		f.Places += max(1, h.Matches)
		out.Places += max(1, h.Matches)
		out.Brief = out.Brief || h.EntryID == ""
		f.Entry, f.Role, f.Before, f.Match, f.After = h.EntryID, h.Role, h.Snippet.Text, "", ""
		if !h.Time.IsZero() {
			f.Time = h.Time.UnixMilli()
		}
		if spans := h.Snippet.Marks; len(spans) > 0 {
			mark := spans[0]
			f.Before, f.Match, f.After = h.Snippet.Text[:mark.Start], h.Snippet.Text[mark.Start:mark.End], h.Snippet.Text[mark.End:]
		}
	}
	return nil
}

// addTitles adds the sessions whose title or project contains the text of the query,
// or all of them if it has only filters.
func (a *answer) addTitles(l *listing, kept []int) {
	has := make(map[string]bool, len(a.Hits))
	for i := range a.Hits {
		has[a.Hits[i].Session] = true
	}
	text := strings.ToLower(a.Text)
	for _, i := range kept {
		if !has[l.keys[i]] && strings.Contains(strings.ToLower(l.infos[i].Title()+" "+l.projects[i]), text) {
			a.Hits = append(a.Hits, found{Session: l.keys[i]})
		}
	}
}

func (s *Server) search(ctx context.Context, q query, o search.Options) (search.Results, error) {
	o.Catalog, o.Index = s.c.Catalog, s.c.Words
	return search.Search(ctx, q.words, o)
}

// learning is how long one request builds the word index.
const learning = 3 * time.Second

// learn continues to build the word index. The page of the list requests it
// after a search had to read files. It ends when the client disconnects.
func (s *Server) learn(w http.ResponseWriter, r *http.Request) error {
	if s.c.Words == nil {
		return reply(w, map[string]bool{"more": false})
	}
	start := time.Now()
	if err := s.c.Words.Fill(r.Context(), search.Build{Catalog: s.c.Catalog, Within: learning}); err != nil {
		return reply(w, map[string]bool{"more": false}) // it can be built again, and nothing depends on it
	}
	return reply(w, map[string]bool{"more": time.Since(start) >= learning})
}
