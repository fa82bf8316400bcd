package compact

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// This file weighs text, in quarters of a token. Text is UTF-8 in which half of
// a surrogate pair may occur as the three bytes that its code point would have.

func (e Estimator) text(b []byte) int64 {
	if e == ByScript {
		return scriptWeight(b)
	}
	return units(b)
}

// unit returns the weight of one UTF-16 unit.
func (e Estimator) unit(u rune) int64 {
	if e != ByScript {
		return 1
	}
	return runeWeight(u)
}

// literal returns the weight of the value of a JSON string, or 0 for any other
// value. It does not decode the string, because most text is only weighed.
func (e Estimator) literal(raw []byte) int64 {
	if len(raw) < 2 || raw[0] != '"' {
		return 0
	}
	rest := raw[1 : len(raw)-1]
	if !utf8.Valid(rest) {
		s, _ := jsonl.String(raw)
		return e.text([]byte(s))
	}
	n := int64(0)
	for {
		plain := bytes.IndexByte(rest, '\\')
		if plain < 0 {
			return n + e.text(rest)
		}
		n += e.text(rest[:plain])
		u, size := escapedUnit(rest[plain:])
		n += e.unit(u)
		rest = rest[min(plain+size, len(rest)):]
	}
}

// escapedUnit returns the escape at the start of b and its length.
func escapedUnit(b []byte) (rune, int) {
	if len(b) < 6 || b[1] != 'u' {
		return ' ', 2 // all short escapes stand for ASCII
	}
	u, _ := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(u), 6
}

// units returns the length of text in UTF-16 units, as JavaScript counts. It
// counts a character at its first byte, so text may be split anywhere.
func units(text []byte) int64 {
	n := int64(0)
	for _, c := range text {
		if c&0xC0 != 0x80 {
			n++
		}
		if c >= 0xF0 { // outside the basic plane: two units
			n++
		}
	}
	return n
}

// scriptWeight counts Latin letters like units. A model's vocabulary has few
// words of other scripts, so their characters count by the tokens that they
// actually take. For CJK that is about one token each, where a quarter of the
// units would give one token for four (pitfall 104).
func scriptWeight(text []byte) int64 {
	n := int64(0)
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			n++
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 && text[i] == 0xED && i+3 <= len(text) {
			n += halfWeight
			i += 3
			continue
		}
		n += runeWeight(r)
		i += size
	}
	return n
}

// halfWeight is the weight of half of a surrogate pair, usually an emoji.
const halfWeight = 4

func runeWeight(r rune) int64 {
	switch {
	case r < 0x0250: // Latin with its accents
		return 1
	case r < 0x0900: // Greek, Cyrillic, Hebrew, Arabic and other alphabets
		return 2
	case r < 0x10000: // Indic and East Asian scripts, symbols, halves of pairs
		return halfWeight
	}
	return 2 * halfWeight // emoji, rare ideographs
}
