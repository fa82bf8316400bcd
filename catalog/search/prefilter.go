package search

import (
	"regexp/syntax"
	"strings"
)

// A prefilter is a set of needles of which a raw line must contain one to be
// decoded. If it is empty, every line is decoded.
type prefilter []needle

// prefilterOf chooses the needles with the fewest expected candidates: those of
// the term or filter with the longest needle.
func prefilterOf(q *Query) prefilter {
	if q.Any {
		return prefilterOfAny(q)
	}
	var best prefilter
	weigh := func(needles []needle) {
		if len(needles) > 0 && (best == nil || weight(needles) > weight(best)) {
			best = needles
		}
	}
	for _, t := range q.Terms {
		if t.Regexp != nil {
			weigh(needlesOf(t.Regexp.String()))
			continue
		}
		for _, w := range t.Words {
			weigh(wordNeedles(w))
		}
	}
	weigh(needlesForAny(q.Filters.Wants("tool")))
	if !q.findsResults() { // results name no file
		weigh(needlesForAny(q.Filters.Wants("file")))
	}
	return best
}

// needlesForAny returns needles of which a line must contain one to contain one
// of several texts in any letter case, or nil if there are none.
func needlesForAny(texts []string) (all []needle) {
	for _, text := range texts {
		n := needlesFor(strings.ToLower(text))
		if n == nil {
			return nil
		}
		all = append(all, n...)
	}
	if len(all) > mostNeedles {
		return nil
	}
	return all
}

// weight returns how selective a set of needles is.
func weight(needles []needle) int {
	least := len(needles[0].bytes)
	for _, n := range needles {
		least = min(least, len(n.bytes))
	}
	return 4*least - len(needles)
}

// needlesOf returns needles of which a text must contain one to match a regular
// expression, or nil if there are none.
func needlesOf(expr string) []needle {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	return required(re.Simplify())
}

// mostNeedles is the maximum number of needles that are searched together.
const mostNeedles = 8

// required recurses as deep as the expression is nested, which the parser
// limits to 1000.
func required(re *syntax.Regexp) []needle {
	switch re.Op {
	case syntax.OpLiteral:
		literal := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 { // k and s have cases beyond ASCII
			literal = strings.NewReplacer("k", "\x00", "K", "\x00", "s", "\x00", "S", "\x00").Replace(literal)
		}
		return needlesFor(literal)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []needle
		for _, sub := range re.Sub {
			if n := required(sub); n != nil && (best == nil || weight(n) > weight(best)) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []needle
		for _, sub := range re.Sub {
			n := required(sub)
			if n == nil {
				return nil
			}
			all = append(all, n...)
		}
		if len(all) <= mostNeedles {
			return all
		}
	}
	return nil
}

// A hunter finds the candidates of a prefilter in a block.
type hunter struct {
	needles []needle
	places  []int // next occurrence of each needle; -1 for none
	escape  int   // next escape; -1 for none
	block   []byte
}

func (p prefilter) in(block []byte, h *hunter) {
	*h = hunter{needles: p, places: h.places[:0], block: block}
	if len(p) == 0 {
		return
	}
	for i := range p {
		h.places = append(h.places, p[i].find(block, 0))
	}
	h.escape = escapes(block, 0)
}

// next returns the offset of the first candidate from from on, or -1.
func (h *hunter) next(from int) int {
	if len(h.needles) == 0 {
		if from < len(h.block) {
			return from
		}
		return -1
	}
	best := -1
	for i := range h.needles {
		if h.places[i] >= 0 && h.places[i] < from {
			h.places[i] = h.needles[i].find(h.block, from)
		}
		if p := h.places[i]; p >= 0 && (best < 0 || p < best) {
			best = p
		}
	}
	if h.escape >= 0 && h.escape < from {
		h.escape = escapes(h.block, from)
	}
	if h.escape >= 0 && (best < 0 || h.escape < best) {
		best = h.escape
	}
	return best
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
