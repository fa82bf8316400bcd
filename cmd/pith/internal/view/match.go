package view

import (
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/recall"
)

// A Search is the result of a search.
type Search struct {
	Matches   []Match `json:"matches"`
	More      bool    `json:"more"`     // there are more than requested
	Sessions  int     `json:"sessions"` // number of sessions searched
	Scanned   int64   `json:"scanned"`  // number of bytes read
	Unindexed int64   `json:"unindexed"`
}

// A Match is an entry that a search found.
type Match struct {
	Ref
	Source  string       `json:"source"`
	EntryID *Text        `json:"entryId"`
	Type    Text         `json:"type"`
	Role    *Text        `json:"role"`
	Kind    inspect.Part `json:"kind"`
	Tool    *Text        `json:"tool"`
	Time    Time         `json:"time"`
	Score   float64      `json:"score"`
	Snippet Text         `json:"snippet"`
	Parts   []Part       `json:"parts"`
	// Turn is set for searches by relevance.
	Turn *TurnSummary `json:"turn,omitempty"`
}

// A Part is a piece of a snippet that matches completely or not at all.
type Part struct {
	Text  Text `json:"text"`
	Match bool `json:"match"`
}

// A TurnSummary describes the topic and the result of a turn.
type TurnSummary struct {
	EntryID  *Text  `json:"entryId"` // of the user message
	Question Text   `json:"question"`
	Response Text   `json:"response"` // the last one
	Modified []Text `json:"modified"` // files
	Errors   int    `json:"errors"`   // of tools
	Left     bool   `json:"left"`     // the branch was abandoned
	Summary  *Text  `json:"summary"`  // of the branch that was abandoned
	Copies   []Text `json:"copies"`   // IDs of other sessions with the same turn
}

// A Touch is a turn in which tools were called with a file.
type Touch struct {
	Ref
	EntryID Text         `json:"entryId"` // of the last call
	Time    Time         `json:"time"`
	File    Text         `json:"file"`
	Changed int          `json:"changed"`
	Read    int          `json:"read"`
	Failed  int          `json:"failed"`
	Turn    *TurnSummary `json:"turn"`
}

// A FoundSession is a session with matches.
type FoundSession struct {
	Ref
	Source   string `json:"source"`
	Title    Text   `json:"title"`
	Modified Time   `json:"modified"`
	Count    *int   `json:"count,omitempty"` // of matches
}

// FoundSessions is the result of a query without words, or of a search for
// sessions.
type FoundSessions struct {
	Sessions []FoundSession `json:"sessions"`
	More     bool           `json:"more"`
}

// Search converts the results of a search.
func (r *Rows) Search(found search.Results) Search {
	out := Search{Matches: make([]Match, len(found.Hits)), More: found.More, Sessions: found.Sessions, Scanned: found.Scanned, Unindexed: found.Unindexed}
	for i := range found.Hits {
		out.Matches[i] = r.Match(&found.Hits[i])
	}
	return out
}

// Recall converts the answer of a search by relevance.
func (r *Rows) Recall(a recall.Answer) Search {
	out := Search{Matches: make([]Match, len(a.Memories)), More: a.More > 0, Sessions: a.Sessions, Unindexed: a.Unindexed}
	for i := range a.Memories {
		m := &a.Memories[i]
		out.Matches[i] = r.Match(&m.Hit)
		out.Matches[i].Turn = turnSummary(&m.Turn, m.Copies)
	}
	return out
}

// Match converts one hit.
func (r *Rows) Match(h *search.Hit) Match {
	return Match{
		Ref: RefOf(&h.Session), Source: h.Session.Root, EntryID: TextOrNull(h.EntryID), Type: Text(h.Type), Role: TextOrNull(h.Role), Kind: h.Kind, Tool: TextOrNull(h.Tool),
		Time: Time{Time: h.Time}, Score: h.Score, Snippet: Text(h.Snippet.Text), Parts: Parts(&h.Snippet),
	}
}

// Parts cuts a snippet at its marks.
func Parts(s *search.Snippet) []Part {
	out := []Part{}
	at := 0
	add := func(end int, match bool) {
		if end > at {
			out = append(out, Part{Text(s.Text[at:end]), match})
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

func turnSummary(x *recall.Turn, copies []string) *TurnSummary {
	return &TurnSummary{TextOrNull(x.FirstEntry), Text(x.Question), Text(x.Answer), Texts(x.Modified), x.Errors, x.Left, TextOrNull(x.Why), Texts(copies)}
}

// Touch converts one touch.
func (r *Rows) Touch(t *recall.Touch) Touch {
	return Touch{
		Ref: RefOf(&t.Session), EntryID: Text(t.EntryID), Time: Time{Time: t.Time}, File: Text(t.Path), Changed: t.Changed, Read: t.Read, Failed: t.Failed,
		Turn: turnSummary(&t.Turn, t.Copies),
	}
}

// Found converts a session with matches; its title is cut to at most most characters.
func (r *Rows) Found(s *catalog.Info, most int) FoundSession {
	return FoundSession{Ref: RefOf(s), Source: s.Root, Title: Text(s.Title()).Short(most), Modified: Time{Time: s.Modified}}
}
