package search

import (
	"bytes"
	"context"
)

// Words are the words of a text.
func Words(text string) []string { return wordsOf(text) }

// Fold is the character that one counts as.
func Fold(r rune) rune { return fold(r) }

// InWord reports whether a character is part of words that have several.
func InWord(r rune) bool { return kindOf(r) == within }

// ScanLines is how many lines a scan finds, and how many if it decodes all.
func ScanLines(ctx context.Context, q Query, lines []byte) (quick, slow int, err error) {
	count := func(s *scanner) (n int, err error) {
		err = s.each(ctx, bytes.NewReader(lines), 0, int64(len(lines)), func(*entry, found, int64) bool { n++; return true })
		return n, err
	}
	if quick, err = count(newScanner(&q, true, nil)); err != nil {
		return 0, 0, err
	}
	s := newScanner(&q, true, nil)
	s.needed = nil
	slow, err = count(s)
	return quick, slow, err
}
