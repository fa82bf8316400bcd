package tui

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
)

// mostHits is how many entries a search of texts may find: one for each session
// is shown.
const mostHits = 300

// fillTime is how long the index of words is filled after a search that had to
// read files.
const fillTime = 20 * time.Second

// Search implements [picker.Sessions]: it looks for the query in what was said
// and done. A query that is not finished finds nothing.
func (s *library) Search(ctx context.Context, scope picker.Scope, text string) ([]picker.Hit, error) {
	q, ok := textQuery(text, s.c.now())
	if !ok {
		return nil, nil
	}
	o := search.Options{Catalog: s.c.Catalog, Tables: s.c.Tables, Limit: mostHits}
	if scope == picker.Current {
		o.Cwd = s.c.Cwd
	}
	if s.c.Words != nil {
		o.Index = s.c.Words()
	}
	found, err := search.Search(ctx, q, o)
	if err != nil {
		if errors.Is(err, search.ErrQuery) {
			err = nil
		}
		return nil, err
	}
	if o.Index != nil && found.Unindexed > 0 {
		s.background.spare(func(ctx context.Context) {
			// Nothing depends on the index: what cannot be kept is read again.
			_ = o.Index.Fill(ctx, search.Build{Catalog: s.c.Catalog, Within: fillTime})
		})
	}
	hits := make([]picker.Hit, 0, len(found.Hits))
	for i := range found.Hits {
		if h := &found.Hits[i]; h.Kind != search.KindName { // names are in the list
			hits = append(hits, picker.Hit{Path: h.Session.Path, EntryID: h.EntryID, Snippet: snippet(h.Snippet)})
		}
	}
	return hits, nil
}

// lead is how much of a snippet stands before what was found: a row is short.
const lead = 16

// snippet is one line in which what was found stands near the beginning.
func snippet(s search.Snippet) string {
	text := s.Text
	if len(s.Marks) > 0 && s.Marks[0].Start > lead {
		from := s.Marks[0].Start - lead
		if space := strings.IndexByte(text[from:s.Marks[0].Start], ' '); space >= 0 {
			text, s.Before = text[from+space+1:], true
		}
	}
	if s.Before {
		text = "…" + text
	}
	if s.After {
		text += "…"
	}
	return text
}

// textQuery is the query of the list, as texts are searched for it. The last
// word is still being typed, so it may go on; a pattern is taken without regard
// to case, as in the list.
func textQuery(text string, now time.Time) (search.Query, bool) {
	text = strings.TrimSpace(text)
	if pattern, is := strings.CutPrefix(text, "re:"); is {
		re, err := regexp.Compile("(?i)" + strings.TrimSpace(pattern))
		if err != nil || strings.TrimSpace(pattern) == "" {
			return search.Query{}, false
		}
		return search.Query{Terms: []search.Term{{Regexp: re}}}, true
	}
	if strings.Count(text, `"`)%2 == 1 {
		text = strings.ReplaceAll(text, `"`, " ")
	}
	runes := []rune(strings.TrimSpace(text))
	if len(runes) == 0 {
		return search.Query{}, false
	}
	if last := runes[len(runes)-1]; unicode.IsLetter(last) || unicode.IsDigit(last) {
		runes = append(runes, '*')
	}
	q, err := search.Parse(string(runes), now)
	return q, err == nil && len(q.Terms) > 0
}
