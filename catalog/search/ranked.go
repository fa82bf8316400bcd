package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"math"
	"math/bits"
	"slices"

	"github.com/pith-sessions/pith/inspect"
)

// leastRanked is the least number of hits of the index that are scored, and
// leastRankedOfAny that for a query with Any: FTS5 gives no weight to a word that
// most entries contain, so an entry with all words may come late.
const (
	leastRanked      = 150
	leastRankedOfAny = 1000
)

// best finds the hits with the highest scores. The index supplies entries; the
// parts of sessions that it does not have are scanned and scored in the same
// way.
func (s *searching) best(ctx context.Context, tx *sql.Tx) error {
	hits, err := s.bestIndexed(ctx, tx)
	if err != nil {
		return err
	}
	for out := range s.look(ctx, s.targets, nil, math.MaxInt) {
		s.account(ctx, &out)
		hits = append(hits, out.hits...)
		if len(hits) > mostWeighed {
			hits = s.fewer(hits)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.q.Any {
		if err := s.weigh(ctx, tx, hits); err != nil {
			return err
		}
	}
	s.results.Hits = s.top(hits)
	return nil
}

// mostWeighed is the number of scanned hits that are kept to be compared.
const mostWeighed = 20_000

// fewer keeps the hits with the most terms, or the highest scores.
func (s *searching) fewer(hits []Hit) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		c := cmp.Compare(b.Score, a.Score)
		if s.q.Any {
			c = cmp.Or(cmp.Compare(bits.OnesCount64(b.Terms), bits.OnesCount64(a.Terms)), c)
		}
		return cmp.Or(c, b.Time.Compare(a.Time))
	})
	return slices.Clone(hits[:max(s.o.Limit+1, mostWeighed/2)])
}

// mostRanked is the number of entries that FTS5 ranks at once. Of a query with Any it
// ranks all: the entry with a rare word may be the oldest.
const mostRanked = 40_000

// bestIndexed returns hits in the index until there are several times the limit: of
// the newest entries that match, first those that FTS5 ranks highest, then of the
// entries before. With a veil these are the newest ones, and their number is fixed:
// neither their choice nor their order then depends on hidden text.
func (s *searching) bestIndexed(ctx context.Context, tx *sql.Tx) (hits []Hit, err error) {
	if tx == nil || s.expression == "" {
		return nil, nil
	}
	enough := max(4*s.o.Limit, leastRanked)
	if s.q.Any {
		enough = max(enough, leastRankedOfAny)
	}
	if s.o.Limit > math.MaxInt/8 {
		enough = math.MaxInt / 2
	}
	order := "ORDER BY word.rank LIMIT ? OFFSET ?"
	switch {
	case s.o.Veil != nil:
		order = "ORDER BY word.rowid DESC LIMIT ? OFFSET ?"
	case len(s.files()) < s.indexedFiles: // the hidden column would rank the entries of all files
		order = "ORDER BY bm25(word) LIMIT ? OFFSET ?"
	}
	if s.q.Any {
		return s.ranked(ctx, tx, order, enough, math.MinInt64, math.MaxInt64)
	}
	for last := int64(math.MaxInt64); len(hits) < enough; {
		var first int64
		err := tx.QueryRowContext(ctx, "SELECT ifnull(min(rowid), 0) FROM (SELECT rowid FROM word WHERE word MATCH ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?)",
			s.expression, last, mostRanked).Scan(&first)
		if err != nil || first == 0 {
			return hits, err
		}
		more, err := s.ranked(ctx, tx, order, enough-len(hits), first, last)
		if err != nil {
			return nil, err
		}
		hits, last = append(hits, more...), first-1
	}
	return hits, nil
}

// ranked returns about enough hits among the entries with ids between two others, in
// an order, a page at a time.
func (s *searching) ranked(ctx context.Context, tx *sql.Tx, order string, enough int, first, last int64) (hits []Hit, err error) {
	condition := "AND word.rowid BETWEEN ? AND ? "
	args := []any{first, last}
	if files := s.files(); len(files) < s.indexedFiles {
		condition += "AND (e.id IS NULL OR e.file IN (SELECT value FROM json_each(?))) "
		list, _ := json.Marshal(files) // of numbers
		args = append(args, string(list))
	}
	for page, offset := 2*min(enough, 10_000), 0; len(hits) < enough; page *= 4 {
		docs, err := s.q.documents(ctx, tx, s.expression, condition+order, append(args, page, offset)...)
		if err != nil {
			return nil, err
		}
		offset += len(docs)
		place := make(map[int64]int, len(docs))
		byFile := map[int64][]document{}
		for i, d := range docs {
			place[d.id] = i
			byFile[d.file] = append(byFile[d.file], d)
		}
		var found []Hit
		for out := range s.lookUp(ctx, s.having(byFile), byFile) {
			found = append(found, out.hits...)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortFunc(found, func(a, b Hit) int { return cmp.Compare(place[a.document], place[b.document]) })
		hits = append(hits, found...)
		if len(docs) < page {
			break
		}
	}
	return hits[:min(enough, len(hits))], nil
}

// files returns the ids of the targets that the index has.
func (s *searching) files() []int64 {
	ids := []int64{}
	for _, t := range s.targets {
		if t.src != nil {
			ids = append(ids, t.src.id)
		}
	}
	return ids
}

// having returns the targets that have documents.
func (s *searching) having(docs map[int64][]document) (out []target) {
	for _, t := range s.targets {
		if t.src != nil && len(docs[t.src.id]) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// weigh scores the hits of a query with Any by the rarity of their terms. With a
// veil the hits decide which terms are rare, since the index also contains hidden
// ones.
func (s *searching) weigh(ctx context.Context, tx *sql.Tx, hits []Hit) (err error) {
	counts, total := make([]int, len(s.q.Terms)), 0
	if tx != nil && s.o.Veil == nil && s.expression != "" {
		if counts, total, err = s.q.counts(ctx, tx); err != nil {
			return err
		}
	}
	for i := range hits {
		if hits[i].document != 0 && total > 0 {
			continue // the index has counted it
		}
		for t := range counts {
			counts[t] += int(hits[i].Terms >> t & 1)
		}
	}
	s.results.Rarity = rarity(counts, total+2*len(hits))
	for i := range hits {
		hits[i].Score = s.weight(&hits[i])
	}
	return nil
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

// weight returns the score of a hit: the weight of its terms, less for a long
// entry, and less for text that is not conversation. Its Score is its brevity
// before.
func (s *searching) weight(h *Hit) float64 {
	w := (sum(s.results.Rarity, h.Terms) + sum(s.results.Rarity, h.near)) / 2 * h.Score
	w *= 0.6 + 0.4*float64(bits.OnesCount64(h.Terms))/float64(len(s.q.Terms))
	switch h.Kind {
	case inspect.PartResult:
		w *= 0.7
	case inspect.PartCall, inspect.PartThinking:
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

// scoreOf scores an entry by the number of occurrences of the terms relative to
// its length.
func scoreOf(f found) float64 {
	const k, b, usual = 1.2, 0.75, 60 // as in BM25, and the size of a usual entry
	hits := float64(f.hits)
	return hits * (k + 1) / (hits + k*(1-b+b*float64(f.size)/usual))
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
