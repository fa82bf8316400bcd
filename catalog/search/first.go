package search

import (
	"context"
	"math"
)

// firstHit is the first hit of a session, and the number of its hits.
type firstHit struct {
	hit    *Hit
	count  int
	unread bool // beyond the limit: its line is not read
}

// first finds the first hit of each session and counts its hits.
func (s *searching) first(ctx context.Context) error {
	all := make([]firstHit, len(s.targets))
	var steps []step
	for i := range s.targets {
		if s.targets[i].info.Size > s.scanFrom(&s.targets[i]) {
			steps = append(steps, step{scan: i})
		}
	}
	n := 0
	for out := range s.scans(ctx, steps, math.MaxInt) { // they follow those in the index
		s.account(ctx, &out)
		if count := len(out.hits); count > 0 {
			all[steps[n].scan] = firstHit{hit: &out.hits[count-1], count: count}
		}
		n++
	}
	if s.have != nil && len(s.phrases) > 0 && ctx.Err() == nil {
		if err := s.firstInIndex(ctx, all); err != nil {
			return err
		}
	}
	for i, f := range all {
		if f.unread {
			f.hit = &Hit{Session: *s.targets[i].info}
		}
		if f.hit != nil {
			f.hit.Matches = f.count
			s.results.Hits = append(s.results.Hits, *f.hit)
		}
	}
	return ctx.Err()
}

// firstInIndex adds the hits that the index finds. If all its documents are
// hits, it reads only the first one of each session.
func (s *searching) firstInIndex(ctx context.Context, all []firstHit) error {
	docs, err := s.o.Index.texts.Latest(ctx, s.phrases, 0, math.MaxInt64, math.MaxInt32)
	if err != nil {
		return err
	}
	counted := s.indexDecides()
	if counted {
		docs = s.countDocuments(docs, all)
	}
	for doc, h := range s.allIndexed(ctx, docs) { // the first one of a session is the last here
		r, _ := s.have.runOf(doc)
		f := &all[s.bySrc[r.of.number]-1]
		if f.hit = &h; !counted {
			f.count++
		}
	}
	return nil
}

// countDocuments adds the number of documents of each session, and returns the
// first one of each, up to the limit.
func (s *searching) countDocuments(docs []int64, all []firstHit) (firsts []int64) {
	first := make([]int64, len(all))
	var r run
	of := -1
	for _, doc := range docs { // the highest first
		if of < 0 || doc < r.First {
			if found, ok := s.have.runOf(doc); ok {
				r, of = found, s.bySrc[found.of.number]-1
			} else {
				of = -1
			}
		}
		if of >= 0 {
			first[of] = doc
			all[of].count++
		}
	}
	for i, doc := range first {
		switch {
		case doc == 0:
		case s.o.Limit > 0 && len(firsts) == s.o.Limit:
			all[i].unread = true
		default:
			firsts = append(firsts, doc)
		}
	}
	return firsts
}

// quickScan is the number of bytes that are read for a count that should be
// quick.
const quickScan = 4 << 20

// counts reports whether the hits of each session can be counted quickly.
func (s *searching) counts() bool {
	return s.have != nil && len(s.phrases) > 0 && s.indexDecides() && s.results.Unindexed <= quickScan
}

// indexDecides reports whether every document that the index finds is a hit.
func (s *searching) indexDecides() bool {
	for _, t := range s.q.Terms {
		if t.Regexp != nil || len(t.Words) != 1 {
			return false // a phrase may be found across two texts of an entry
		}
	}
	q := s.q
	return s.o.Veil == nil && q.Role == "" && q.Tool == "" && q.File == "" && !q.Active && !q.Any && q.Since.IsZero() && q.Until.IsZero()
}
