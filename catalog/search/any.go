package search

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/pith-sessions/pith/internal/cache/index"
)

const (
	// mostOfTerm is how many documents of one term are considered. Of a word that
	// stands in more, those that were indexed last are, and those with a rarer term of
	// the query.
	mostOfTerm = 3000
	// mostRead is how many entries are read to be weighed.
	mostRead = 150
)

// any finds the entries that are most about some of the terms.
func (s *searching) any(ctx context.Context) error {
	counts := make([]int, len(s.q.Terms)) // entries with each term, about
	hits, err := s.anyScanned(ctx, counts)
	if err != nil {
		return err
	}
	total := 2 * len(hits)
	var held map[int64]uint64
	if s.o.Index != nil && len(s.phrases) > 0 {
		if held, err = s.holders(ctx, counts); err != nil {
			return err
		}
		for _, r := range s.have.runs {
			if _, ours := s.bySrc[r.of]; ours {
				total += r.Count
			}
		}
	}
	s.results.Rarity = rarity(counts, total)
	docs := s.promising(held)
	slices.Sort(docs) // those of one session follow each other
	hits = slices.AppendSeq(hits, s.allIndexed(ctx, docs))
	for i := range hits {
		hits[i].Score = s.weight(&hits[i])
	}
	s.results.Hits = s.top(hits)
	return ctx.Err()
}

// anyScanned are hits in what the index does not have. It counts them by term.
func (s *searching) anyScanned(ctx context.Context, counts []int) ([]Hit, error) {
	var steps []step
	for i := range s.targets {
		if s.targets[i].info.Size > s.scanFrom(&s.targets[i]) {
			steps = append(steps, step{scan: i})
		}
	}
	var hits []Hit
	for out := range s.scans(ctx, steps, mostWeighed) {
		s.account(ctx, &out)
		for i := range out.hits {
			for t := range counts {
				counts[t] += int(out.hits[i].Terms >> t & 1)
			}
		}
		hits = append(hits, out.hits...)
		if len(hits) > mostWeighed {
			hits = s.fewer(hits, rarity(counts, 2*len(hits)))
		}
	}
	return hits, ctx.Err()
}

// fewer keeps the hits that are most about the terms as far as is known.
func (s *searching) fewer(hits []Hit, rare []float64) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(sum(rare, b.Terms), sum(rare, a.Terms)), b.Time.Compare(a.Time))
	})
	return slices.Clone(hits[:mostWeighed/2])
}

// holders are the documents of the searched sessions that hold a term, with the
// terms as bits. It counts them by term.
func (s *searching) holders(ctx context.Context, counts []int) (map[int64]uint64, error) {
	held := map[int64]uint64{}
	note := func(docs []int64, terms uint64) (n int) {
		for _, doc := range docs {
			if r, ok := s.have.runOf(doc); ok {
				if _, ours := s.bySrc[r.of]; ours {
					held[doc] |= terms
					n++
				}
			}
		}
		return n
	}
	var rare []string // words of terms of which all documents are known
	var frequent []int
	for i, t := range s.q.Terms {
		if t.Regexp != nil {
			continue
		}
		docs, err := s.holding(ctx, &t)
		if err != nil {
			return nil, err
		}
		n := note(docs, 1<<i)
		if len(docs) < mostOfTerm {
			counts[i] += n
			rare = append(rare, t.forms()...)
			continue
		}
		counts[i] += s.have.extrapolate(n, docs[len(docs)-1])
		frequent = append(frequent, i)
	}
	for _, i := range frequent {
		if forms := s.q.Terms[i].forms(); len(rare) > 0 && len(forms) > 0 {
			docs, err := s.o.Index.texts.LatestOfAny(ctx, mostOfTerm, rare, forms)
			if err != nil {
				return nil, err
			}
			note(docs, 1<<i)
		}
	}
	return held, nil
}

// extrapolate is how many documents there are of which n have numbers from one on,
// if the others are as dense.
func (c *contents) extrapolate(n int, from int64) int {
	if len(c.runs) == 0 {
		return n
	}
	last := &c.runs[len(c.runs)-1]
	end := last.First + int64(last.Count)
	return int(float64(n) * float64(end) / float64(max(1, end-from)))
}

// holding are the documents that hold a term.
func (s *searching) holding(ctx context.Context, t *Term) ([]int64, error) {
	if forms := t.forms(); len(forms) > 0 {
		return s.o.Index.texts.LatestOfAny(ctx, mostOfTerm, forms)
	}
	return s.o.Index.texts.Latest(ctx, []index.Phrase{{Words: t.Words, Prefix: t.Prefix}}, 0, math.MaxInt64, mostOfTerm)
}

// forms are the words that are looked up for a term; none for a phrase and for what
// may go on in any way.
func (t *Term) forms() []string {
	if len(t.Forms) == 0 && len(t.Words) == 1 && !t.Prefix {
		return t.Words
	}
	return t.Forms
}

// rarity is how much each term tells, given how many of all entries hold it.
func rarity(counts []int, total int) []float64 {
	out := make([]float64, len(counts))
	for i, n := range counts {
		out[i] = math.Log(1 + (float64(max(total, n))+0.5)/(float64(n)+0.5))
	}
	return out
}

// sum is what terms tell together.
func sum(rare []float64, terms uint64) (out float64) {
	for ; terms != 0; terms &= terms - 1 {
		out += rare[bits.TrailingZeros64(terms)]
	}
	return out
}

// promising are the documents that are worth reading, the most promising first.
func (s *searching) promising(held map[int64]uint64) []int64 {
	docs := make([]int64, 0, len(held))
	for doc := range held {
		docs = append(docs, doc)
	}
	slices.SortFunc(docs, func(a, b int64) int {
		return cmp.Or(cmp.Compare(sum(s.results.Rarity, held[b]), sum(s.results.Rarity, held[a])), cmp.Compare(b, a))
	})
	return docs[:min(len(docs), mostRead)]
}

// weight is how much a hit is about the terms: what they tell, less for an entry that
// is long and so holds much, and less for what nobody said. Its Score is its brevity.
func (s *searching) weight(h *Hit) float64 {
	w := (sum(s.results.Rarity, h.Terms) + sum(s.results.Rarity, h.near)) / 2 * h.Score
	w *= 0.6 + 0.4*float64(bits.OnesCount64(h.Terms))/float64(len(s.q.Terms))
	switch h.Kind {
	case KindResult:
		w *= 0.7
	case KindCall, KindThinking:
		w *= 0.85
	}
	return w
}

// brevity weighs an entry by its length alone: a little more than 1 for a sentence,
// about a half for a page, not much less for a book.
func brevity(f found) float64 {
	const usual = 60 // words
	return 0.4 + 0.8/(1+math.Sqrt(float64(f.size)/usual)/3)
}

// prefilterOfAny are needles of which a line must hold one for any term to match.
func prefilterOfAny(q *Query) prefilter {
	var all prefilter
	for _, t := range q.Terms {
		needles := prefilterOf(&Query{Terms: []Term{t}})
		if len(needles) == 0 {
			return nil
		}
		all = append(all, needles...)
	}
	return all
}
