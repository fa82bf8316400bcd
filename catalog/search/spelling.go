package search

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// A text may spell a word with accents that the query does not have. One needle
// finds the plain letters, and a second one finds them with accents: it looks
// for accents, which are rare, and then around them.

// wordNeedles returns needles of which a file must contain one if it contains a
// folded word, or nil if there are none.
func wordNeedles(word string) []needle {
	run := longestRun(word, func(r rune) bool { return r < utf8.RuneSelf })
	if len(run) > 1 {
		return bothSpellings(run)
	}
	if other := longestRun(word, func(r rune) bool { return r >= utf8.RuneSelf && len(spellings(r)) == 1 }); other != "" {
		return bothSpellings(other)
	}
	var best []rune
	for _, r := range word {
		if all := spellings(r); r >= utf8.RuneSelf && (best == nil || len(all) < len(best)) {
			best = all
		}
	}
	if best != nil && len(best) <= mostNeedles {
		out := make([]needle, len(best))
		for i, r := range best {
			out[i] = newNeedle(utf8.AppendRune(nil, r))
		}
		return out
	}
	if run != "" {
		return bothSpellings(run)
	}
	return nil
}

func bothSpellings(run string) []needle {
	plain := newNeedle([]byte(run))
	withAccents := plain
	withAccents.letters = []rune(run)
	return []needle{plain, withAccents}
}

// findAccented returns the offset of the first accent from from on that is part
// of the letters, or -1.
func (n *needle) findAccented(block []byte, from int) int {
	for at := indexHigh(block, from); at >= 0; at = indexHigh(block, at) {
		for at < len(block) && dull[block[at]] {
			at++
		}
		if at == len(block) || block[at] < utf8.RuneSelf {
			continue
		}
		letter, size, ok := accentedAt(block[at:])
		if ok && n.around(block[:at], letter, block[at+size:]) {
			return at
		}
		at += size
	}
	return -1
}

// dull contains the non-ASCII bytes with which no character starts that
// accentedAt knows.
var dull = func() (t [256]bool) {
	for c := utf8.RuneSelf; c < len(t); c++ {
		t[c] = c < 0xc3 || c > 0xe1 || c > 0xc8 && c < 0xcc || c > 0xcd && c < 0xe1
	}
	return t
}()

// around reports whether the text before an accented letter, that letter, and
// the text after it spell the letters. A combining accent is letter 0.
func (n *needle) around(before []byte, letter rune, after []byte) bool {
	for i, r := range n.letters {
		switch {
		case letter == 0 && i > 0 && endsWith(before, n.letters[:i]) && beginsWith(after, n.letters[i:]),
			letter == r && endsWith(before, n.letters[:i]) && beginsWith(after, n.letters[i+1:]):
			return true
		}
	}
	return false
}

// beginsWith reports whether a text, folded, starts with letters.
func beginsWith(text []byte, letters []rune) bool {
	for len(letters) > 0 {
		if len(text) == 0 {
			return false
		}
		r, size := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text)
		}
		text = text[size:]
		if f := fold(r); f == letters[0] {
			letters = letters[1:]
		} else if f != 0 {
			return false
		}
	}
	return true
}

// endsWith reports whether a text, folded, ends with letters.
func endsWith(text []byte, letters []rune) bool {
	for len(letters) > 0 {
		if len(text) == 0 {
			return false
		}
		r, size := rune(text[len(text)-1]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeLastRune(text)
		}
		text = text[:len(text)-size]
		if f := fold(r); f == letters[len(letters)-1] {
			letters = letters[:len(letters)-1]
		} else if f != 0 {
			return false
		}
	}
	return true
}

// indexHigh returns the offset of the first non-ASCII byte from from on, or -1.
func indexHigh(b []byte, from int) int {
	i := from
	for ; i+32 <= len(b); i += 32 {
		c := b[i : i+32 : i+32]
		if (binary.LittleEndian.Uint64(c)|binary.LittleEndian.Uint64(c[8:])|
			binary.LittleEndian.Uint64(c[16:])|binary.LittleEndian.Uint64(c[24:]))&highs != 0 {
			break
		}
	}
	for ; i+8 <= len(b); i += 8 {
		if high := binary.LittleEndian.Uint64(b[i:]) & highs; high != 0 {
			return i + bits.TrailingZeros64(high)/8
		}
	}
	for ; i < len(b); i++ {
		if b[i] >= utf8.RuneSelf {
			return i
		}
	}
	return -1
}
