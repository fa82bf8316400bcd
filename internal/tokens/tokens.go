// Package tokens weighs text, in quarters of a token, without the vocabulary of a
// model. Text is UTF-8 in which half of a surrogate pair may occur as the three
// bytes that its code point would have.
package tokens

import "unicode/utf8"

// Units returns the length of text in UTF-16 units, as JavaScript counts. It
// counts a character at its first byte, so text may be split anywhere.
func Units(text []byte) int64 {
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

// ByScript counts Latin letters like Units. A model's vocabulary has few words of
// other scripts, so their characters count by the tokens that they actually take.
// For CJK that is about one token each, where a quarter of the units would give
// one token for four (pitfall 104).
func ByScript(text []byte) int64 {
	n := int64(0)
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			n++
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 && text[i] == 0xED && i+3 <= len(text) {
			n += half
			i += 3
			continue
		}
		n += OfRune(r)
		i += size
	}
	return n
}

// half is the weight of half of a surrogate pair, usually an emoji.
const half = 4

// OfRune is ByScript of one character.
func OfRune(r rune) int64 {
	switch {
	case r < 0x0250: // Latin with its accents
		return 1
	case r < 0x0900: // Greek, Cyrillic, Hebrew, Arabic and other alphabets
		return 2
	case r < 0x10000: // Indic and East Asian scripts, symbols, halves of pairs
		return half
	}
	return 2 * half // emoji, rare ideographs
}
