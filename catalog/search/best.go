package search

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// best finds the hits that are most about the terms. The index knows which of
// its documents these are; what it does not have is scanned and weighed alike.
func (s *searching) best(ctx context.Context) error {
	var hits []Hit
	if s.o.Index != nil && len(s.phrases) > 0 {
		found, err := s.bestDocuments(ctx)
		if err != nil {
			return err
		}
		hits = found
	}
	var steps []step
	for i := range s.targets {
		if s.targets[i].info.Size > s.scanFrom(&s.targets[i]) {
			steps = append(steps, step{scan: i})
		}
	}
	for out := range s.scans(ctx, steps, mostWeighed) {
		s.account(ctx, &out)
		hits = append(hits, out.hits...)
		if len(hits) > 8*s.o.Limit {
			hits = s.top(hits)
		}
	}
	s.results.Hits = s.top(hits)
	return ctx.Err()
}

// top are the best hits, one more than wanted at most; More is set if there were
// more.
func (s *searching) top(hits []Hit) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time), cmp.Compare(a.Session.Path, b.Session.Path),
			cmp.Compare(b.Offset, a.Offset))
	})
	if len(hits) > s.o.Limit {
		s.results.More = true
		hits = hits[:s.o.Limit]
	}
	return hits
}

// mostWeighed is how many entries are weighed against each other. Of a word that
// stands in more, those that were indexed last are taken: to weigh all would take
// long and tell little.
const mostWeighed = 20_000

// bestDocuments are the best hits in the index. Its own rank chooses the
// candidates; the score is then that of all hits, so that it can be compared.
func (s *searching) bestDocuments(ctx context.Context) ([]Hit, error) {
	var from int64
	candidates := 4*s.o.Limit + 100
	if s.narrow() {
		candidates = math.MaxInt32 // few of them may be of the sessions that are searched
	} else {
		var err error
		if from, err = s.o.Index.texts.Nth(ctx, s.phrases, mostWeighed); err != nil {
			return nil, err
		}
	}
	docs, err := s.o.Index.texts.Best(ctx, s.phrases, from, candidates)
	if err != nil {
		return nil, err
	}
	var hits []Hit
	for _, doc := range docs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if h, ok := s.indexed(ctx, doc); ok {
			hits = append(hits, h)
		}
		if len(hits) > 4*s.o.Limit {
			break
		}
	}
	return hits, nil
}

// narrow reports whether the query leaves out entries that hold its words.
func (s *searching) narrow() bool {
	q := s.q
	return q.Project != "" || q.Role != "" || q.Tool != "" || q.File != "" || !q.Since.IsZero() || !q.Until.IsZero() || q.Active ||
		s.o.Cwd != "" || len(s.o.Paths) > 0 || len(s.phrases) < len(q.Terms)
}

// scoreOf weighs an entry: how often the terms occur, for its length.
func scoreOf(f found) float64 {
	const k, b, usual = 1.2, 0.75, 60 // those of BM25, and the size of a usual entry
	hits := float64(f.hits)
	return hits * (k + 1) / (hits + k*(1-b+b*float64(f.size)/usual))
}
