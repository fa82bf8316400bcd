package redact

import (
	"bytes"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// span is a range of a text.
type span struct{ start, end int }

func (s span) overlaps(o span) bool { return s.start < o.end && o.start < s.end }
func (s span) covers(o span) bool   { return s.start <= o.start && o.end <= s.end }

// pattern is a rule ready to use. Its expression is compiled when a keyword is
// first found, because most rules never match.
type pattern struct {
	Rule
	label string // the ID as placeholders show it
	kind  Kind
	rank  int
	index int // unique within an engine

	load    sync.Once
	re      *regexp.Regexp
	except  []exception
	reach   int  // length of the longest match, if limited
	endless bool // whether a match has no limit
	leads   bool // whether every match starts with a keyword
	run     run
}

// run is a number of consecutive characters of a set that every match contains.
// Most occurrences of a keyword have no such run nearby, and searching for one
// is cheap.
type run struct {
	length int
	set    [256]bool
}

// maxReach is the context searched before and after a keyword of an endless
// rule.
const maxReach = 1024

func newPattern(r Rule, index int) *pattern {
	return &pattern{Rule: r, label: label(r.ID), kind: ByRule, rank: 10 + index, index: index}
}

func (p *pattern) prepare() {
	p.load.Do(func() {
		p.re = regexp.MustCompile(p.Regex)
		p.except = compileExceptions(p.Allowlists)
		tree, err := syntax.Parse(p.Regex, syntax.Perl)
		if err != nil {
			panic(err)
		}
		p.reach, p.endless = longest(tree)
		p.run = longestRun(tree)
		lead := leadOf(p.Regex)
		p.leads = lead != "" && !slices.ContainsFunc(p.Keywords, func(keyword string) bool {
			keyword = strings.ToLower(keyword)
			return !strings.HasPrefix(lead, keyword) && !strings.HasPrefix(keyword, lead)
		})
	})
}

// longest returns the maximum length of a match. Unlimited repetition is not
// counted.
func longest(re *syntax.Regexp) (n int, endless bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(string(re.Rune)), false
	case syntax.OpCharClass:
		return utf8.RuneLen(re.Rune[len(re.Rune)-1]), false
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax, false
	}
	for _, sub := range re.Sub {
		m, without := longest(sub)
		if endless = endless || without; re.Op == syntax.OpAlternate {
			n = max(n, m)
		} else {
			n += m
		}
	}
	switch {
	case re.Op == syntax.OpStar || re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Max < 0:
		return n * max(re.Min, 1), true
	case re.Op == syntax.OpRepeat:
		return n * re.Max, endless
	}
	return n, endless
}

// longestRun returns the longest run of a single class of characters that every
// match contains.
func longestRun(re *syntax.Regexp) (best run) {
	switch re.Op {
	case syntax.OpCharClass:
		best.length = 1
		for i := 0; i < len(re.Rune); i += 2 {
			for c := re.Rune[i]; c <= min(re.Rune[i+1], 255); c++ {
				best.set[c] = true
			}
			// Characters beyond ASCII are runs of their bytes.
			for c := 0x80; c < 256 && re.Rune[i+1] >= 0x80; c++ {
				best.set[c] = true
			}
		}
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range re.Sub {
			if r := longestRun(sub); r.length > best.length {
				best = r
			}
		}
	case syntax.OpRepeat:
		if re.Min > 0 {
			if best = longestRun(re.Sub[0]); re.Sub[0].Op == syntax.OpCharClass {
				best.length = re.Min
			}
		}
	case syntax.OpAlternate:
		best = longestRun(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			r := longestRun(sub)
			best.length = min(best.length, r.length)
			for c, in := range r.set {
				best.set[c] = best.set[c] || in
			}
		}
	}
	return best
}

// near returns the part of the text that contains a match with a keyword at
// that offset, or an empty span if there can be none.
func (p *pattern) near(text []byte, at int) span {
	before, after := p.reach+1, p.reach+1
	if p.endless {
		before, after = maxReach, 2*maxReach
	}
	if p.leads {
		before = 1 // for \b
	}
	part := span{max(at-before, 0), min(at+after, len(text))}
	if !p.possible(text, part) {
		return span{}
	}
	return part
}

// possible reports whether the part can contain a match.
func (p *pattern) possible(text []byte, part span) bool {
	n := p.run.length
	if n < 4 {
		return true
	}
	// A run of n characters covers every n-th position.
	for i, near := n-1, text[part.start:part.end]; i < len(near); i += n {
		if !p.run.set[near[i]] {
			continue
		}
		long := runAround(near, span{i, i}, &p.run.set)
		if i = long.end; long.end-long.start >= n {
			return true
		}
	}
	return false
}

// each calls found for the secrets of the rule in that part of the text.
func (p *pattern) each(text []byte, part span, found func(secret span)) {
	from := part.start
	for from < part.end {
		groups := p.re.FindSubmatchIndex(text[from:part.end])
		if groups == nil {
			return
		}
		if p.endless && from+groups[1] == part.end && part.end < len(text) {
			part.end = min(len(text), part.end+2*(part.end-part.start))
			continue
		}
		match := span{from + groups[0], from + groups[1]}
		secret := p.secret(groups, from)
		if secret.start < secret.end && (p.Entropy == 0 || entropy(text[secret.start:secret.end]) > p.Entropy) && !excepted(p.except, text, match, secret) {
			found(secret)
			from = max(secret.end, from+1)
		} else { // the end of the secret may start another one
			from = max(match.start+1, min(match.end, secret.end))
		}
	}
}

func (p *pattern) secret(groups []int, from int) span {
	group := p.SecretGroup
	for i := 1; group == 0 && i < len(groups)/2; i++ {
		if groups[2*i] >= 0 && groups[2*i] < groups[2*i+1] {
			group = i
		}
	}
	if groups[2*group] < 0 {
		group = 0
	}
	return span{from + groups[2*group], from + groups[2*group+1]}
}

// entropy returns the Shannon entropy in bits per byte.
func entropy(b []byte) float64 {
	var counts [256]int
	for _, c := range b {
		counts[c]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			sum += float64(n) * math.Log2(float64(n))
		}
	}
	return math.Log2(float64(len(b))) - sum/float64(len(b))
}

// lineAround returns the line that contains a part, limited to the text near
// it: lines of minified code have no end.
func lineAround(text []byte, part span) []byte {
	const far = 400
	from := max(part.start-far, 0)
	near := text[from:min(part.end+far, len(text))]
	return bytes.TrimSuffix(near[lineStart(near, part.start-from):lineEnd(near, part.end-from)], []byte("\n"))
}
