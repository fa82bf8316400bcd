package search

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// A text that matches an expression has its grams.
func TestTextsHaveTheirGrams(t *testing.T) {
	matched := 0
	letters := rapid.SampledFrom([]rune("abkKsSéÉ1. \u212a\u017fßẞσςİıж日本\ufffd"))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(letters, 3, 40, -1).Draw(t, "text")
		runes := []rune(text)
		from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
		word := string(runes[from:rapid.IntRange(from+1, len(runes)).Draw(t, "to")])
		change := rapid.SampledFrom([]func(string) string{strings.ToUpper, strings.ToLower, strings.Clone}).Draw(t, "change")
		re := regexp.MustCompile(rapid.SampledFrom([]string{"(?i)", "", "(?i)(x|y)*", "(?i)^.*"}).Draw(t, "flags") + regexp.QuoteMeta(change(word)))
		var set gramSet
		for range rapid.IntRange(0, 3).Draw(t, "others") {
			set.add(rapid.String().Draw(t, "other"))
		}
		set.add(text)
		if re.MatchString(text) {
			matched++
			if !hasGrams(set.take(), requiredGrams(re.String())) {
				t.Fatalf("%q matches %s and lacks its grams", text, re)
			}
		}
	})
	if matched == 0 {
		t.Error("no text matched: this test tests nothing")
	}
}

// Words that a text does not contain usually have other grams, however long the
// text is.
func TestGramsOfOtherTexts(t *testing.T) {
	var set gramSet
	for size, text := range map[string]string{
		"short": "the parser reads configuration files",
		"long":  strings.Repeat("the parser reads configuration files; ", 30_000),
	} {
		set.add(text)
		got := set.take()
		if len(got) > 64 {
			t.Errorf("the grams of a %s text take %d bytes", size, len(got))
		}
		for expr, want := range map[string]bool{
			"(?i)parser": true, "(?i)ARSE": true, `(?i)reads\s+config`: true, "(?i)pa": true, "(?i)zzyzx|parser": true, "(?i)(zzyzx)?files": true,
			"(?i)zzyzx": false, "(?i)(zzyzx)+": false, `(?i)reads\s+kangaroo`: false, "(?i)größer": false,
		} {
			if hasGrams(got, requiredGrams(expr)) != want {
				t.Errorf("a %s text has the grams of %s: %v; want %v", size, expr, !want, want)
			}
		}
	}
}

// oneCase agrees with regular expressions about the cases of a letter.
func TestOneCase(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		if a, b := oneCase(r), oneCase(unicode.SimpleFold(r)); a != b {
			t.Errorf("oneCase(%U) = %U, and oneCase(%U) = %U", r, a, unicode.SimpleFold(r), b)
		}
	}
}
