package list

import (
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
)

// searchResult is what was found in JSON, as docs/reference/json.md describes it.
type searchResult struct {
	Hits      []hitRecord `json:"hits"`
	More      bool        `json:"more"`
	Sessions  int         `json:"sessions"`
	Scanned   int64       `json:"scanned"`
	Unindexed int64       `json:"unindexed"`
}

type hitRecord struct {
	Session     view.Text     `json:"session"`
	Path        view.Text     `json:"path"`
	SessionName *view.Text    `json:"sessionName"`
	Cwd         view.Text     `json:"cwd"`
	Root        string        `json:"root"`
	Entry       *view.Text    `json:"entry"`
	Type        view.Text     `json:"type"`
	Role        *view.Text    `json:"role"`
	Kind        search.Kind   `json:"kind"`
	Tool        *view.Text    `json:"tool"`
	Time        *string       `json:"time"`
	Score       float64       `json:"score"`
	Snippet     view.Text     `json:"snippet"`
	Parts       []snippetPart `json:"parts"`
	Person      string        `json:"person,omitempty"`
	Machines    []string      `json:"machines,omitempty"`
}

// A snippetPart is a piece of a snippet that is all found, or not at all.
type snippetPart struct {
	Text  view.Text `json:"text"`
	Match bool      `json:"match"`
}

func (a *Commands) searchRecord(r search.Results) searchResult {
	out := searchResult{Hits: make([]hitRecord, len(r.Hits)), More: r.More, Sessions: r.Sessions, Scanned: r.Scanned, Unindexed: r.Unindexed}
	for i := range r.Hits {
		h := &r.Hits[i]
		out.Hits[i] = hitRecord{
			Session: view.Text(h.Session.ID), Path: view.Text(h.Session.Path), SessionName: view.TextOrNull(h.Session.Name), Cwd: view.Text(h.Session.Cwd), Root: h.Session.Root,
			Entry: view.TextOrNull(h.EntryID), Type: view.Text(h.Type), Role: view.TextOrNull(h.Role), Kind: h.Kind, Tool: view.TextOrNull(h.Tool),
			Time: view.TimeOrNull(h.Time), Score: h.Score, Snippet: view.Text(h.Snippet.Text), Parts: partsOf(&h.Snippet),
		}
		out.Hits[i].Person, out.Hits[i].Machines = a.Whose(h.Session.Path)
	}
	return out
}

// partsOf cuts a snippet at its marks.
func partsOf(s *search.Snippet) []snippetPart {
	out := []snippetPart{}
	at := 0
	add := func(end int, match bool) {
		if end > at {
			out = append(out, snippetPart{view.Text(s.Text[at:end]), match})
			at = end
		}
	}
	for _, m := range s.Marks {
		add(m.Start, false)
		add(m.End, true)
	}
	add(len(s.Text), false)
	return out
}

// printHitRecords prints what was found in JSON, as much as the budget has room for.
func (a *Commands) printHitRecords(r search.Results, f searchFlags) error {
	_, err := f.budget.Print(a.Console, len(r.Hits), func(n int) error {
		part := r
		part.Hits, part.More = r.Hits[:n], r.More || n < len(r.Hits)
		return a.Out.JSON(a.searchRecord(part))
	})
	return err
}

// A foundSession is a session that something was found in.
type foundSession struct {
	info  *catalog.Info
	count int
}

// foundRecord is a foundSession in JSON.
type foundRecord struct {
	Session     view.Text  `json:"session"`
	Path        view.Text  `json:"path"`
	SessionName *view.Text `json:"sessionName"`
	Title       view.Text  `json:"title"`
	Cwd         view.Text  `json:"cwd"`
	Root        string     `json:"root"`
	Modified    *string    `json:"modified"`
	Count       *int       `json:"count,omitempty"`
}

// tellSessions prints the sessions that something was found in.
func (a *Commands) tellSessions(r search.Results, text string, f searchFlags) error {
	var list []foundSession
	at := map[string]int{}
	for i := range r.Hits {
		s := &r.Hits[i].Session
		n, ok := at[s.Path]
		if !ok {
			n = len(list)
			at[s.Path], list = n, append(list, foundSession{info: s})
		}
		list[n].count++
	}
	more := r.More
	if f.limit > 0 && len(list) > f.limit {
		list, more = list[:f.limit], true
	}
	print := a.printFoundSessions
	if f.json {
		print = a.printFoundRecords
	}
	shown, err := f.budget.Print(a.Console, len(list), func(n int) error { return print(list[:n], f.count, more || n < len(list)) })
	switch {
	case err != nil || f.json:
	case len(list) == 0:
		a.Note("nothing found in %s", humanize.Count(r.Sessions, "session"))
	case shown < len(list):
		a.Note("%d more than the budget has room for", len(list)-shown)
	case more:
		a.noteMore(text, &f)
	}
	return err
}

func (a *Commands) printFoundSessions(list []foundSession, counted, _ bool) error {
	for _, s := range list {
		if a.Out.Failed() {
			break
		}
		number := ""
		if counted {
			number = "  " + humanize.Count(s.count, "hit")
		}
		a.printFoundSession(s.info, number)
	}
	return nil
}

func (a *Commands) printFoundRecords(list []foundSession, counted, more bool) error {
	out := make([]foundRecord, len(list))
	for i, s := range list {
		out[i] = foundRecord{
			Session: view.Text(s.info.ID), Path: view.Text(s.info.Path), SessionName: view.TextOrNull(s.info.Name),
			Title: view.Text(firstRunes(s.info.Title(), shortMessage)), Cwd: view.Text(s.info.Cwd), Root: s.info.Root, Modified: view.TimeOrNull(s.info.Modified),
		}
		if counted {
			out[i].Count = &s.count
		}
	}
	return a.Out.JSON(struct {
		Sessions []foundRecord `json:"sessions"`
		More     bool          `json:"more"`
	}{out, more})
}
