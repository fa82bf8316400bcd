package search

import (
	"bytes"
	"regexp/syntax"
	"unicode/utf8"
)

// Most lines do not match, and most text is ASCII. This file decides about such
// lines and texts without decoding or a regular expression.

// lower returns an ASCII letter in lower case, and any other byte as it is.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// appendLower appends text with its ASCII letters in lower case. ascii is false if
// it has other characters than ASCII.
func appendLower[T string | []byte](dst []byte, text T) (_ []byte, ascii bool) {
	all := byte(0)
	for i := range len(text) {
		all |= text[i]
		dst = append(dst, lower(text[i]))
	}
	return dst, all < utf8.RuneSelf
}

// neededBy returns a text in lower case that every ASCII line contains that matches
// a query and has no \u escapes, or nil if none is known.
func neededBy(q *Query) []byte {
	longest := ""
	if q.Any {
		return nil
	}
	for _, t := range q.Terms {
		words := t.Words
		if t.Regexp != nil {
			words = []string{literalOf(t.Regexp.String())}
		}
		for _, w := range words {
			for _, run := range bytes.FieldsFunc([]byte(w), func(r rune) bool { return r >= utf8.RuneSelf || class[r] == 0 }) {
				if len(run) > len(longest) {
					longest = string(run)
				}
			}
		}
	}
	return []byte(longest)
}

// literalOf returns the text in lower case that a regular expression matches in
// either case, or "" if it does more or less than that.
func literalOf(expr string) string {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil || re.Op != syntax.OpLiteral {
		return ""
	}
	text, ascii := appendLower(nil, string(re.Rune))
	if !ascii || re.Flags&syntax.FoldCase == 0 && bytes.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") {
		return ""
	}
	return string(text)
}

// appendSpans appends the first mostSpans occurrences of a literal in a text. Unless
// all is set, it stops after those that a snippet shows.
func appendSpans(dst []Span, text []byte, literal string, all bool) []Span {
	enough := len(text)
	for from, n := 0, 0; n < mostSpans && from <= enough; n++ {
		at := bytes.Index(text[from:], []byte(literal))
		if at < 0 || from+at > enough {
			break
		}
		at += from
		if n == 0 && !all {
			enough = min(enough, at+snippetReach)
		}
		from = at + len(literal)
		dst = append(dst, Span{at, from})
	}
	return dst
}
