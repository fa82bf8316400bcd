package search

import (
	"context"
	"math/bits"
	"slices"
)

// An index holds the words of the plain text. Behind a veil, neither how often a word
// occurs nor which documents hold it may be taken from there: a caller who can write
// entries would see hidden words by the order of the results.

const (
	// mostExact is up to how many documents of a term are counted as they can be seen.
	// Higher counts are rounded.
	mostExact = 32
	// mostHidden is how many documents may hide a word without a change of its rounded
	// count.
	mostHidden = 16
)

// roundedCount rounds a number of documents beyond mostExact to the middle between two
// powers of two.
func roundedCount(n int) int {
	if n <= mostExact {
		return n
	}
	return 3 << (bits.Len(uint(n-1)) - 2)
}

// visibleHits are the best hits among documents behind the veil. counts are entries by
// term, hidden ones included; it corrects them and sets the rarity of the terms.
//
// Documents of a term are all read where its rounded count could be another without
// mostHidden of them. So hidden text has no influence on the order of the results,
// unless a word occurs in more than mostOfTerm documents, or is hidden in more than
// mostHidden and seen in more than mostExact.
func (s *searching) visibleHits(ctx context.Context, held []holder, counts []int, total int) []Hit {
	read := reader{s, held, map[int64]Hit{}}
	before := make([]int, len(counts))
	for i := range counts {
		before[i] = len(read.holding(1 << i))
	}
	for i, n := range counts {
		if roundedCount(n) == roundedCount(max(0, n-mostHidden)) || n >= mostOfTerm {
			counts[i] = roundedCount(n)
			continue
		}
		read.all(ctx, read.holding(1<<i))
		counts[i] = roundedCount(n - before[i] + len(read.holding(1<<i)))
	}
	s.results.Rarity = rarity(counts, total)
	for {
		// What was read may hold less than the index says, and make room for others.
		docs := s.promising(read.held)
		if read.all(ctx, docs) && ctx.Err() == nil {
			continue
		}
		var hits []Hit
		for _, doc := range docs {
			if h := read.hits[doc]; h.Terms != 0 {
				hits = append(hits, h)
			}
		}
		return hits
	}
}

// A reader reads documents to learn which terms can be seen in them.
type reader struct {
	s    *searching
	held []holder      // in the order of their numbers
	hits map[int64]Hit // of what was read, without Terms where it is none
}

// holding are the documents that hold a term, as far as is known.
func (r *reader) holding(term uint64) (docs []int64) {
	for _, h := range r.held {
		if h.terms&term != 0 {
			docs = append(docs, h.doc)
		}
	}
	return docs
}

// all reads documents; false if all were read before.
func (r *reader) all(ctx context.Context, docs []int64) bool {
	docs = slices.DeleteFunc(slices.Clone(docs), func(doc int64) bool { _, ok := r.hits[doc]; return ok })
	for _, doc := range docs {
		r.hits[doc] = Hit{}
	}
	for doc, h := range r.s.allIndexed(ctx, docs) {
		r.hits[doc] = h
	}
	r.held = slices.DeleteFunc(r.held, func(h holder) bool {
		hit, ok := r.hits[h.doc]
		return ok && hit.Terms == 0
	})
	for i := range r.held {
		if hit, ok := r.hits[r.held[i].doc]; ok {
			r.held[i].terms = hit.Terms
		}
	}
	return len(docs) > 0
}
