package search

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/catalog"
)

// A WordCollector finds the words of lines. The zero value is ready to use.
type WordCollector struct {
	entry entry
	words splitter
	seen  map[string]struct{}
}

// Append appends the distinct words of a line to dst, each after a space. A
// line that matches a query contains the words that [Query.Needs] returns.
func (w *WordCollector) Append(dst []byte, line []byte) []byte {
	if !w.entry.read(line) {
		return dst
	}
	clear(w.seen)
	if w.seen == nil {
		w.seen = map[string]struct{}{}
	}
	for i := range w.entry.fields {
		w.words.text, w.words.pos = w.entry.fields[i].text, 0
		for {
			if _, ok := w.words.next(); !ok {
				break
			}
			if _, known := w.seen[string(w.words.folded)]; !known {
				w.seen[string(w.words.folded)] = struct{}{}
				dst = append(append(dst, ' '), w.words.folded...)
			}
		}
	}
	return dst
}

// Needs returns the words, and the prefixes of words, that an entry contains if
// it matches the query. ok is false if there are none, or if an entry cannot be
// judged without the rest of its session: such a query needs the files.
func (q *Query) Needs() (words, prefixes []string, ok bool) {
	for _, t := range q.Terms {
		if t.Regexp != nil {
			continue
		}
		whole := t.Words
		if t.Prefix {
			last := len(whole) - 1
			whole, prefixes = whole[:last], append(prefixes, whole[last])
		}
		words = append(words, whole...)
	}
	slices.Sort(words)
	return slices.Compact(words), prefixes, len(words)+len(prefixes) > 0 && q.File == "" && !q.Active && !q.Any
}

// OnlyWords reports whether every entry that contains the words of Needs
// matches, except for its time, role and tool.
func (q *Query) OnlyWords() bool {
	for _, t := range q.Terms {
		if t.Regexp != nil || len(t.Words) > 1 {
			return false
		}
	}
	return true
}

// A RemoteLine is a line that may match a query, of a session that has no file
// here.
type RemoteLine struct {
	Session *catalog.Info
	Offset  int64
	Line    []byte // without its line ending
}

// Remote searches sessions that have no files here, given the candidates for
// a query: those of the first session first, the last line of each first. It
// calls wrong for candidates that lack the words that [Query.Needs] returns.
// The options Order, Limit and PerSession apply. The caller sets
// Results.Sessions.
func Remote(ctx context.Context, q Query, o Options, candidates iter.Seq2[RemoteLine, error], wrong func(session *catalog.Info)) (Results, error) {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	s := &searching{q: &q, o: &o, taken: map[string]int{}}
	words, prefixes, _ := q.Needs()
	judge := newJudge(&q, s.weighs(), o.Veil)
	var e entry
	var of WordCollector
	var hits []Hit // for the order Best
	for c, err := range candidates {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return Results{}, err
		}
		f, ok := judge.match(&e, c.Line)
		if !ok {
			if !contains(string(of.Append(nil, c.Line))+" ", words, prefixes) {
				wrong(c.Session)
			}
			continue
		}
		e.length = len(c.Line)
		h, ok := s.hit(ctx, &target{info: c.Session}, &e, f, c.Offset)
		switch {
		case !ok:
		case s.weighs():
			hits = append(hits, h)
		case !s.take(h):
			return s.results, nil
		}
	}
	if s.weighs() {
		s.results.Hits = s.top(hits)
	}
	return s.results, nil
}

// contains reports whether text, in which each word is between spaces, has
// all words and prefixes.
func contains(text string, words, prefixes []string) bool {
	for _, w := range words {
		if !strings.Contains(text, " "+w+" ") {
			return false
		}
	}
	for _, p := range prefixes {
		if !strings.Contains(text, " "+p) {
			return false
		}
	}
	return true
}

// Merge returns the results of two searches for the same query over different
// sessions, as one search over all of them would.
func Merge(a, b Results, o Options) Results {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	s := &searching{o: &o, results: Results{
		More: a.More || b.More, Sessions: a.Sessions + b.Sessions, Scanned: a.Scanned + b.Scanned, Unindexed: a.Unindexed + b.Unindexed,
	}}
	hits := slices.Concat(a.Hits, b.Hits)
	if o.Order != Best {
		slices.SortStableFunc(hits, func(x, y Hit) int { return catalog.ByRecency(&x.Session, &y.Session) }) // each half is in order
		if len(hits) > o.Limit {
			hits, s.results.More = hits[:o.Limit], true
		}
		s.results.Hits = hits
		return s.results
	}
	s.results.Hits = s.top(hits)
	return s.results
}
