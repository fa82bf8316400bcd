package search

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold returns the character as which a character of a word is compared: in
// lower case and without accents; 0 for a combining accent. Only an accented
// letter is folded to an ASCII letter, never a sign such as those for Kelvin
// and Ångström. So the characters that fold to a letter can be recognized
// quickly: see accentedAt.
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

// accentedAt returns the lower-case ASCII letter to which the accented
// character at the start of a text folds, or 0 for a combining accent; ok is
// false for every other character. It checks the first bytes, because it is
// called for every non-ASCII character of a file.
func accentedAt(text []byte) (letter rune, size int, ok bool) {
	if dull[text[0]] || len(text) < 2 || utf8.RuneStart(text[1]) {
		return 0, 1, false
	}
	switch c, second := text[0], text[1]; {
	case c < 0xe1:
		r := rune(c&0x1f)<<6 | rune(second&0x3f)
		if i := r - 'À'; i >= 0 && i < rune(len(latin)) && latin[i] != ' ' {
			letter = rune(latin[i])
		}
		return letter, 2, letter != 0 || isAccent(r)
	case second >= 0xb8 && second <= 0xbb: // Latin Extended Additional
		r, size := utf8.DecodeRune(text)
		letter = fold(r)
		return letter, size, letter < utf8.RuneSelf
	}
	return 0, 1, false
}

// latin has the result of fold for each letter from À on; these are the letters
// that most languages use. A space is a letter that does not fold to ASCII.
const latin = "aaaaaa ceeeeiiii nooooo  uuuuy  aaaaaa ceeeeiiii nooooo  uuuuy y" +
	"aaaaaaccccccccdd  eeeeeeeeeegggggggghh  iiiiiiiii   jjkk llllll " +
	"   nnnnnn   oooooo  rrrrrrsssssssstttt  uuuuuuuuuuuuwwyyyzzzzzz " +
	"                                oo             uu               " +
	"             aaiioouuuuuuuuuu aaaa    ggkkoooo  j   gg  nnaa    " +
	"aaaaeeeeiiiioooorrrruuuusstt  hh      aaeeooooooooyy            "

// spellings returns the characters that fold to a given non-ASCII character, in
// any letter case, including the character itself.
func spellings(r rune) []rune {
	out := []rune{r}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		out = append(out, f)
	}
	return append(out, withAccents()[r]...)
}

// withAccents maps folded characters to the accented characters that fold to
// them.
var withAccents = sync.OnceValue(func() map[rune][]rune {
	out := map[rune][]rune{}
	for r := rune(0xc0); r < 0x2000; r++ {
		if f := fold(r); f >= utf8.RuneSelf && f != unicode.ToLower(r) {
			out[f] = append(out[f], r)
		}
	}
	return out
})
