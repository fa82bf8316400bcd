package redact

import (
	"bytes"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
)

// span is a range of a text.
type span struct{ start, end int }

func (s span) overlaps(o span) bool { return s.start < o.end && o.start < s.end }
func (s span) covers(o span) bool   { return s.start <= o.start && o.end <= s.end }

// pattern is a rule ready to use. Its expressions are compiled when a keyword
// is first found, because most rules never match.
type pattern struct {
	Rule
	label string // the ID as placeholders show it
	index int    // index in the engine

	load    sync.Once
	re      *regexp.Regexp
	allow   []allowlist
	reach   int  // length of the longest match, if limited
	endless bool // whether a match has no limit
	first   bool // whether every match starts with a keyword
	bounded bool // and is preceded by no letter, digit or underscore
	run     run
	needs   [][]string // groups of words; every match contains one of each group
}

// run is a number of consecutive characters of a set that every match contains.
// Most occurrences of a keyword have no such run nearby, and searching for one
// is cheap.
type run struct {
	length int
	set    [256]bool
}

const (
	maxReach  = 1024 // context searched before and after a keyword of an endless rule
	tooWide   = 100  // a set with more characters is not selective
	minNarrow = 12   // a run of this many of one class is rare in ordinary text
	smallPart = 256  // searching a part of this size takes no time
	mostWords = 8    // searching for more words takes as long as the expression
)

func newPattern(r Rule) *pattern { return &pattern{Rule: r, label: label(r.ID)} }

func (p *pattern) prepare() {
	p.load.Do(func() {
		p.re = regexp.MustCompile(p.Regex) // checked by New or a test
		p.allow, _ = compileAllow(p.Allow)
		tree, err := syntax.Parse(p.Regex, syntax.Perl)
		if err != nil {
			panic(err)
		}
		p.reach, p.endless = longest(tree)
		p.run = longestRun(tree)
		if p.endless || p.reach > smallPart {
			p.needs = slices.DeleteFunc(needs(tree), func(group []string) bool { return len(group) > mostWords })
		}
		p.first, p.bounded = p.begins(tree)
	})
}

// near returns the part of the text that contains a match with a keyword at
// that offset, or an empty span if there can be none.
func (p *pattern) near(text []byte, at int) span {
	before, after := p.reach+1, p.reach+1
	if p.endless {
		before, after = maxReach, 2*maxReach
	}
	if p.first {
		before = 0
		if p.bounded && at > 0 && (isAlnum(text[at-1]) || text[at-1] == '_') {
			return span{}
		}
	}
	part := span{max(at-before, 0), min(at+after, len(text))}
	if !p.possible(text, part) {
		return span{}
	}
	if p.first && at > 0 {
		part.start-- // include the preceding character for \b
	}
	return part
}

// possible reports whether the part can contain a match.
func (p *pattern) possible(text []byte, part span) bool {
	for _, group := range p.needs {
		if !slices.ContainsFunc(group, func(word string) bool { return bytes.Contains(text[part.start:part.end], []byte(word)) }) {
			return false
		}
	}
	n := p.run.length
	if n < 4 {
		return true
	}
	// A run of n characters covers every n-th position.
	for i := part.start + n - 1; i < part.end; {
		if !p.run.set[text[i]] {
			i += n
			continue
		}
		from, to := i, i+1
		for from > part.start && p.run.set[text[from-1]] {
			from--
		}
		for to < part.end && p.run.set[text[to]] {
			to++
		}
		if to-from >= n {
			return true
		}
		i = to + n
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
		if p.counts(text, match, secret) {
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

func (p *pattern) counts(text []byte, match, secret span) bool {
	return secret.start < secret.end && (p.Entropy == 0 || entropy(text[secret.start:secret.end]) > p.Entropy) && !excepted(p.allow, text, match, secret)
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
	from, to := max(part.start-far, 0), min(part.end+far, len(text))
	if i := bytes.LastIndexByte(text[from:part.start], '\n'); i >= 0 {
		from += i + 1
	}
	if i := bytes.IndexByte(text[part.end:to], '\n'); i >= 0 {
		to = part.end + i
	}
	return text[from:to]
}
