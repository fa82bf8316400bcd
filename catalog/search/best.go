package search

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
)

// best finds the hits with the highest scores. The index supplies documents;
// the parts of sessions that it does not have are scanned and scored in the
// same way.
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

// top returns the best hits, up to the limit; it sets More if there were more.
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
	// mostWeighed is the number of entries of one session that are scored
	// against each other.
	mostWeighed = 20_000
	// mostOfQuery is the number of documents of the index that are scored, and
	// mostRuns the number of runs that they come from, each of which costs a
	// lookup. Of more frequent words, the documents that were indexed last are
	// taken: scoring all would take long and gain little.
	mostOfQuery = 3000
	mostRuns    = 250
	// mostOfSeveral is mostOfQuery for several words: the index walks over many
	// documents to find one that contains all of them.
	mostOfSeveral = 80
)

// bestDocuments returns the best hits in the index. It reads the entries with
// the shortest lines first: these have the highest scores as far as can be
// estimated without reading. If too few of them are hits, it continues with
// more.
func (s *searching) bestDocuments(ctx context.Context) (hits []Hit, err error) {
	enough, few := max(4*s.o.Limit, mostRead), s.o.Limit
	last, most := int64(math.MaxInt64), mostOfQuery
	if len(s.phrases) > 1 || len(s.phrases[0].Words) > 1 {
		most = mostOfSeveral
		if s.o.Veil != nil { // the number of requested documents must not show
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

// byLength returns documents of the searched sessions, the shortest line first,
// from at most runs runs that were not looked up before. Documents left out
// have numbers up to rest. With a veil, lengths are rounded, because they
// reveal a little about hidden text.
func (s *searching) byLength(ctx context.Context, docs []int64, runs int) (out []int64, rest int64) {
	unread := s.newRuns(docs)
	if len(unread) > runs {
		next := unread[runs]
		docs = docs[:slices.IndexFunc(docs, func(doc int64) bool { return doc < next.First+int64(next.Count) })]
		unread = unread[:runs]
	}
	s.fetchPlaces(ctx, unread...)
	length := make(map[int64]int, len(docs))
	for _, doc := range docs {
		if _, at, ok := s.placeOf(ctx, doc); ok {
			if length[doc] = at.length; s.o.Veil != nil {
				length[doc] = bits.Len(uint(at.length))
			}
			out = append(out, doc)
		}
	}
	slices.SortStableFunc(out, func(a, b int64) int { return cmp.Compare(length[a], length[b]) })
	return out, docs[len(docs)-1] - 1
}

// scoreOf scores an entry by the number of occurrences of the terms relative to
// its length.
func scoreOf(f found) float64 {
	const k, b, usual = 1.2, 0.75, 60 // as in BM25, and the size of a usual entry
	hits := float64(f.hits)
	return hits * (k + 1) / (hits + k*(1-b+b*float64(f.size)/usual))
}
