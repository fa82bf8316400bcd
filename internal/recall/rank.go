package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pith-sessions/pith/catalog/search"
)

// A ranking groups hits into turns and scores these.
type ranking struct {
	o        *Options
	rarity   []float64
	families *Families
	open     *shelf
}

// A place identifies the turn of a hit.
type place struct{ session, turn string }

// rank returns the turns of the hits, the best first, each once.
func (r *ranking) rank(ctx context.Context, hits []search.Hit) []Memory {
	var out []Memory
	at := map[place]int{}
	terms := []uint64{}
	hits = slices.DeleteFunc(hits, func(h search.Hit) bool { return slices.Contains(r.o.Except, h.Session.ID) })
	r.open.several(ctx, hits, mostOpened, func(path string) string { return path })
	for i := range hits {
		h := &hits[i]
		begin := r.open.beginOf(h)
		key := place{h.Session.Path, begin}
		k, ok := at[key]
		if !ok {
			k = len(out)
			at[key] = k
			out = append(out, Memory{Session: h.Session, Hit: *h, Turn: Turn{FirstEntry: begin}, Score: h.Score})
			terms = append(terms, 0)
		}
		terms[k] |= h.Terms
	}
	all := r.beyond(math.MaxUint64, 0)
	for i := range out {
		out[i].Score += 0.5 * r.beyond(terms[i], out[i].Hit.Terms)
		out[i].Share = 1
		if all > 0 {
			out[i].Share = r.beyond(terms[i], 0) / all
		}
	}
	out = withoutCopies(out, r.families)
	freshen(out)
	preferNews(out)
	slices.SortStableFunc(out, func(a, b Memory) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Hit.Time.Compare(a.Hit.Time))
	})
	return out
}

// beyond returns the weight that the other entries of a turn add to that
// of its best one.
func (r *ranking) beyond(all, best uint64) (sum float64) {
	for i, rare := range r.rarity {
		if all&^best>>i&1 == 1 {
			sum += rare
		}
	}
	return sum
}

// newest is the bonus of the newest turn over the oldest.
const newest = 0.05

// someDays is the time within which age matters little.
const someDays = 10 * 24 * time.Hour

// freshen raises the scores of newer turns.
func freshen(list []Memory) {
	var first, last time.Time
	for i := range list {
		t := list[i].Hit.Time
		if t.IsZero() {
			continue
		}
		if first.IsZero() || t.Before(first) {
			first = t
		}
		if t.After(last) {
			last = t
		}
	}
	span := max(last.Sub(first), someDays)
	for i := range list {
		if t := list[i].Hit.Time; !t.IsZero() {
			list[i].Score *= 1 + newest*float64(t.Sub(first))/float64(span)
		}
	}
}

const (
	// news is the bonus of a turn that contains a rare word besides those
	// of the question.
	news = 0.15
	// ownEnough is the rarity of such a word beyond which the bonus does not
	// increase.
	ownEnough = 0.6
	// byUser is the bonus of user messages, because they decide.
	byUser = 0.03
)

// preferNews raises the scores of turns that contain more than the words of
// the question. The text around these is compared with that of all other
// turns: a phrase that many of them share is not informative.
func preferNews(list []Memory) {
	rest := make([][]string, len(list))
	in := map[string]int{} // turns by word
	for i := range list {
		rest[i] = unmarkedWords(&list[i].Hit.Snippet)
		for _, w := range rest[i] {
			in[w]++
		}
	}
	most := math.Log(float64(len(list) + 1))
	for i := range list {
		if list[i].Hit.Role == "user" {
			list[i].Score *= 1 + byUser
		}
		var own float64 // rarity of its rarest word
		for _, w := range rest[i] {
			own = max(own, 1-math.Log(float64(in[w]))/most)
		}
		list[i].Score *= 1 + news*min(own, ownEnough)
	}
}

// unmarkedWords returns the words of a snippet that are neither marked nor stop words,
// each once.
func unmarkedWords(s *search.Snippet) []string {
	var out []string
	at := 0
	add := func(end int) {
		for _, w := range strings.FieldsFunc(strings.ToLower(s.Text[at:max(at, end)]), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
			if !stopWords()[w] {
				out = append(out, w)
			}
		}
	}
	for _, m := range s.Marks {
		add(m.Start)
		at = m.End
	}
	add(len(s.Text))
	slices.Sort(out)
	return slices.Compact(out)
}
