package webui

import (
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/pith-sessions/pith/catalog/search"
)

// listPage serves the list of all sessions. Its script fills it.
func (s *Server) listPage(w http.ResponseWriter, _ *http.Request) error { return show(w, "list", nil) }

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

// found is a match in the result of a search.
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
	Hits      []found `json:"hits"`
	Places    int     `json:"places"`
	More      bool    `json:"more"`
	Unindexed int64   `json:"unindexed"`
}

// A search returns fewPlaces matches first, and up to mostPlaces on request.
const fewPlaces, mostPlaces = 100, 100_000

// query parses a query while a person types: the last word counts as a prefix,
// since it may be incomplete. A single letter does not, because nearly
// everything starts with it.
func (s *Server) query(text string) (search.Query, error) {
	last := text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
	if len(last) > 1 && strings.IndexFunc(last, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0 && strings.Count(text, `"`)%2 == 0 {
		text += "*"
	}
	return search.Parse(text, s.now())
}

func (s *Server) searchData(w http.ResponseWriter, r *http.Request) error {
	l, err := s.archive.kept(r.Context())
	if err != nil {
		return err
	}
	limit := fewPlaces
	if r.URL.Query().Get("all") != "" {
		limit = mostPlaces
	}
	got, err := s.search(r, search.Options{Sessions: l.infos, Limit: limit})
	if errors.Is(err, search.ErrQuery) {
		return reply(w, answer{Error: err.Error(), Hits: []found{}})
	}
	if err != nil {
		return err
	}
	out := answer{Hits: []found{}, Places: len(got.Hits), More: got.More, Unindexed: got.Unindexed}
	first := map[string]int{}
	for i := range got.Hits {
		h := &got.Hits[i]
		if n, ok := first[h.Session.Path]; ok {
			out.Hits[n].Places++
			continue
		}
		first[h.Session.Path] = len(out.Hits)
		f := found{Session: l.keyOf(h.Session.Path), Entry: h.EntryID, Role: h.Role, Before: h.Snippet.Text, Places: 1}
		if !h.Time.IsZero() {
			f.Time = h.Time.UnixMilli()
		}
		if spans := h.Snippet.Marks; len(spans) > 0 {
			at := spans[0]
			f.Before, f.Match, f.After = h.Snippet.Text[:at.Start], h.Snippet.Text[at.Start:at.End], h.Snippet.Text[at.End:]
		}
		out.Hits = append(out.Hits, f)
	}
	return reply(w, out)
}

// search runs the query of a request.
func (s *Server) search(r *http.Request, o search.Options) (search.Results, error) {
	q, err := s.query(r.URL.Query().Get("q"))
	if err != nil {
		return search.Results{}, err
	}
	o.Catalog, o.Index, o.Tables = s.c.Catalog, s.c.Words, s.c.Engine.Tables
	return search.Search(r.Context(), q, o)
}

// learning is how long one request builds the word index.
const learning = 3 * time.Second

// learn continues to build the word index. The page of the list requests it
// after a search had to read files. It ends when the client disconnects.
func (s *Server) learn(w http.ResponseWriter, r *http.Request) error {
	if s.c.Words == nil {
		return reply(w, map[string]bool{"more": false})
	}
	begun := time.Now()
	if err := s.c.Words.Fill(r.Context(), search.Build{Catalog: s.c.Catalog, Within: learning}); err != nil {
		return reply(w, map[string]bool{"more": false}) // it can be built again, and nothing depends on it
	}
	return reply(w, map[string]bool{"more": time.Since(begun) >= learning})
}
