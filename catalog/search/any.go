package search

import (
	"cmp"
	"context"
	"maps"
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
	// mostWalked is how many documents with the rarest word of a phrase are walked over.
	mostWalked = 10_000
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
	var held []holder
	if s.o.Index != nil && len(s.phrases) > 0 {
		if held, err = s.holders(ctx, counts); err != nil {
			return err
		}
		for _, r := range s.have.runs {
			if s.targetOf(r.of) != nil {
				total += r.Count
			}
		}
	}
	if s.o.Veil != nil {
		hits = append(hits, s.visibleHits(ctx, held, counts, total)...)
	} else {
		s.results.Rarity = rarity(counts, total)
		for _, h := range s.allIndexed(ctx, s.promising(held)) {
			hits = append(hits, h)
		}
	}
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

// A holder is a document that holds terms, as bits.
type holder struct {
	doc   int64
	terms uint64
}

// holders are the documents of the searched sessions that hold a term, in the order
// of their numbers. It counts them by term.
func (s *searching) holders(ctx context.Context, counts []int) ([]holder, error) {
	var held []holder
	note := func(docs []int64, term int) (n int) {
		before := len(held)
		for _, doc := range docs {
			if r, ok := s.have.runOf(doc); ok && s.targetOf(r.of) != nil {
				held = append(held, holder{doc, 1 << term})
			}
		}
		return len(held) - before
	}
	words, err := s.wordsOf(ctx)
	if err != nil {
		return nil, err
	}
	var rare []string // words of terms of which all documents are known
	var frequent []int
	for i, t := range s.q.Terms {
		if t.Regexp != nil {
			continue
		}
		docs, from, err := s.holding(ctx, &t, words[i])
		if err != nil {
			return nil, err
		}
		n := note(docs, i)
		if from == 0 {
			counts[i] += n
			rare = append(rare, words[i]...)
			continue
		}
		counts[i] += s.have.extrapolate(n, from)
		frequent = append(frequent, i)
	}
	for _, i := range frequent {
		sets := append(s.q.Terms[i].sets(words[i]), rare)
		docs, err := s.o.Index.texts.LatestOfAny(ctx, mostOfTerm, sets...)
		if err != nil {
			return nil, err
		}
		note(docs, i)
	}
	return merged(held), nil
}

// merged puts what is known of one document together.
func merged(held []holder) []holder {
	slices.SortFunc(held, func(a, b holder) int { return cmp.Compare(a.doc, b.doc) })
	out := held[:0]
	for _, h := range held {
		if n := len(out) - 1; n >= 0 && out[n].doc == h.doc {
			out[n].terms |= h.terms
		} else {
			out = append(out, h)
		}
	}
	return out
}

// end is the number behind that of the last document.
func (c *contents) end() int64 {
	if len(c.runs) == 0 {
		return 0
	}
	last := &c.runs[len(c.runs)-1]
	return last.First + int64(last.Count)
}

// extrapolate is how many documents there are of which n have numbers from one on,
// if the others are as dense.
func (c *contents) extrapolate(n int, from int64) int {
	return int(float64(n) * float64(c.end()) / float64(max(1, c.end()-from)))
}

// isPhrase reports whether a term is looked up as it stands: words in a row, or what
// may go on in any way.
func (t *Term) isPhrase() bool { return len(t.Forms) == 0 && (len(t.Words) > 1 || t.Prefix) }

// whole are the words of a phrase that do not go on.
func (t *Term) whole() []string {
	if t.Prefix {
		return t.Words[:len(t.Words)-1]
	}
	return t.Words
}

// sets are words of which a document must hold one each to hold a term, given the
// words of it that the index has.
func (t *Term) sets(words []string) (out [][]string) {
	if !t.isPhrase() {
		return [][]string{words}
	}
	for _, w := range t.whole() {
		out = append(out, []string{w})
	}
	return out
}

// wordsOf are the words that are looked up for each term, of those that the index
// has; none for a phrase.
func (s *searching) wordsOf(ctx context.Context) ([][]string, error) {
	words := make([][]string, len(s.q.Terms))
	for i, t := range s.q.Terms {
		if words[i] = t.Forms; len(t.Forms) == 0 && !t.isPhrase() {
			words[i] = t.Words
		}
	}
	return s.o.Index.texts.Known(ctx, words...)
}

// holding are the latest documents that hold a term, given the words of it that the
// index has, and from which document on they are all; 0 if there are no others.
func (s *searching) holding(ctx context.Context, t *Term, words []string) (docs []int64, from int64, err error) {
	exact := false
	if t.isPhrase() {
		if exact, err = s.walks(ctx, t); err != nil {
			return nil, 0, err
		}
	}
	if exact {
		docs, err = s.o.Index.texts.Latest(ctx, []index.Phrase{{Words: t.Words, Prefix: t.Prefix}}, 0, math.MaxInt64, mostOfTerm)
	} else {
		docs, err = s.o.Index.texts.LatestOfAny(ctx, mostOfTerm, t.sets(words)...)
	}
	if len(docs) == mostOfTerm {
		from = docs[mostOfTerm-1]
	}
	return docs, from, err
}

// walks reports whether the index may look for a phrase. It walks over all documents
// with its rarest word, however few of them hold the phrase. Where these are too many
// those are taken that hold all its words: the entry has the last word anyway.
func (s *searching) walks(ctx context.Context, t *Term) (bool, error) {
	whole := t.whole()
	for _, w := range whole {
		docs, err := s.o.Index.texts.LatestOfAny(ctx, mostOfTerm, []string{w})
		if err != nil || len(docs) < mostOfTerm || s.have.extrapolate(mostOfTerm, docs[mostOfTerm-1]) < mostWalked {
			return true, err
		}
	}
	return len(whole) == 0, nil
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

// promising are the documents that are worth reading: those whose terms tell most,
// of these the latest. They are in the order of their numbers.
func (s *searching) promising(held []holder) []int64 {
	sums := map[uint64]float64{}
	bySum := map[float64][]int64{}
	for _, h := range held {
		tells, ok := sums[h.terms]
		if !ok {
			tells = sum(s.results.Rarity, h.terms)
			sums[h.terms] = tells
		}
		bySum[tells] = append(bySum[tells], h.doc)
	}
	var docs []int64
	for _, tells := range slices.Backward(slices.Sorted(maps.Keys(bySum))) {
		same := bySum[tells]
		docs = append(docs, same[max(0, len(same)-(mostRead-len(docs))):]...)
	}
	slices.Sort(docs) // those of one session follow each other
	return docs
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
