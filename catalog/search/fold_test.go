package search_test

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/pith-sessions/pith/catalog/search"
)

// slowFold folds by the rules, one after the other.
func slowFold(r rune) rune {
	if r >= 0x300 && r < 0x370 {
		return 0
	}
	if r == 0x212b {
		return r
	}
	if l := unicode.ToLower(r); l >= utf8.RuneSelf || r < utf8.RuneSelf {
		r = l
	}
	parts := []rune(norm.NFD.String(string(r)))
	for _, mark := range parts[1:] {
		if mark < 0x300 || mark >= 0x370 {
			return r
		}
	}
	if len(parts) == 1 {
		return r // itself, or another name of a character
	}
	return unicode.ToLower(parts[0])
}

// Folding any character is idempotent.
func TestFold(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !search.InWord(r) {
			continue
		}
		f := search.Fold(r)
		if want := slowFold(r); f != want {
			t.Errorf("Fold(%U) = %U, want %U", r, f, want)
		}
		if f != 0 && (search.Fold(f) != f || !search.InWord(f)) {
			t.Errorf("Fold(%U) = %U, which is folded again to %U or is no part of a word", r, f, search.Fold(f))
		}
	}
}
