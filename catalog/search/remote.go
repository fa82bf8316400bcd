package search

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/catalog"
)

// A WordCollector finds the words of lines. The zero value is ready to use.
type WordCollector struct {
	entry entry
	words splitter
	known map[string]int // indexes of found
	found []string       // distinct words, the first first
	at    [][]uint16     // their positions in the line
}

// Positions that PostgreSQL can store: the last one in a line, and how many a
// word can have.
const (
	lastPosition  = 16_000
	mostPositions = 250
)

// Append appends the distinct words of a line to dst, each after a space and
// with its positions: " word:1,7". Only words of the same text have neighboring
// positions. If there are too many, the words have none, and the first is "-".
func (w *WordCollector) Append(dst []byte, line []byte) []byte {
	positions := w.read(line)
	if !positions {
		dst = append(dst, " -"...)
	}
	for i, word := range w.found {
		dst = append(append(dst, ' '), word...)
		sep := byte(':')
		for _, at := range w.at[i] {
			if !positions {
				break
			}
			dst = strconv.AppendUint(append(dst, sep), uint64(at), 10)
			sep = ','
		}
	}
	return dst
}

// read finds the words of a line. It reports whether all have their positions.
func (w *WordCollector) read(line []byte) (positions bool) {
	w.found = w.found[:0]
	clear(w.known)
	if w.known == nil {
		w.known = map[string]int{}
	}
	if !w.entry.read(line) {
		return true
	}
	at, most := 0, 0
	for i := range w.entry.fields {
		w.words.text, w.words.pos = w.entry.fields[i].text, 0
		for at++; ; at++ { // skips a position between texts
			if _, ok := w.words.next(); !ok {
				break
			}
			n, known := w.known[string(w.words.folded)]
			if !known {
				n = len(w.found)
				word := string(w.words.folded)
				w.known[word] = n
				w.found = append(w.found, word)
				if n == len(w.at) {
					w.at = append(w.at, nil)
				}
				w.at[n] = w.at[n][:0]
			}
			if len(w.at[n]) <= mostPositions {
				w.at[n] = append(w.at[n], uint16(min(at, lastPosition+1)))
				most = max(most, len(w.at[n]))
			}
		}
	}
	return at <= lastPosition && most <= mostPositions
}

// Needs returns the terms that an entry contains if it matches the query: words,
// or several words that follow each other, separated by spaces. The last word of
// each of prefixes is the beginning of a word. ok is false if there are none, or
// if an entry cannot be judged without the rest of its session: such a query
// needs the files.
func (q *Query) Needs() (words, prefixes []string, ok bool) {
	for _, t := range q.Terms {
		switch term := strings.Join(t.Words, " "); {
		case t.Regexp != nil:
		case t.Prefix:
			prefixes = append(prefixes, term)
		default:
			words = append(words, term)
		}
	}
	slices.Sort(words)
	return slices.Compact(words), prefixes, len(words)+len(prefixes) > 0 && !q.Filters.Has("file", "branch") && !q.Any
}

// A RemoteLine is a line that may match a query, of a session that has no file
// here.
type RemoteLine struct {
	Session *catalog.Info
	Offset  int64
	Line    []byte // without its line ending
}

// Remote searches sessions that have no files here, given the candidates for
// a query: those of the first session first, the last line of each first.
// The options Order, Limit and PerSession apply. The caller sets
// Results.Sessions.
func Remote(ctx context.Context, q Query, o Options, candidates iter.Seq2[RemoteLine, error]) (Results, error) {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	s := newSearching(&q, &o)
	judge := newJudge(&q, s.weighs(), o.Veil)
	var e entry
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
