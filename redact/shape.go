package redact

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file determines common properties of all matches of an expression.

// longest returns the maximum length of a match. Unlimited repetition is not
// counted.
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

// longestRun returns the longest run of characters that every match contains.
func longestRun(re *syntax.Regexp) run {
	var best, current run
	narrow := false // best is one repeated class: it is more selective than a longer mixture
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
			if re.Max != times { // more may follow in the same run
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

// needs returns groups of words such that every match contains one word of each
// group. It ignores case-insensitive words and single characters.
func needs(re *syntax.Regexp) (groups [][]string) {
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return needs(re.Sub[0])
	case syntax.OpConcat:
		for i, sub := range re.Sub {
			if words := choices(re.Sub[i:]); long(words) {
				groups = append(groups, words)
			} else if sub.Op != syntax.OpLiteral && sub.Op != syntax.OpAlternate {
				groups = append(groups, needs(sub)...)
			}
		}
	case syntax.OpLiteral, syntax.OpAlternate:
		if words := choices([]*syntax.Regexp{re}); long(words) {
			groups = append(groups, words)
		}
	}
	return groups
}

func long(words []string) bool {
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return len(w) < 2 })
}

// choices returns the words with which a match of the parts starts, or none if
// unknown.
func choices(parts []*syntax.Regexp) (words []string) {
	if len(parts) == 0 {
		return nil
	}
	switch first := parts[0]; first.Op {
	case syntax.OpLiteral:
		if first.Flags&syntax.FoldCase != 0 {
			return nil
		}
		word := string(first.Rune)
		if rest := choices(parts[1:]); len(rest) > 0 {
			for _, r := range rest {
				words = append(words, word+r)
			}
			return words
		}
		return []string{word}
	case syntax.OpAlternate:
		for _, sub := range first.Sub {
			some := choices([]*syntax.Regexp{sub})
			if len(some) == 0 {
				return nil
			}
			words = append(words, some...)
		}
	case syntax.OpConcat, syntax.OpCapture:
		return choices(first.Sub)
	}
	return words
}

// begins reports whether every match starts with a keyword, and whether the
// expression requires a word boundary before it.
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

// leads returns, in lower case, the possible prefixes of matches, or none if
// there are too many. bounded means that a word boundary precedes all of them.
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
	const most = 64
	for len(parts) > 0 && parts[0].Op == syntax.OpWordBoundary {
		bounded = true
		parts = parts[1:]
	}
	all = []string{""}
	for _, part := range parts {
		next, within := exactly(part), false
		ends := len(next) == 0
		if ends {
			next, within = leads(part)
		}
		bounded = bounded || within && all[0] == ""
		if len(next) == 0 || len(all)*len(next) > most {
			break
		}
		if all = pairs(all, next); ends {
			break
		}
	}
	if all[0] == "" {
		return nil, false
	}
	return all, bounded
}

// exactly returns, in lower case, everything that an expression matches, or
// none if that is too much.
func exactly(re *syntax.Regexp) (all []string) {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass:
		all, _ = leads(re)
	case syntax.OpCapture:
		return exactly(re.Sub[0])
	case syntax.OpConcat:
		all = []string{""}
		for _, sub := range re.Sub {
			all = pairs(all, exactly(sub))
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			some := exactly(sub)
			if len(some) == 0 {
				return nil
			}
			all = append(all, some...)
		}
	}
	return all
}

func pairs(firsts, seconds []string) (all []string) {
	for _, first := range firsts {
		for _, second := range seconds {
			all = append(all, first+second)
		}
	}
	return all
}

// shortestOf returns the run that a match of any of the alternatives contains.
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

// runOf returns the run of a single literal or character class.
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
				} else if char != 'ſ' && char != '\u212a' { // they fold to s and k
					return run{}, false
				} else {
					// Include their bytes, so that they do not end a run.
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
