// Package termsafe makes text from session files and file names safe for a
// terminal, and fits it into a number of cells.
//
// A session contains whatever a model, a tool or a web page produced: sequences
// that move the cursor, change colors or send input, and characters that change
// the direction of text. All such text passes through here before it is shown.
// The package adds no colors and knows nothing about sessions. Bytes for files
// or other programs must not pass through it, because it is not reversible.
//
// # Invariants
//
//	P1  No result contains a C0 or C1 control, DEL, a bidirectional override,
//	    isolate or mark, a tag or another invisible character, U+2028 or U+2029.
//	    The line feeds of Text and joiners (U+200C, U+200D) are the exception.
//	P2  Every result is valid UTF-8.
//	P3  Text that needs no change is returned unchanged, without an allocation.
package termsafe

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Line returns s on one line: line breaks and tabs become a space, and
// characters that a terminal would obey are shown as escapes such as \x1b.
func Line(s string) string { return clean(s, oneLine) }

// Text returns s with its line feeds; a Windows line break counts as one. Tabs
// become spaces up to the next multiple of eight columns, counted in
// characters.
func Text(s string) string { return clean(s, manyLines) }

// A shape determines the treatment of line breaks.
type shape uint8

const (
	oneLine shape = iota
	manyLines
)

const tabStop = 8

func clean(s string, to shape) string {
	i := firstHarmful(s, to)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	column := utf8.RuneCountInString(s[strings.LastIndexByte(s[:i], '\n')+1 : i])
	for i < len(s) {
		r, size := decode(s[i:])
		switch {
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			// The line feed that follows is the line break.
		case r == '\n' && to == manyLines:
			b.WriteByte('\n')
			column = -1
		case r == '\t' && to == manyLines:
			n := tabStop - column%tabStop
			b.WriteString("        "[:n])
			column += n - 1
		case to == oneLine && (r == '\n' || r == '\r' || r == '\t'):
			b.WriteByte(' ')
		case harmful(r):
			escape(&b, r)
		default:
			b.WriteRune(r)
		}
		column++
		i += size
	}
	return b.String()
}

// firstHarmful returns the offset of the first change that s needs, or -1.
func firstHarmful(s string, to shape) int {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if (c < 0x20 || c == 0x7f) && (c != '\n' || to == oneLine) {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || harmful(r) {
			return i
		}
		i += size
	}
	return -1
}

// decode reads one character. An unpaired surrogate in three bytes, as
// JavaScript keeps it, and any other byte that is not UTF-8 read as U+FFFD.
func decode(s string) (rune, int) {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 && len(s) >= 3 &&
		s[0] == 0xed && s[1]&0xe0 == 0xa0 && s[2]&0xc0 == 0x80 {
		return r, 3
	}
	return r, size
}

func harmful(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	case r == '\u200e', r == '\u200f', r == '\u061c': // marks that change the direction of their surroundings
		return true
	case r >= 0xe0000 && r <= 0xe007f: // tags: invisible text
		return true
	case r == '\u00ad', r == '\u180e', r == '\u200b', r >= '\u2060' && r <= '\u206f', r == '\ufeff': // invisible, and no script needs them
		return true
	}
	return false
}

func escape(b *strings.Builder, r rune) {
	if r <= 0xff {
		fmt.Fprintf(b, `\x%02x`, r)
		return
	}
	if r > 0xffff {
		fmt.Fprintf(b, `\U%08x`, r)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}
