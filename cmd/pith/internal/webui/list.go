package webui

import (
	"context"
	"net/http"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
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
// a query without words chooses has no entry and no places.
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
	Words     bool    `json:"words"` // the query has words, so the hits have places
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
	q, err := query.Typed(r.URL.Query().Get("q"), s.queryEnv())
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return reply(w, answer{Error: err.Error(), Hits: []found{}})
	}
	out := answer{Hits: []found{}, Words: q.Finds()}
	o := search.Options{Catalog: s.c.Catalog, Index: s.c.Words, Session: s.session(), Sessions: l.infos}
	if !q.Finds() {
		infos, err := search.Sessions(r.Context(), q, o)
		if err != nil {
			return err
		}
		for i := range infos {
			out.Hits = append(out.Hits, found{Session: l.keyOf(infos[i].Path)})
		}
		return reply(w, out)
	}
	if o.First = true; r.URL.Query().Get("all") == "" {
		o.Limit = fewPlaces
	}
	if err := s.matches(r.Context(), q, o, l, &out); err != nil {
		return err
	}
	return reply(w, out)
}

// queryEnv returns what the values of filters refer to.
func (s *Server) queryEnv() query.Env { return query.Env{Now: s.c.Now(), Catalog: s.c.Catalog} }

// session returns a function that makes a session, with its marks, what filters
// look at.
func (s *Server) session() func(*catalog.Info) query.Session {
	of := s.c.Marks()
	return func(i *catalog.Info) query.Session {
		m := of(i.ID)
		return query.Session{Info: i, Tags: m.Tags, Archived: m.Archived}
	}
}

func (s *Server) matches(ctx context.Context, q query.Query, o search.Options, l *listing, out *answer) error {
	got, err := search.Search(ctx, search.For(q), o)
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
