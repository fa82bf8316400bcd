package search

import (
	"context"
	"math/bits"
	"slices"
)

// An index contains the words of the plain text. With a veil, neither the
// number of occurrences of a word nor the documents that contain it may be
// taken from the index: a caller who can write entries could detect hidden
// words by the order of the results.

const (
	// mostExact is the number up to which the visible documents of a term are
	// counted exactly. Higher counts are rounded.
	mostExact = 32
	// mostHidden is the number of documents that may hide a word without
	// changing its rounded count.
	mostHidden = 16
)

// roundedCount rounds a number of documents above mostExact to the middle
// between two powers of two.
func roundedCount(n int) int {
	if n <= mostExact {
		return n
	}
	return 3 << (bits.Len(uint(n-1)) - 2)
}

// visibleHits returns the best hits with the veil. counts are the numbers of
// entries by term, including hidden ones; it corrects them and sets the rarity
// of the terms.
//
// All documents of a term are read if its rounded count could differ without
// mostHidden of them. So hidden text has no influence on the order of the
// results, unless a word occurs in more than mostOfTerm documents, or is hidden
// in more than mostHidden and visible in more than mostExact.
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
		// A document may contain less than the index states, and make room for
		// others.
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

// A reader reads documents to find which terms are visible in them.
type reader struct {
	s    *searching
	held []holder      // ordered by number
	hits map[int64]Hit // of documents that were read; without Terms if it does not match
}

// holding returns the documents that contain a term, as far as is known.
func (r *reader) holding(term uint64) (docs []int64) {
	for _, h := range r.held {
		if h.terms&term != 0 {
			docs = append(docs, h.doc)
		}
	}
	return docs
}

// all reads documents. It returns false if all were read before.
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
