package search

import (
	"math/bits"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/format"
)

// A Span is a range of bytes in a text.
type Span struct{ Start, End int }

// A matcher decides whether an entry matches a query. It checks every
// candidate, from an index or from a scan. It is used by one goroutine.
type matcher struct {
	q      *Query
	weighs bool // find all occurrences, for a score, not only those that a snippet shows
	words  splitter
	ring   [][]byte    // the last words of a text, as many as in the longest phrase
	spans  []word      // their positions
	ends   [256]uint64 // terms by the first byte of their last word, as bits
	near   nearness
	plain  []string    // by term; see literalOf
	not    *matcher    // finds the words that are excluded; nil if there are none
	quick  query.Query // the filters that need nothing but the entry
	tools  query.Query // those of tools
	seen   seen
	text   []byte // a text in lower case
}

func newMatcher(q *Query, weighs bool) *matcher {
	m := &matcher{q: q, weighs: weighs, quick: q.Filters.Without("branch"), tools: q.Filters.Only("tool")}
	if q.findsResults() {
		m.quick = m.quick.Without("file") // the call of a result is checked later
	}
	if len(q.Not) > 0 {
		m.not = newMatcher(&Query{Terms: q.Not}, false)
	}
	longest := 1
	for i, t := range q.Terms {
		longest = max(longest, len(t.Words))
		if t.Regexp == nil && len(t.Words) > 0 && t.Words[len(t.Words)-1] != "" {
			m.ends[t.Words[len(t.Words)-1][0]] |= 1 << i
		}
	}
	m.ring, m.spans = make([][]byte, longest), make([]word, longest)
	m.plain = make([]string, len(q.Terms))
	for i, t := range q.Terms {
		if t.Regexp != nil {
			m.plain[i] = literalOf(t.Regexp.String())
		}
	}
	return m
}

// found contains the positions of the terms of a query in an entry.
type found struct {
	field int    // the field to show
	spans []Span // in its text, in order
	hits  int    // number of occurrences in all fields
	size  int    // approximate number of words in all fields
	terms uint64 // matching terms, by number, as bits
	near  uint64 // those of them that are close together, in a query with Any
}

// match reports whether an entry matches, and where.
func (m *matcher) match(e *entry) (_ found, ok bool) {
	if !m.passes(e) {
		return found{}, false
	}
	f := found{field: -1}
	if len(m.q.Terms) == 0 {
		f.field = 0
		if !m.tools.IsZero() {
			f.field = max(0, slices.IndexFunc(e.fields, func(x field) bool { return m.tools.MatchEntry(&seen{entry: &entry{fields: []field{x}}}) }))
		}
		return f, true
	}
	missing := uint64(1)<<len(m.q.Terms) - 1
	for i := range e.fields {
		spans, terms := m.field(e.fields[i].text, m.weighs || f.field >= 0)
		f.terms |= terms
		f.size += len(e.fields[i].text) / 8
		f.hits += len(spans)
		if m.showsMore(&f, spans, missing&terms != 0) {
			f.field, f.spans, f.near = i, spans, m.near.best
		}
		if missing &^= terms; missing == 0 && !m.weighs {
			break
		}
	}
	return f, missing == 0 || m.q.Any && f.terms != 0
}

// showsMore reports whether a field with these spans shows more of the query than
// the field found before. more means that it contains terms that are missing
// there.
func (m *matcher) showsMore(before *found, spans []Span, more bool) bool {
	switch {
	case len(spans) == 0:
		return false
	case before.field < 0:
		return true
	case m.gathers():
		return bits.OnesCount64(m.near.best) > bits.OnesCount64(before.near)
	}
	return more && len(spans) > len(before.spans)
}

// gathers reports whether the matcher determines which terms are close
// together.
func (m *matcher) gathers() bool { return m.weighs && m.q.Any }

// passes reports whether an entry passes the filters and has no excluded words.
func (m *matcher) passes(e *entry) bool {
	m.seen.entry = e
	if !m.quick.MatchEntry(&m.seen) {
		return false
	}
	for i := range e.fields {
		if m.not == nil {
			break
		}
		if _, terms := m.not.field(e.fields[i].text, false); terms != 0 {
			return false
		}
	}
	return true
}

// callsWith reports whether a tool call of the entry names a file.
func (e *entry) callsWith(file string) bool {
	return slices.ContainsFunc(e.calls, func(c fileCall) bool { return namesFile(c.file, file) })
}

// namesFile reports whether path contains part, without regard to letter case
// and to the direction of slashes.
func namesFile(path, part string) bool {
	return strings.Contains(strings.ToLower(filepath.ToSlash(path)), strings.ToLower(filepath.ToSlash(part)))
}

// roleOf returns the role of an entry as queries name it.
func roleOf(e *entry) string {
	switch e.typ {
	case format.TypeCompaction, format.TypeBranchSummary:
		return "summary"
	case format.TypeLabel:
		return "label"
	case format.TypeSessionInfo, format.TypeTitleChange, format.TypeSession, format.TypeTitle:
		return "name"
	}
	switch e.role {
	case format.RoleToolResult:
		return "tool"
	case format.RoleBashExecution, format.RolePythonExecution:
		return "bash"
	case format.RoleBranchSummary, format.RoleCompactionSummary:
		return "summary"
	case format.RoleHookMessage:
		return "custom"
	case format.RoleDeveloper:
		return "system"
	}
	return string(e.role)
}

// mostSpans is the maximum number of spans recorded for one text.
const mostSpans = 64

// field finds the terms in one text: their spans, and the terms as bits. Unless
// all is set, it stops after a snippet with all terms.
func (m *matcher) field(text string, all bool) (spans []Span, terms uint64) {
	hasWords, ascii := false, false
	m.near.best = 0
	m.text = m.text[:0]
	for i, t := range m.q.Terms {
		if t.Regexp == nil {
			hasWords = true
			continue
		}
		before := len(spans)
		if m.plain[i] != "" && len(m.text) == 0 {
			m.text, ascii = appendLower(m.text, text)
		}
		if m.plain[i] != "" && ascii {
			spans = appendSpans(spans, m.text, m.plain[i], all)
		} else {
			for _, at := range t.Regexp.FindAllStringIndex(text, mostSpans) {
				spans = append(spans, Span{at[0], at[1]})
			}
		}
		if len(spans) > before {
			terms |= 1 << i
		}
	}
	if hasWords {
		spans, terms = m.phrases(text, spans, terms, all)
	}
	slices.SortFunc(spans, func(a, b Span) int { return a.Start - b.Start })
	return spans, terms
}

// phrases walks over the words of a text and checks at each whether a term ends
// with it.
func (m *matcher) phrases(text string, spans []Span, terms uint64, all bool) ([]Span, uint64) {
	m.words.text, m.words.pos = text, 0
	enough := len(text)
	for n := 0; ; n++ {
		at, ok := m.words.next()
		if !ok || at.start > enough {
			return spans, terms
		}
		if len(m.ring) == 1 { // no earlier words are needed
			m.ring[0], m.spans[0] = m.words.folded, at
		} else {
			slot := n % len(m.ring)
			m.ring[slot], m.spans[slot] = append(m.ring[slot][:0], m.words.folded...), at
		}
		for left := m.ends[m.words.folded[0]]; left != 0; left &= left - 1 {
			i := bits.TrailingZeros64(left)
			t := &m.q.Terms[i]
			if len(t.Words) > n+1 || !m.endsHere(t, n) {
				continue
			}
			terms |= 1 << i
			span := Span{m.spans[(n-len(t.Words)+1)%len(m.ring)].start, at.end}
			if m.gathers() && m.near.note(i, n, span) {
				spans = m.near.spans(spans[:0])
			} else if len(spans) < mostSpans {
				spans = append(spans, span)
			}
			if !all && terms == 1<<len(m.q.Terms)-1 {
				enough = min(enough, spans[0].Start+snippetReach)
			}
		}
	}
}

// endsHere reports whether the last words, up to number n, are those of a term.
func (m *matcher) endsHere(t *Term, n int) bool {
	last := len(t.Words) - 1
	now := m.ring[n%len(m.ring)]
	if t.Prefix && len(now) > len(t.Words[last]) {
		now = now[:len(t.Words[last])]
	}
	if string(now) != t.Words[last] {
		return false
	}
	for i := last - 1; i >= 0; i-- {
		if string(m.ring[(n-last+i)%len(m.ring)]) != t.Words[i] {
			return false
		}
	}
	return true
}

// nearWords is the distance up to which words count as close together: about
// two sentences.
const nearWords = 30

// nearness finds the part of a text in which most terms are close together.
type nearness struct {
	best uint64   // the terms of that part, as bits
	seen uint64   // terms found in this text
	at   [64]int  // by term, the number of the word where it was found last
	span [64]Span // and its position
}

// note records an occurrence of a term. It returns true if more terms are close
// together here than before.
func (x *nearness) note(term, word int, at Span) bool {
	if x.best == 0 {
		x.seen = 0
	}
	x.seen |= 1 << term
	x.at[term], x.span[term] = word, at
	var now uint64
	for left := x.seen; left != 0; left &= left - 1 {
		if i := bits.TrailingZeros64(left); word-x.at[i] <= nearWords {
			now |= 1 << i
		}
	}
	if bits.OnesCount64(now) <= bits.OnesCount64(x.best) {
		return false
	}
	x.best = now
	return true
}

// spans appends the positions of the terms of the best part.
func (x *nearness) spans(dst []Span) []Span {
	for left := x.best; left != 0; left &= left - 1 {
		dst = append(dst, x.span[bits.TrailingZeros64(left)])
	}
	return dst
}
