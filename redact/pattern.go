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

// span is a part of a text.
type span struct{ start, end int }

func (s span) overlaps(o span) bool { return s.start < o.end && o.start < s.end }
func (s span) covers(o span) bool   { return s.start <= o.start && o.end <= s.end }

// pattern is a rule ready to use. Its expressions are compiled when a keyword is
// first met, because most rules never are.
type pattern struct {
	Rule
	label string // the ID as placeholders show it
	index int    // in the engine

	load    sync.Once
	re      *regexp.Regexp
	allow   []allowlist
	reach   int  // the longest match, as far as it has a limit
	endless bool // a match has no limit
	first   bool // every match begins with a keyword
	bounded bool // and before it is no letter, digit or underscore
	run     run
}

// run is what every match contains: so many characters of a set in a row. Most
// places with a keyword have no such run, and to look for one costs next to nothing.
type run struct {
	length int
	set    [256]bool
}

const (
	maxReach  = 1024 // what is kept before and after a keyword of an endless rule
	tooWide   = 100  // a set with more characters tells nothing
	minNarrow = 12   // so many of one class are rare in ordinary text
)

func newPattern(r Rule) *pattern { return &pattern{Rule: r, label: label(r.ID)} }

// compile checks a rule.
func compile(r *Rule) (*regexp.Regexp, error) {
	re, err := regexp.Compile(r.Regex)
	if err != nil {
		return nil, err
	}
	if r.SecretGroup < 0 || r.SecretGroup > re.NumSubexp() {
		return nil, ErrGroup
	}
	if _, err := compileAllow(r.Allow); err != nil {
		return nil, err
	}
	return re, nil
}

func (p *pattern) prepare() {
	p.load.Do(func() {
		p.re = regexp.MustCompile(p.Regex) // New or a test checked it
		p.allow, _ = compileAllow(p.Allow)
		tree, err := syntax.Parse(p.Regex, syntax.Perl)
		if err != nil {
			panic(err)
		}
		p.reach, p.endless = longest(tree)
		p.run = longestRun(tree)
		p.first, p.bounded = p.begins(tree)
	})
}

// near is the part of the text in which a match with a keyword at that place lies;
// empty when there can be none.
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
		part.start-- // for what the expression says about the character before
	}
	return part
}

// possible reports whether the part can hold a match.
func (p *pattern) possible(text []byte, part span) bool {
	n := p.run.length
	if n < 4 {
		return true
	}
	// Of n characters in a row one stands at each n-th place.
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
		if secret := p.secret(groups, from); p.counts(text, match, secret) {
			found(secret)
			from = max(secret.end, from+1)
			continue
		}
		from = max(match.start+1, min(match.end, p.next(groups, from)))
	}
}

// next is where to look on after a match that did not count: behind its secret,
// whose end may be the beginning of another.
func (p *pattern) next(groups []int, from int) int { return p.secret(groups, from).end }

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
	if secret.start == secret.end || p.Entropy > 0 && entropy(text[secret.start:secret.end]) <= p.Entropy {
		return false
	}
	for i := range p.allow {
		if p.allow[i].excepts(text, match, secret) {
			return false
		}
	}
	return true
}

// entropy is Shannon's, in bits for each byte.
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

// lineAround is the line of the text in which a part stands, as far as a reader
// would see it beside the part: lines of minified code have no end.
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

// longest is how long a match can be. What repeats without end counts as nothing.
func longest(re *syntax.Regexp) (n int, endless bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(string(re.Rune)), false
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		if _, narrow := runOf(re); narrow {
			return 1, false
		}
		return utf8.UTFMax, false
	case syntax.OpStar, syntax.OpPlus:
		n, _ := longest(re.Sub[0])
		return n, true
	case syntax.OpRepeat:
		n, endless := longest(re.Sub[0])
		if re.Max < 0 {
			return n * max(re.Min, 1), true
		}
		return n * re.Max, endless
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			m, without := longest(sub)
			n, endless = max(n, m), endless || without
		}
		return n, endless
	}
	for _, sub := range re.Sub {
		m, without := longest(sub)
		n, endless = n+m, endless || without
	}
	return n, endless
}

// longestRun is the longest run of characters that every match contains.
func longestRun(re *syntax.Regexp) run {
	var best, current run
	narrow := false // best is one class, repeated: it says more than a longer mixture
	flush := func() {
		if current.length > best.length && !narrow {
			best = current
		}
		current = run{}
	}
	add := func(r run) {
		if r.length >= minNarrow && (!narrow || r.length > best.length) {
			best, narrow = r, true
		}
		current.length += r.length
		for c, in := range r.set {
			if in {
				current.set[c] = true
			}
		}
	}
	var walk func(*syntax.Regexp)
	walk = func(re *syntax.Regexp) {
		switch re.Op {
		case syntax.OpLiteral, syntax.OpCharClass:
			if r, narrow := runOf(re); narrow {
				add(r)
			} else {
				flush()
			}
		case syntax.OpConcat, syntax.OpCapture:
			for _, sub := range re.Sub {
				walk(sub)
			}
		case syntax.OpRepeat, syntax.OpPlus:
			times := max(re.Min, 1)
			r, narrow := runOf(re.Sub[0])
			if re.Op == syntax.OpRepeat && re.Min == 0 || !narrow {
				flush()
				if re.Op == syntax.OpPlus || re.Min > 0 {
					walk(re.Sub[0])
					flush()
				}
				return
			}
			r.length *= times
			add(r)
			if re.Max != times { // more of them may follow, in the same row
				rest := r
				rest.length = 0
				add(rest)
			}
		case syntax.OpAlternate:
			flush()
			if r := shortestOf(re.Sub); r.length > best.length && !narrow {
				best = r
			}
		case syntax.OpEmptyMatch, syntax.OpBeginText, syntax.OpEndText, syntax.OpBeginLine, syntax.OpEndLine,
			syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		default:
			flush()
		}
	}
	walk(re)
	flush()
	return best
}

// begins reports whether every match begins with a keyword, and whether the
// expression demands the boundary of a word before it.
func (p *pattern) begins(tree *syntax.Regexp) (first, bounded bool) {
	leads, bounded := leads(tree)
	for _, lead := range leads {
		isKeyword := func(word string) bool { return word != "" && strings.HasPrefix(lead, strings.ToLower(word)) }
		if !slices.ContainsFunc(p.Keywords, isKeyword) {
			return false, false
		}
	}
	return len(leads) > 0, bounded
}

// leads lists, in lower case, what matches begin with; none when that has no end.
// bounded says that the boundary of a word comes before all of them.
func leads(re *syntax.Regexp) (all []string, bounded bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}, false
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for char := re.Rune[i]; char <= re.Rune[i+1]; char++ {
				if all = append(all, strings.ToLower(string(char))); len(all) > 10 {
					return nil, false
				}
			}
		}
		return all, false
	case syntax.OpCapture:
		return leads(re.Sub[0])
	case syntax.OpAlternate:
		bounded = true
		for _, sub := range re.Sub {
			some, within := leads(sub)
			if len(some) == 0 {
				return nil, false
			}
			all, bounded = append(all, some...), bounded && within
		}
		return all, bounded
	case syntax.OpConcat:
		return leadsOfConcat(re.Sub)
	}
	return nil, false
}

func leadsOfConcat(parts []*syntax.Regexp) (all []string, bounded bool) {
	for len(parts) > 0 && parts[0].Op == syntax.OpWordBoundary {
		bounded = true
		parts = parts[1:]
	}
	if len(parts) == 0 {
		return nil, false
	}
	all, within := leads(parts[0])
	// What a parser split off as common, like the r of ghr and ghs, goes on.
	if len(all) == 1 && len(parts) > 1 {
		if rest, _ := leads(parts[1]); len(rest) > 0 {
			whole := make([]string, len(rest))
			for i := range rest {
				whole[i] = all[0] + rest[i]
			}
			all = whole
		}
	}
	return all, bounded || within
}

// shortestOf is the run that a match of any of the alternatives contains.
func shortestOf(alternatives []*syntax.Regexp) run {
	all := longestRun(alternatives[0])
	for _, alternative := range alternatives[1:] {
		r := longestRun(alternative)
		all.length = min(all.length, r.length)
		for c, in := range r.set {
			all.set[c] = all.set[c] || in
		}
	}
	return all
}

// runOf is the run that a literal or a class of characters makes alone.
func runOf(re *syntax.Regexp) (r run, narrow bool) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, char := range re.Rune {
			if char >= 0x80 {
				return run{}, false
			}
			r.length++
			r.set[char] = true
			if re.Flags&syntax.FoldCase != 0 {
				r.set[strings.ToLower(string(char))[0]] = true
				r.set[strings.ToUpper(string(char))[0]] = true
			}
		}
		return r, true
	case syntax.OpCharClass:
		count := 0
		for i := 0; i < len(re.Rune); i += 2 {
			for char := re.Rune[i]; char <= re.Rune[i+1]; char++ {
				if count++; count > tooWide {
					return run{}, false
				}
				if char < 0x80 {
					r.set[char] = true
				} else if char != 'ſ' && char != '\u212a' { // which fold to s and k
					return run{}, false
				} else {
					// Their bytes, so that a row with them stays one.
					for _, b := range []byte(string(char)) {
						r.set[b] = true
					}
				}
			}
		}
		r.length = 1
		return r, true
	case syntax.OpCapture:
		return runOf(re.Sub[0])
	}
	return run{}, false
}
