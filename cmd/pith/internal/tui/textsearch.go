package tui

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/inspect"
)

// mostHits is the maximum number of entries requested from the index; one per
// session is shown.
const mostHits = 300

// fillTime is the time for which the index is filled after a search that had to
// read files.
const fillTime = 20 * time.Second

// indexPatience is the time that the index may take before files are read.
const indexPatience = 250 * time.Millisecond

// Search implements [picker.Sessions]. It searches the content of sessions: in
// the index of words, and at the same time in every session, which finds parts
// of words and words that are far apart. Only the index finds words with other
// accents.
func (s *library) Search(ctx context.Context, q picker.Search) <-chan picker.Findings {
	out := make(chan picker.Findings)
	s.background.run(func() {
		defer close(out)
		send := func(f picker.Findings) bool {
			select {
			case out <- f:
				return true
			case <-ctx.Done():
				return false
			}
		}
		quick, cancel := context.WithTimeout(ctx, indexPatience)
		defer cancel()
		index := make(chan indexed, 1)
		var asking sync.WaitGroup
		defer asking.Wait()
		asking.Go(func() {
			hits, err := s.askIndex(quick, q)
			index <- indexed{hits, err}
		})
		if s.lookInto(ctx, q, index, send) != nil && ctx.Err() == nil {
			hits, err := s.askIndex(ctx, q)
			send(picker.Findings{Hits: hits, Done: len(q.In), Err: err})
		}
	})
	return out
}

// indexed is the answer of the index.
type indexed struct {
	hits []picker.Hit
	err  error
}

// askIndex searches the index of words and reads the parts that it does not
// have.
func (s *library) askIndex(ctx context.Context, q picker.Search) ([]picker.Hit, error) {
	o := search.Options{Catalog: s.catalog(), Index: s.words(), Limit: mostHits}
	if q.Scope == picker.Current {
		o.Cwd = s.c.Cwd
	}
	found, err := search.Search(ctx, search.For(q.Query), o)
	if err != nil {
		return nil, err
	}
	if o.Index != nil && found.Unindexed > 0 {
		s.background.spare(func(ctx context.Context) {
			// Nothing depends on the index: missing parts are read again.
			_ = o.Index.Fill(ctx, search.Build{Catalog: o.Catalog, Within: fillTime})
		})
	}
	hits := make([]picker.Hit, 0, len(found.Hits))
	for i := range found.Hits {
		if h := &found.Hits[i]; h.Kind != inspect.PartName { // names are in the list
			hits = append(hits, picker.Hit{Path: h.Session.Path, EntryID: h.EntryID, Who: who(h.Kind, h.Role, h.Tool), Snippet: snippet(h.Snippet)})
		}
	}
	return hits, nil
}

// lookInto searches the sessions one by one. It sends results from time to time,
// with the progress, but not before those of the index, which are better: an
// entry of theirs has all words. It returns the error of the index.
func (s *library) lookInto(ctx context.Context, q picker.Search, index <-chan indexed, send func(picker.Findings) bool) error {
	terms := make([]search.Term, len(q.Terms))
	for i, re := range q.Terms {
		terms[i] = search.Term{Regexp: re}
	}
	if _, ofEntries := q.Query.OfEntries(); ofEntries { // a part of a word may be in another entry
		a := <-index
		if a.err == nil {
			send(picker.Findings{Hits: a.hits, Done: len(q.In)})
		}
		return a.err
	}
	var part picker.Findings
	var last time.Time // the first part is sent immediately
	var answer *indexed
	for probe := range search.Within(ctx, terms, q.In) {
		part.Done++
		if at := probe.Found; at != nil && at.Kind != inspect.PartName {
			part.Hits = append(part.Hits, picker.Hit{Path: at.Path, EntryID: at.EntryID, Who: who(at.Kind, "", ""), Snippet: snippet(at.Snippet)})
		}
		if answer == nil {
			select {
			case a := <-index:
				answer, part.Hits = &a, append(a.hits, part.Hits...)
			default:
				continue
			}
		}
		if time.Since(last) > batchTime {
			if !send(part) {
				return answer.err
			}
			part, last = picker.Findings{Done: part.Done}, time.Now()
		}
	}
	if answer == nil {
		a := <-index
		answer, part.Hits = &a, append(a.hits, part.Hits...)
	}
	send(part)
	return answer.err
}

// who names the part of a session that a match is in.
func who(kind inspect.Part, role, tool string) string {
	switch {
	case tool != "":
		return tool
	case kind == inspect.PartText && role == "user":
		return "you"
	case kind == inspect.PartText:
		return "response"
	}
	return string(kind)
}

// words returns the index of words, or nil.
func (s *library) words() *search.Index {
	if s.c.Words == nil {
		return nil
	}
	return s.c.Words()
}

// lead is the number of bytes of a snippet before the match, because a row is
// short.
const lead = 16

// snippet returns one line with the match near its start.
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
