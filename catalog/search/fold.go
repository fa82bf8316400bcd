package search

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold returns the character as which a character of a word is compared: in
// lower case and without accents; 0 for a combining accent. Only an accented
// letter is folded to an ASCII letter, never a sign such as those for Kelvin
// and Ångström.
func fold(r rune) rune {
	if r < utf8.RuneSelf {
		return rune(lower(byte(r)))
	}
	if isAccent(r) {
		return 0
	}
	if r == '\u212b' {
		return r // in lower case it would have an accent
	}
	if l := unicode.ToLower(r); l >= utf8.RuneSelf {
		r = l
	}
	if r < 0xc0 || r > 0x1fff || r > 0x4ff && r < 0x1e00 {
		return r // outside the alphabets written with accents
	}
	var buf [utf8.UTFMax]byte
	parts := norm.NFD.Properties(utf8.AppendRune(buf[:0], r)).Decomposition()
	base, size := utf8.DecodeRune(parts)
	if size == len(parts) {
		return r
	}
	for _, mark := range string(parts[size:]) {
		if !isAccent(mark) {
			return r
		}
	}
	return unicode.ToLower(base)
}

// isAccent reports whether a character is an accent on the one before it. The
// marks of other scripts do not count: without them a word would be a different
// one.
func isAccent(r rune) bool { return r >= 0x300 && r < 0x370 }
