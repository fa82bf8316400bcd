package search_test

import (
	"slices"
	"strings"
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

// Properties of every character: a scan can determine which ones to look at,
// and folding is idempotent.
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
		if r < utf8.RuneSelf {
			continue
		}
		if letter, ok := search.Accented(r); ok != (f < utf8.RuneSelf) || ok && letter != f {
			t.Errorf("Accented(%U) = %U, %t, but Fold gives %U", r, letter, ok, f)
		}
	}
}

// A word of one character is found in every spelling of it.
func TestNeedlesOfOneCharacter(t *testing.T) {
	for r := rune(utf8.RuneSelf); r <= unicode.MaxRune; r++ {
		f := search.Fold(r)
		if !search.InWord(r) || f < utf8.RuneSelf {
			continue
		}
		if needles := search.WordNeedles(string(f)); needles != nil && !slices.Contains(needles, string(r)) {
			t.Errorf("WordNeedles(%c %U) = %q, without %c %U", f, f, needles, r, r)
		}
	}
}

func TestNeedlesOfWords(t *testing.T) {
	tests := map[string]string{
		"cafe":   "cafe",
		"große":  "gro",
		"e":      "e",
		"привет": "п П",
		"كتاب":   "كتاب",
		"α":      "",
		"καφε":   "κ ϰ Κ",
	}
	for word, want := range tests {
		if got := strings.Join(search.WordNeedles(word), " "); got != want {
			t.Errorf("WordNeedles(%s) = %q, want %q", word, got, want)
		}
	}
}
