package search

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A literal is a regular expression that matches ASCII characters literally, in
// either letter case. Searching for it directly is several times as fast.
type literal struct {
	needle
	variants bool // it contains a letter with a case beyond ASCII
}

// literalOf returns the literal that an expression consists of, or nil.
func literalOf(expr string) *literal {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil || re.Op != syntax.OpLiteral {
		return nil
	}
	text := string(re.Rune)
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || re.Flags&syntax.FoldCase == 0 && class[c] > '9' {
			return nil
		}
	}
	return &literal{newNeedle([]byte(text)), strings.ContainsAny(text, "kKsS")}
}

// hasVariants reports whether a text contains the letter K or S in a case
// beyond ASCII, which the literal matches too.
func (l *literal) hasVariants(text string) bool {
	return l.variants && (strings.Contains(text, "\u212a") || strings.Contains(text, "\u017f"))
}

// appendSpans appends the first mostSpans occurrences in a text. Unless all is
// set, it stops after those that a snippet shows.
func (l *literal) appendSpans(dst []Span, text []byte, all bool) []Span {
	enough := len(text)
	for from, n := 0, 0; n < mostSpans && from <= enough; n++ {
		at := l.find(text, from)
		if at < 0 || at > enough {
			break
		}
		if n == 0 && !all {
			enough = min(enough, at+snippetReach)
		}
		from = at + len(l.bytes)
		dst = append(dst, Span{at, from})
	}
	return dst
}
