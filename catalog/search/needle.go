package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A needle is bytes that a line must hold, as the file has them, to be worth a
// closer look. ASCII letters match in both cases.
type needle struct {
	bytes []byte // in lower case
	at    int    // of the two bytes that are looked for: those that are rarest in sessions

	letters []rune // if set, these are looked for with accents on them, see findAccented
}

// newNeedle makes a needle of at least one byte.
func newNeedle(text []byte) needle {
	n := needle{bytes: make([]byte, len(text))}
	for i, c := range text {
		n.bytes[i] = lower(c)
	}
	for i := 0; i+1 < len(text); i++ {
		if n.rarity(i) > n.rarity(n.at) {
			n.at = i
		}
	}
	return n
}

// rarity is a number for how rare two neighbours are together.
func (n *needle) rarity(i int) int { return rank(n.bytes[i]) * rank(n.bytes[i+1]) }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// byFrequency are the bytes that are frequent in sessions, which are JSON, code
// and English, the most frequent first. All others are rare.
const byFrequency = ` etaonsrilc"dup\mhfg,/:.b_yn0v1-2x3{}w5487k69`

func rank(c byte) int {
	if i := strings.IndexByte(byFrequency, c); i >= 0 {
		return i + 1
	}
	return 2 * len(byFrequency)
}

// find is where the needle is in a block, at an offset or behind it; -1 for
// nowhere.
func (n *needle) find(block []byte, from int) int {
	if n.letters != nil {
		return n.findAccented(block, from)
	}
	first, second := n.bytes[n.at], n.bytes[n.at]
	if len(n.bytes) > 1 {
		second = n.bytes[n.at+1]
	}
	for at := from + n.at; ; at++ {
		if len(n.bytes) > 1 {
			at = indexPair(block, at, first, second)
		} else {
			at = indexLetter(block, at, first)
		}
		if at < 0 {
			return -1
		}
		if n.matches(block, at-n.at) {
			return at - n.at
		}
	}
}

func (n *needle) matches(block []byte, start int) bool {
	if start+len(n.bytes) > len(block) {
		return false
	}
	for i, c := range block[start : start+len(n.bytes)] {
		if lower(c) != n.bytes[i] {
			return false
		}
	}
	return true
}

// needlesFor are needles of which a file must hold one, wherever it holds a text
// literally; nil if there is none to be had. Only bytes that JSON never needs to
// escape are used. See escapes for those that are escaped without need.
func needlesFor(literal string) []needle {
	if run := longestRun(literal, func(r rune) bool { return r >= ' ' && r < 0x7f && r != '"' && r != '\\' && r != '/' }); len(run) > 1 {
		return []needle{newNeedle([]byte(run))}
	}
	if run := longestRun(literal, func(r rune) bool { return r >= utf8.RuneSelf && r != utf8.RuneError && !isCased(r) }); run != "" {
		return []needle{newNeedle([]byte(run))}
	}
	for _, r := range literal {
		if r >= utf8.RuneSelf && r != utf8.RuneError { // all its cases
			out := []needle{newNeedle(utf8.AppendRune(nil, r))}
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				out = append(out, newNeedle(utf8.AppendRune(nil, f)))
			}
			return out
		}
	}
	if run := longestRun(literal, func(r rune) bool { return r > ' ' && r < 0x7f && r != '"' && r != '\\' && r != '/' }); run != "" {
		return []needle{newNeedle([]byte(run))}
	}
	return nil
}

func isCased(r rune) bool { return unicode.SimpleFold(r) != r }

// longestRun is the longest part of a text whose characters are all allowed.
func longestRun(text string, allowed func(rune) bool) string {
	var best string
	start := -1
	for i, r := range text + "\x00" {
		if allowed(r) && i < len(text) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && i-start > len(best) {
			best = text[start:i]
		}
		start = -1
	}
	return best
}

// escapes finds, at an offset or behind it, an escape that may stand for a
// character of a text that is looked for; -1 for none. Those that writers need,
// for control characters and for halves of pairs alone, do not count.
func escapes(block []byte, from int) int {
	for {
		at := indexExact(block, from, '\\', 'u')
		if at < 0 {
			return -1
		}
		from = at + 2
		if rest := block[from:]; len(rest) >= 4 && !(rest[0] == '0' && rest[1] == '0' && rest[2] <= '1') {
			return at
		}
	}
}
