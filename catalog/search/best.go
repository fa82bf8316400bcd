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

const (
	// mostWeighed is how many entries of one session are weighed against each other.
	mostWeighed = 20_000
	// mostOfQuery is how many documents of the index are. Of words that stand in more,
	// those that were indexed last are taken: to weigh all would take long and tell
	// little.
	mostOfQuery = 3000
)

// bestDocuments are the best hits in the index. It reads the entries with the shortest
// lines: these are most about the terms, as far as can be told without reading.
func (s *searching) bestDocuments(ctx context.Context) (hits []Hit, err error) {
	enough := max(4*s.o.Limit, mostRead)
	last := int64(math.MaxInt64)
	for most := mostOfQuery; ; most *= 8 {
		docs, err := s.o.Index.texts.Latest(ctx, s.phrases, 0, last, most)
		if err != nil {
			return nil, err
		}
		all := len(docs) < most
		if !all {
			last = docs[most-1] - 1
		}
		for _, doc := range s.byLength(ctx, docs) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if h, ok := s.indexed(ctx, doc); ok {
				hits = append(hits, h)
			}
			if len(hits) > enough {
				return hits, nil
			}
		}
		if all || len(hits) > s.o.Limit {
			return hits, nil
		}
	}
}

// byLength are the documents of sessions that are searched, the shortest line first.
func (s *searching) byLength(ctx context.Context, docs []int64) []int64 {
	length := make(map[int64]int, len(docs))
	docs = slices.DeleteFunc(docs, func(doc int64) bool {
		_, place, ok := s.placeOf(ctx, doc)
		length[doc] = place.length
		return !ok
	})
	slices.SortStableFunc(docs, func(a, b int64) int { return cmp.Compare(length[a], length[b]) })
	return docs
}

// scoreOf weighs an entry: how often the terms occur, for its length.
func scoreOf(f found) float64 {
	const k, b, usual = 1.2, 0.75, 60 // those of BM25, and the size of a usual entry
	hits := float64(f.hits)
	return hits * (k + 1) / (hits + k*(1-b+b*float64(f.size)/usual))
}
