package webui

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/export/page"
)

// listPage is the list of all sessions; the script fills it.
func (s *Server) listPage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, head("Sessions · pith")+`<header class="top"><b>pith</b>`+nav+`<span class="grow"></span><button type="button" id="theme" aria-label="light or dark">◐</button></header>
<main class="list"><h1 class="quietly">Sessions</h1><div class="bar"><input class="search" id="q" type="search" placeholder="Search everything that was said" aria-label="Search everything that was said" autofocus><select id="project" aria-label="Project"><option value="">all projects</option></select><select id="status" aria-label="Status"><option value="">any status</option></select><select id="model" aria-label="Model"><option value="">any model</option></select><span id="count" role="status"></span></div>
<div id="list" class="rows list-rows" tabindex="0" role="listbox" aria-label="Sessions"></div></main>
<script src="/assets/list.js"></script></body></html>`)
}

// columns are the sessions as the list's script takes them.
type columns struct {
	ID       []string `json:"id"`
	Title    []string `json:"title"`
	Project  []string `json:"project"`
	Status   []string `json:"status"`
	Model    []string `json:"model"`
	Cost     []string `json:"cost"`
	Messages []int    `json:"messages"`
	Modified []int64  `json:"modified"` // milliseconds
}

func (s *Server) listData(w http.ResponseWriter, r *http.Request) {
	infos, err := s.listed(r.Context())
	if err != nil {
		s.fail(w, err)
		return
	}
	c := columns{ID: []string{}}
	for i := range infos {
		info := &infos[i]
		c.ID = append(c.ID, info.ID)
		c.Title = append(c.Title, page.OneLine(info.Title(), 160))
		c.Project = append(c.Project, s.homely(info.Cwd))
		c.Status = append(c.Status, string(info.Status))
		c.Model = append(c.Model, info.Model)
		c.Cost = append(c.Cost, page.Dollars(info.Spent.Cost))
		c.Messages = append(c.Messages, info.MessageCount)
		c.Modified = append(c.Modified, info.Modified.UnixMilli())
	}
	reply(w, c)
}

// found is what a search sends: a session, and where in it.
type found struct {
	Session string `json:"session"`
	Entry   string `json:"entry"`
	Role    string `json:"role"`
	Time    int64  `json:"time"`
	Before  string `json:"before"`
	Match   string `json:"match"`
	After   string `json:"after"`
}

func (s *Server) searchData(w http.ResponseWriter, r *http.Request) {
	q, err := search.Parse(r.URL.Query().Get("q"), s.now())
	if err != nil {
		reply(w, map[string]any{"error": err.Error(), "hits": []found{}})
		return
	}
	got, err := search.Search(r.Context(), q, search.Options{Catalog: s.c.Catalog, Index: s.c.Words, Tables: s.c.Engine.Tables, Limit: 400})
	if errors.Is(err, search.ErrQuery) {
		reply(w, map[string]any{"error": err.Error(), "hits": []found{}})
		return
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	hits := []found{}
	for i := range got.Hits {
		h := &got.Hits[i]
		f := found{Session: h.Session.ID, Entry: h.EntryID, Role: h.Role, Before: h.Snippet.Text}
		if !h.Time.IsZero() {
			f.Time = h.Time.UnixMilli()
		}
		if spans := h.Snippet.Marks; len(spans) > 0 {
			at := spans[0]
			f.Before, f.Match, f.After = h.Snippet.Text[:at.Start], h.Snippet.Text[at.Start:at.End], h.Snippet.Text[at.End:]
		}
		hits = append(hits, f)
	}
	reply(w, map[string]any{"hits": hits})
}

func (s *Server) now() time.Time {
	if s.c.Now != nil {
		return s.c.Now()
	}
	return time.Now()
}

// reply sends a value as JSON.
func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // who went away needs no answer
}
