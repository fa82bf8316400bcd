package search

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// A literal is found where its regular expression matches.
func TestLiteralMatchesLikeItsRegexp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]rune("abkKsS1. \u212a\u017fä"))
		word := rapid.StringOfN(letters, 1, 4, -1).Draw(t, "word")
		text := rapid.StringOfN(letters, 0, 400, -1).Draw(t, "text")
		flags := rapid.SampledFrom([]string{"", "(?i)"}).Draw(t, "flags")
		re := regexp.MustCompile(flags + regexp.QuoteMeta(word))
		m := newMatcher(&Query{Terms: []Term{{Regexp: re}}}, false)
		var want []Span
		for _, at := range re.FindAllStringIndex(text, mostSpans) {
			want = append(want, Span{at[0], at[1]})
		}
		for _, all := range []bool{true, false} {
			got, terms := m.field(text, all)
			if (terms == 1) != (len(want) > 0) || len(got) > len(want) || all && len(got) != len(want) {
				t.Fatalf("field(%q, %v) of %s = %v, %b; want %v", text, all, re, got, terms, want)
			}
			for i, w := range want {
				switch {
				case i < len(got) && got[i] != w:
					t.Fatalf("field(%q, %v) of %s = %v; want %v", text, all, re, got, want)
				case i >= len(got) && w.Start <= want[0].Start+snippetReach:
					t.Fatalf("field(%q, %v) of %s = %v, without %v, which a snippet shows", text, all, re, got, w)
				}
			}
		}
	})
}

// Words that the app searches for are literals.
func TestLiteralOf(t *testing.T) {
	for expr, want := range map[string]string{
		"(?i)Parser": "parser", "(?i)1.5": "", `(?i)a1\.5`: "a1.5", "(?i)task": "task", "123": "123", "(?i)12": "12", "(?i)a b": "a b",
		"Parser": "", "(?i)ärger": "", "(?i)a|b": "", "(?i)a+": "", "": "",
	} {
		if got := literalOf(expr); got != want {
			t.Errorf("literalOf(%q) = %q; want %q", expr, got, want)
		}
	}
}
