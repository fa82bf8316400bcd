package search

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"iter"
	"math"
	"os"
	"slices"

	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/parallel"
)

// newest finds the newest hits: those of the first sessions first, until there
// are enough. It asks the index about a few sessions, then about more and more.
func (s *searching) newest(ctx context.Context, tx *sql.Tx) error {
	most := s.o.Limit + 1
	if s.o.PerSession > 0 {
		most = s.o.PerSession
	}
	for from, size := 0, 32; from < len(s.targets); from, size = from+size, 4*size {
		some := s.targets[from:min(len(s.targets), from+size)]
		docs, err := s.indexed(ctx, tx, some)
		if err != nil {
			return err
		}
		for out := range s.look(ctx, some, docs, most) {
			s.account(ctx, &out)
			if !s.take(out.hits...) {
				return nil
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// first finds the first hit of each session and counts its hits.
func (s *searching) first(ctx context.Context, tx *sql.Tx) error {
	docs, err := s.indexed(ctx, tx, s.targets)
	if err != nil {
		return err
	}
	counted := make([]int, len(s.targets)) // hits that the index counts, without reading them
	if s.q.indexDecides(s.o) {
		shown := 0
		for i, t := range s.targets {
			if t.src == nil || len(docs[t.src.id]) == 0 {
				continue
			}
			of := docs[t.src.id]
			shown++
			if docs[t.src.id] = of[len(of)-1:]; s.o.Limit > 0 && shown > s.o.Limit {
				docs[t.src.id] = nil
			}
			counted[i] = len(of) - len(docs[t.src.id])
		}
	}
	i := 0
	for out := range s.look(ctx, s.targets, docs, math.MaxInt) {
		s.account(ctx, &out)
		if n := len(out.hits) + counted[i]; n > 0 {
			h := Hit{Session: *s.targets[i].info}
			if k := len(out.hits) - 1; k >= 0 && (counted[i] == 0 || out.hits[k].document != 0) {
				h = out.hits[k]
			}
			h.Matches = n
			s.results.Hits = append(s.results.Hits, h)
		}
		i++
	}
	return ctx.Err()
}

// quickScan is the number of bytes that are read for a count that should be
// quick.
const quickScan = 4 << 20

// counts reports whether the hits of each session can be counted quickly.
func (s *searching) counts(tx *sql.Tx) bool {
	return tx != nil && s.expression != "" && s.q.indexDecides(s.o) && s.results.Unindexed <= quickScan
}

// indexDecides reports whether every entry that the index finds is a hit.
func (q *Query) indexDecides(o *Options) bool {
	for _, t := range q.Terms {
		if t.Regexp != nil || len(t.Words) != 1 {
			return false // a phrase may be found across two texts of an entry
		}
	}
	return o.Veil == nil && !q.filtersEntries() && !q.Any
}

// indexed returns the entries of some targets that the index finds, by file, the
// last one first.
func (s *searching) indexed(ctx context.Context, tx *sql.Tx, targets []target) (map[int64][]document, error) {
	if tx == nil || s.expression == "" {
		return nil, nil
	}
	first, last := int64(math.MaxInt64), int64(0)
	for _, t := range targets {
		if t.src != nil {
			first, last = min(first, t.src.first), max(last, t.src.last)
		}
	}
	docs, err := s.q.documents(ctx, tx, s.expression, "AND word.rowid BETWEEN ? AND ? ORDER BY word.rowid DESC", first, last)
	if err != nil {
		return nil, err
	}
	byFile := map[int64][]document{}
	for _, d := range docs {
		byFile[d.file] = append(byFile[d.file], d)
	}
	return byFile, nil
}

// A result is what was found in one session.
type result struct {
	path string
	hits []Hit
	read int64
	err  error
}

// A worker searches sessions. It is used by one goroutine.
type worker struct {
	scanner *scanner
	entry   entry
	lines   jsonl.Lines
}

// look yields the hits in each target, the last entry first, at most most of
// them: those in the part that is not in the index, then the entries that the
// index found.
func (s *searching) look(ctx context.Context, targets []target, docs map[int64][]document, most int) iter.Seq[result] {
	return parallel.InOrder(ctx, len(targets), func(ctx context.Context, w *worker, i int) (out result) {
		t := &targets[i]
		w.begin(s)
		out.path = t.info.Path
		if t.info.Size > s.scanFrom(t) {
			before := w.scanner.read
			out.hits, out.err = s.scanTarget(ctx, w.scanner, t, most)
			out.read = w.scanner.read - before
		}
		if t.src != nil && len(out.hits) < most {
			out.hits = append(out.hits, w.verified(ctx, s, t, docs[t.src.id], most-len(out.hits))...)
		}
		return out
	})
}

// lookUp yields the hits among the entries that the index found.
func (s *searching) lookUp(ctx context.Context, targets []target, docs map[int64][]document) iter.Seq[result] {
	return parallel.InOrder(ctx, len(targets), func(ctx context.Context, w *worker, i int) result {
		w.begin(s)
		return result{hits: w.verified(ctx, s, &targets[i], docs[targets[i].src.id], math.MaxInt)}
	})
}

func (w *worker) begin(s *searching) {
	if w.scanner == nil {
		w.scanner = newScanner(s.q, s.weighs(), s.o.Veil)
	}
}

// verified returns the entries of a session that match, at most most of them.
// The index only says where they may be: each line is read.
func (w *worker) verified(ctx context.Context, s *searching, t *target, docs []document, most int) (hits []Hit) {
	if len(docs) == 0 {
		return nil
	}
	if foreign.Find(t.info.Path) != nil {
		last, of := lastHits{most: most}, make(map[int64]*document, len(docs))
		for i := range docs {
			of[docs[i].offset] = &docs[i]
		}
		_, _ = foreign.Lines(ctx, t.info.Path, &w.lines, 0, t.end, func(line *jsonl.Line) error { // it may be gone
			if d := of[line.At]; d != nil && d.length == line.Size-1 {
				if h, ok := w.verify(ctx, s, t, d, line.Data); ok {
					last.add(h)
				}
			}
			return nil
		})
		return last.all()
	}
	in, err := os.Open(t.info.Path)
	if err != nil {
		return nil // it is gone
	}
	defer in.Close() // only read
	for i := range docs {
		d := &docs[i]
		if len(hits) == most || ctx.Err() != nil {
			break
		}
		if d.offset < 0 || d.length < 0 || d.offset > t.end || d.length > t.end-d.offset {
			continue
		}
		line, err := w.lines.At(ctx, in, d.offset, d.length)
		if err != nil {
			continue
		}
		if h, ok := w.verify(ctx, s, t, d, line); ok {
			hits = append(hits, h)
		}
	}
	return hits
}

// verify returns the hit in the line of a document, if it matches.
func (w *worker) verify(ctx context.Context, s *searching, t *target, d *document, line []byte) (Hit, bool) {
	f, ok := w.scanner.judge.match(&w.entry, line)
	if !ok {
		return Hit{}, false
	}
	w.entry.length = int(d.length)
	h, ok := s.hit(ctx, t, &w.entry, f, d.offset)
	h.document = d.id
	return h, ok
}

// account adds the cost of a scan, and reports a session that could not be
// read, unless it was removed since it was listed.
func (s *searching) account(ctx context.Context, out *result) {
	s.results.Scanned += out.read
	if s.o.Progress != nil {
		s.o.Progress(min(s.results.Scanned, s.toScan), s.toScan) // a session may have grown
	}
	if out.err != nil && ctx.Err() == nil && !errors.Is(out.err, fs.ErrNotExist) && s.o.Catalog.Skipped != nil {
		s.o.Catalog.Skipped(out.path, out.err)
	}
}

// take adds hits. It returns false if there are enough.
func (s *searching) take(hits ...Hit) bool {
	if s.o.PerSession > 0 {
		hits = slices.DeleteFunc(hits, func(h Hit) bool {
			s.taken[h.Session.Path]++
			return s.taken[h.Session.Path] > s.o.PerSession
		})
	}
	room := s.o.Limit - len(s.results.Hits)
	s.results.Hits = append(s.results.Hits, hits[:min(room, len(hits))]...)
	s.results.More = len(hits) > room
	return !s.results.More
}
