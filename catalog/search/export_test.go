package search

import (
	"bytes"
	"context"
)

// Find is where a text is in a block, in either case, from an offset on.
func Find(text, block []byte, from int) int {
	n := newNeedle(text)
	return n.find(block, from)
}

// FindEscape is where the beginning of an escape is in a block.
func FindEscape(block []byte, from int) int { return indexExact(block, from, '\\', 'u') }

// Needles are the needles of a regular expression.
func Needles(expr string) []string {
	var out []string
	for _, n := range needlesOf(expr) {
		out = append(out, string(n.bytes))
	}
	return out
}

// Words are the words of a text.
func Words(text string) []string { return wordsOf(text) }

// Fold is the character that one counts as.
func Fold(r rune) rune { return fold(r) }

// InWord reports whether a character is part of words that have several.
func InWord(r rune) bool { return kindOf(r) == within }

// Accented is what the scan of a file knows of a character.
func Accented(r rune) (letter rune, ok bool) {
	letter, _, ok = accentedAt([]byte(string(r)))
	return letter, ok
}

// WordNeedles are the needles of a word, those with accents left out.
func WordNeedles(word string) []string {
	var out []string
	for _, n := range wordNeedles(word) {
		if n.letters == nil {
			out = append(out, string(n.bytes))
		}
	}
	return out
}

// ScanLines is how many lines a scan finds, with its prefilter and without.
func ScanLines(ctx context.Context, q Query, lines []byte) (quick, slow int, err error) {
	count := func(s *scanner) (n int, err error) {
		err = s.each(ctx, bytes.NewReader(lines), 0, int64(len(lines)), func(*entry, found, int64) bool { n++; return true })
		return n, err
	}
	if quick, err = count(newScanner(&q, true, nil)); err != nil {
		return 0, 0, err
	}
	s := newScanner(&q, true, nil)
	s.filter = nil
	slow, err = count(s)
	return quick, slow, err
}
