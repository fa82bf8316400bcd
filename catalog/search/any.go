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
	// mostOfTerm is the number of documents considered for one term. Of a more
	// frequent word, the documents that were indexed last are considered, and
	// those with a rarer term of the query.
	mostOfTerm = 3000
	// mostWalked is the maximum number of documents with the rarest word of a
	// phrase that are walked over.
	mostWalked = 10_000
	// mostRead is the number of entries that are read to be scored.
	mostRead = 150
)

// any finds the entries that match some of the terms best.
func (s *searching) any(ctx context.Context) error {
	counts := make([]int, len(s.q.Terms)) // approximate number of entries with each term
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

// anyScanned returns the hits that are not in the index. It adds them to the
// counts by term.
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

// fewer keeps the hits with the highest known scores.
func (s *searching) fewer(hits []Hit, rare []float64) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(sum(rare, b.Terms), sum(rare, a.Terms)), b.Time.Compare(a.Time))
	})
	return slices.Clone(hits[:mostWeighed/2])
}

// A holder is a document with the terms that it contains, as bits.
type holder struct {
	doc   int64
	terms uint64
}

// holders returns the documents of the searched sessions that contain a term,
// ordered by number. It adds them to the counts by term.
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
	var rare []string // words of the terms whose documents are all known
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

// merged merges the entries of each document.
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

// end returns the number after that of the last document.
func (c *contents) end() int64 {
	if len(c.runs) == 0 {
		return 0
	}
	last := &c.runs[len(c.runs)-1]
	return last.First + int64(last.Count)
}

// extrapolate estimates the number of documents, given that n of them have
// numbers from from on, if the others are equally dense.
func (c *contents) extrapolate(n int, from int64) int {
	return int(float64(n) * float64(c.end()) / float64(max(1, c.end()-from)))
}

// isPhrase reports whether a term is looked up unchanged: several words in a
// row, or a prefix.
func (t *Term) isPhrase() bool { return len(t.Forms) == 0 && (len(t.Words) > 1 || t.Prefix) }

// whole returns the words of a phrase that are not prefixes.
func (t *Term) whole() []string {
	if t.Prefix {
		return t.Words[:len(t.Words)-1]
	}
	return t.Words
}

// sets returns sets of words of which a document must contain one each to
// contain a term, given the words of the term that are in the index.
func (t *Term) sets(words []string) (out [][]string) {
	if !t.isPhrase() {
		return [][]string{words}
	}
	for _, w := range t.whole() {
		out = append(out, []string{w})
	}
	return out
}

// wordsOf returns the words to look up for each term, limited to those in the
// index; none for a phrase.
func (s *searching) wordsOf(ctx context.Context) ([][]string, error) {
	words := make([][]string, len(s.q.Terms))
	for i, t := range s.q.Terms {
		if words[i] = t.Forms; len(t.Forms) == 0 && !t.isPhrase() {
			words[i] = t.Words
		}
	}
	return s.o.Index.texts.Known(ctx, words...)
}

// holding returns the latest documents that contain a term, given the words of
// the term that are in the index. From the document numbered from on, they are
// complete; from is 0 if they are all documents.
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

// walks reports whether the index may look up a phrase. That walks over all
// documents with the rarest word of the phrase, however few contain the phrase.
// If these are too many, the documents that contain all its words are taken
// instead: the entry is checked anyway.
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

// rarity returns the weight of each term, given how many of all entries contain
// it.
func rarity(counts []int, total int) []float64 {
	out := make([]float64, len(counts))
	for i, n := range counts {
		out[i] = math.Log(1 + (float64(max(total, n))+0.5)/(float64(n)+0.5))
	}
	return out
}

// sum returns the total weight of terms.
func sum(rare []float64, terms uint64) (out float64) {
	for ; terms != 0; terms &= terms - 1 {
		out += rare[bits.TrailingZeros64(terms)]
	}
	return out
}

// promising returns the documents worth reading, ordered by number: those with
// the highest weight of terms, and of these the latest.
func (s *searching) promising(held []holder) []int64 {
	sums := map[uint64]float64{}
	bySum := map[float64][]int64{}
	for _, h := range held {
		rarity, ok := sums[h.terms]
		if !ok {
			rarity = sum(s.results.Rarity, h.terms)
			sums[h.terms] = rarity
		}
		bySum[rarity] = append(bySum[rarity], h.doc)
	}
	var docs []int64
	for _, tells := range slices.Backward(slices.Sorted(maps.Keys(bySum))) {
		same := bySum[tells]
		docs = append(docs, same[max(0, len(same)-(mostRead-len(docs))):]...)
	}
	slices.Sort(docs) // those of one session are adjacent
	return docs
}

// weight returns the score of a hit: the weight of its terms, less for a long
// entry, and less for text that is not conversation. Its Score is its brevity
// before.
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

// brevity scores an entry by its length: slightly more than 1 for a sentence,
// about a half for a page, not much less for a book.
func brevity(f found) float64 {
	const usual = 60 // words
	return 0.4 + 0.8/(1+math.Sqrt(float64(f.size)/usual)/3)
}

// prefilterOfAny returns needles of which a line must contain one for any term
// to match.
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
