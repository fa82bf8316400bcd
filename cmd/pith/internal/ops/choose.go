package ops

import (
	"context"
	"iter"
	"regexp"
	"sync"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/inspect"
)

// Sessions yields the sessions of a project, or of all if cwd is "", while their files are
// read, for a front end that shows them meanwhile.
func Sessions(ctx context.Context, a *App, cwd string) iter.Seq2[catalog.Info, error] {
	if cwd == "" {
		return catalog.ListAll(ctx, a.Listing())
	}
	return catalog.List(ctx, cwd, a.Listing())
}

// Recent returns some of the sessions that Sessions yields, from the index alone: those
// that were used last, their relatives and the pinned ones. maybe reports whether Sessions
// may yield any.
func Recent(ctx context.Context, a *App, cwd string) (infos []catalog.Info, maybe bool) {
	var pinned []string
	if a.Marks != nil {
		if all, err := a.Marks(); err == nil { // those who show marks report it
			for _, id := range all.IDs() {
				if m := all.Of(id); m.Pinned && m.Path != "" {
					pinned = append(pinned, m.Path)
				}
			}
		}
	}
	return catalog.Recent(ctx, cwd, pinned, a.Listing())
}

// ByRecency compares sessions: the one that was used last comes first.
func ByRecency(a, b *catalog.Info) int { return catalog.ByRecency(a, b) }

// Typed parses a query that is being typed in a project. The query consists of its valid
// parts, and the error describes another one.
func Typed(a *App, text, cwd string) (query.Query, error) {
	return query.Typed(text, a.env(cwd, nil))
}

// Typing returns the filter that is being typed at the end of a query.
func Typing(text string) (f query.Open, ok bool) { return query.Last(text) }

// SeekParams say what Seek searches for.
type SeekParams struct {
	// Cwd is the project; "" means all.
	Cwd string
	// Query has the words, and filters of entries.
	Query query.Query
	// Terms must all match, each anywhere in the text of a session.
	Terms []*regexp.Regexp
	// In are the sessions, in the order in which they are searched.
	In []search.Candidate
}

// A SeekHit is an entry that Seek found.
type SeekHit struct {
	Path, EntryID string
	Kind          inspect.Part
	Role, Tool    string // "" if they are not known
	Snippet       search.Snippet
}

// A Sought is a part of the result of Seek.
type Sought struct {
	Entries []SeekHit
	// Done is the number of sessions that were searched, the first ones.
	Done int
	// Unindexed means that files were read that the index does not have: see [Learn].
	Unindexed bool
}

const (
	// mostSought is the maximum number of entries that the index is asked for.
	mostSought = 300
	// indexPatience is the time that the index may take before files are read.
	indexPatience = 250 * time.Millisecond
	// seekPause is the time between two parts of a result.
	seekPause = 30 * time.Millisecond
)

// Seek searches the texts of sessions for a query that is being typed: in the index of
// words, and at the same time in every session, which finds parts of words and words that
// are far apart. Only the index finds words with other accents. An error ends the search.
func Seek(ctx context.Context, a *App, p SeekParams) iter.Seq2[Sought, error] {
	return func(yield func(Sought, error) bool) {
		quick, cancel := context.WithTimeout(ctx, indexPatience)
		defer cancel()
		index := make(chan indexed, 1)
		var asking sync.WaitGroup
		defer asking.Wait()
		asking.Go(func() { index <- a.askIndex(quick, &p) })
		if p.seek(ctx, index, yield) && ctx.Err() == nil { // the index took too long
			late := a.askIndex(ctx, &p)
			yield(Sought{late.entries, len(p.In), late.unindexed}, late.err)
		}
	}
}

// indexed is the answer of the index.
type indexed struct {
	entries   []SeekHit
	unindexed bool
	err       error
}

// askIndex searches the index of words and reads the parts that it does not have.
func (a *App) askIndex(ctx context.Context, p *SeekParams) (r indexed) {
	o := a.searching(p.Cwd)
	o.Limit, o.Progress, o.Session = mostSought, nil, nil // the caller has chosen the sessions
	found, err := search.Search(ctx, search.For(p.Query), o)
	if err != nil {
		return indexed{err: err}
	}
	for i := range found.Hits {
		h := &found.Hits[i]
		r.entries = append(r.entries, SeekHit{h.Session.Path, h.EntryID, h.Kind, h.Role, h.Tool, h.Snippet})
	}
	r.unindexed = o.Index != nil && found.Unindexed > 0
	return r
}

// seek searches the sessions one by one. It yields results from time to time, but not
// before those of the index, which are better: an entry of theirs has all words. late
// means that the index failed, and more can be yielded.
func (p *SeekParams) seek(ctx context.Context, index <-chan indexed, yield func(Sought, error) bool) (late bool) {
	if _, ofEntries := p.Query.OfEntries(); ofEntries { // a part of a word may be in another entry
		r := <-index
		if r.err == nil {
			yield(Sought{r.entries, len(p.In), r.unindexed}, nil)
		}
		return r.err != nil
	}
	terms := make([]search.Term, len(p.Terms))
	for i, re := range p.Terms {
		terms[i] = search.Term{Regexp: re}
	}
	var part Sought
	var last time.Time // the first part is yielded immediately
	var answer *indexed
	take := func(r indexed) {
		answer, part.Entries, part.Unindexed = &r, append(r.entries, part.Entries...), r.unindexed
	}
	for probe := range search.Within(ctx, terms, p.In) {
		part.Done++
		if at := probe.Found; at != nil {
			part.Entries = append(part.Entries, SeekHit{Path: at.Path, EntryID: at.EntryID, Kind: at.Kind, Snippet: at.Snippet})
		}
		if answer == nil {
			select {
			case r := <-index:
				take(r)
			default:
				continue
			}
		}
		if time.Since(last) > seekPause {
			if !yield(part, nil) {
				return false
			}
			part, last = Sought{Done: part.Done}, time.Now()
		}
	}
	if answer == nil {
		take(<-index)
	}
	return yield(part, nil) && answer.err != nil
}
