package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A needle is a byte sequence that a raw line must contain to be a candidate.
// ASCII letters match in both cases.
type needle struct {
	bytes []byte // in lower case
	at    int    // index of the two bytes to look for: those that are rarest in sessions

	letters []rune // if set, look for these with accents, see findAccented
}

// newNeedle returns a needle for a text of at least one byte.
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

// rarity returns a measure of how rare two adjacent bytes are.
func (n *needle) rarity(i int) int { return rank(n.bytes[i]) * rank(n.bytes[i+1]) }

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// byFrequency contains the bytes that are frequent in sessions, which are JSON,
// code and English, the most frequent first. All others are rare.
const byFrequency = ` etaonsrilc"dup\mhfg,/:.b_yn0v1-2x3{}w5487k69`

func rank(c byte) int {
	if i := strings.IndexByte(byFrequency, c); i >= 0 {
		return i + 1
	}
	return 2 * len(byFrequency)
}

// find returns the first offset of the needle in a block from from on, or -1.
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

// needlesFor returns needles of which a file must contain one if it contains a
// text literally, or nil if there are none. Only bytes that JSON never needs to
// escape are used; see escapes for bytes that are escaped without need.
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

// longestRun returns the longest part of a text in which all characters are
// allowed.
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

// escapes returns the first offset from from on of an escape that may encode a
// character of the text, or -1. Escapes that are required, for control
// characters and unpaired surrogates, do not count.
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
