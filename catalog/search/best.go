package search

import (
	"cmp"
	"context"
	"math"
	"math/bits"
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
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Time.Compare(a.Time), cmp.Compare(a.Session.ID, b.Session.ID),
			cmp.Compare(a.Session.Path, b.Session.Path), cmp.Compare(b.Offset, a.Offset))
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
	// mostOfQuery is how many documents of the index are, and mostRuns from how many
	// runs they come, each of which costs a look. Of words that stand in more, those that
	// were indexed last are taken: to weigh all would take long and tell little.
	mostOfQuery = 3000
	mostRuns    = 250
	// mostOfSeveral is mostOfQuery where words must meet: the index walks over many
	// documents to find one.
	mostOfSeveral = 80
)

// bestDocuments are the best hits in the index. It reads the entries with the shortest
// lines: these are most about the terms, as far as can be told without reading. If too
// few of them are hits, it goes on with more.
func (s *searching) bestDocuments(ctx context.Context) (hits []Hit, err error) {
	enough, few := max(4*s.o.Limit, mostRead), s.o.Limit
	last, most := int64(math.MaxInt64), mostOfQuery
	if len(s.phrases) > 1 || len(s.phrases[0].Words) > 1 {
		most = mostOfSeveral
		if s.o.Veil != nil { // how many documents were asked for must not show
			enough, few = 2*s.o.Limit, 2*s.o.Limit
		}
	}
	for times := 1; len(hits) <= few; times *= 8 {
		docs, err := s.o.Index.texts.Latest(ctx, s.phrases, 0, last, times*most)
		if err != nil || len(docs) == 0 {
			return hits, err
		}
		some := docs
		if s.o.Veil == nil || most == mostOfQuery {
			some, last = s.byLength(ctx, docs, times*mostRuns)
		} else {
			last = docs[len(docs)-1] - 1
		}
		for _, h := range s.allIndexed(ctx, some) {
			if hits = append(hits, h); len(hits) > enough {
				break
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(docs) < times*most && last < docs[len(docs)-1] {
			break // there are no more
		}
	}
	return hits, nil
}

// byLength are documents of the sessions that are searched, the shortest line first,
// from at most so many runs that were not looked into before. What was left out has
// numbers up to rest. Behind a veil lengths are rounded, because they tell a little of
// what is hidden.
func (s *searching) byLength(ctx context.Context, docs []int64, runs int) (out []int64, rest int64) {
	length := make(map[int64]int, len(docs))
	runs += len(s.places)
	for _, doc := range docs {
		if len(s.places) > runs {
			break
		}
		if _, at, ok := s.placeOf(ctx, doc); ok {
			if length[doc] = at.length; s.o.Veil != nil {
				length[doc] = bits.Len(uint(at.length))
			}
			out = append(out, doc)
		}
		rest = doc - 1
	}
	slices.SortStableFunc(out, func(a, b int64) int { return cmp.Compare(length[a], length[b]) })
	return out, rest
}

// scoreOf weighs an entry: how often the terms occur, for its length.
func scoreOf(f found) float64 {
	const k, b, usual = 1.2, 0.75, 60 // those of BM25, and the size of a usual entry
	hits := float64(f.hits)
	return hits * (k + 1) / (hits + k*(1-b+b*float64(f.size)/usual))
}
