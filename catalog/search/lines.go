package search

import (
	"cmp"
	"context"
	"iter"
	"os"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/parallel"
)

// A lineReader reads the lines of documents that the index found. It is used by
// one goroutine. It leaves the last file open, because hits of one session are
// usually adjacent.
type lineReader struct {
	judge *judge
	entry entry
	path  string
	file  *os.File
	lines envelope.Lines
}

// A located is a document with the place of its line.
type located struct {
	doc int64
	of  *target
	at  place
}

// locate finds the line of a document; ok is false if its session is not
// searched, or its role does not match the query.
func (s *searching) locate(ctx context.Context, doc int64) (_ located, ok bool) {
	t, at, ok := s.placeOf(ctx, doc)
	if !ok {
		return located{}, false
	}
	if at.offset < 0 || at.offset > t.end || int64(at.length) > t.end-at.offset {
		s.failed = cmp.Or(s.failed, errPlaces)
		return located{}, false
	}
	return located{doc, t, at}, true
}

// indexed returns the hit of a document that the index found; ok is false if it
// does not match the query.
func (s *searching) indexed(ctx context.Context, doc int64) (_ Hit, ok bool) {
	l, ok := s.locate(ctx, doc)
	if !ok {
		return Hit{}, false
	}
	return s.lines.hit(ctx, s, l)
}

// allIndexed yields the documents that are hits, in order. It reads several
// concurrently.
func (s *searching) allIndexed(ctx context.Context, docs []int64) iter.Seq2[int64, Hit] {
	s.fetchPlaces(ctx, s.newRuns(docs)...)
	var groups [][]located // adjacent documents of one file
	for _, doc := range docs {
		l, ok := s.locate(ctx, doc)
		if !ok {
			continue
		}
		if n := len(groups) - 1; n >= 0 && groups[n][0].of == l.of {
			groups[n] = append(groups[n], l)
		} else {
			groups = append(groups, []located{l})
		}
	}
	type hitAt struct {
		doc int64
		hit Hit
	}
	return func(yield func(int64, Hit) bool) {
		read := func(ctx context.Context, r *lineReader, i int) (hits []hitAt) {
			defer r.close()
			for _, l := range groups[i] {
				if h, ok := r.hit(ctx, s, l); ok {
					hits = append(hits, hitAt{l.doc, h})
				}
			}
			return hits
		}
		for hits := range parallel.InOrder(ctx, len(groups), read) {
			for _, h := range hits {
				if !yield(h.doc, h.hit) {
					return
				}
			}
		}
	}
}

// newRuns returns the runs of searched sessions that contain documents and whose
// places were not read yet.
func (s *searching) newRuns(docs []int64) (out []run) {
	seen := map[int64]bool{}
	var r run
	for _, doc := range docs {
		if doc >= r.First && doc < r.First+int64(r.Count) {
			continue
		}
		var ok bool
		if r, ok = s.have.runOf(doc); ok && !seen[r.First] && s.places[r.First] == nil && s.targetOf(r.of) != nil {
			out = append(out, r)
			seen[r.First] = true
		}
	}
	return out
}

// hit returns the hit at a line; ok is false if it does not match the query.
func (r *lineReader) hit(ctx context.Context, s *searching, l located) (_ Hit, ok bool) {
	if r.judge == nil {
		r.judge = newJudge(s.q, s.weighs(), s.o.Veil)
	}
	if r.open(l.of.info.Path) != nil {
		return Hit{}, false
	}
	line, err := r.lines.At(ctx, r.file, l.at.offset, int64(l.at.length))
	if err != nil {
		return Hit{}, false
	}
	f, ok := r.judge.match(&r.entry, line)
	if !ok {
		return Hit{}, false
	}
	r.entry.length = l.at.length
	return s.hit(ctx, l.of, &r.entry, f, l.at.offset)
}

func (r *lineReader) open(path string) (err error) {
	if r.file != nil && r.path == path {
		return nil
	}
	r.close()
	r.path = path
	if r.file, err = os.Open(path); err != nil {
		r.file = nil
	}
	return err
}

func (r *lineReader) close() {
	if r.file != nil {
		r.file.Close() // only read
		r.file = nil
	}
}
