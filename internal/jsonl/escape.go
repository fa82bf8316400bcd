package jsonl

import (
	"encoding/binary"
	"math/bits"
)

// endOfString moves over the rest of a string literal, from after its opening
// quote to after its closing quote. See skip.go for the result. It is for
// single strings: it reads eight bytes at a time and, unlike text, needs no
// index.
func endOfString(b []byte, i int) int {
	for {
		if i = nextSpecial(b, i); i >= len(b) {
			return ^len(b)
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i = skipEscape(b, i); i < 0 {
				return i
			}
		default:
			return ^i
		}
	}
}

// nextSpecial returns the offset of the first quote, backslash or control
// character from b[i] on, or len(b).
func nextSpecial(b []byte, i int) int {
	for len(b)-i >= 8 {
		if found := special(binary.LittleEndian.Uint64(b[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
		i += 8
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		i++
	}
	return i
}

// special returns a word whose lowest set bit is the top bit of the first byte
// of w, in memory order, that is a quote, a backslash or a control character.
// It is zero if there is none. Bits above the lowest may be wrong.
//
// Flipping bit 1 moves the quote (0x22) to just above the controls, and the
// characters there (0x20, 0x21) out of the way, so one subtraction finds both.
func special(w uint64) uint64 {
	control := (w ^ 0x02*ones) - 0x21*ones
	backslash := (w ^ '\\'*ones) - ones
	return (control | backslash) &^ w & tops
}

// skipEscape moves over an escape, from its backslash.
func skipEscape(b []byte, i int) int {
	if i+1 < len(b) && meaning[b[i+1]] != 0 {
		return i + 2
	}
	return skipLongEscape(b, i)
}

// skipLongEscape moves over \uXXXX, and finds the fault of any other escape
// that is not short.
func skipLongEscape(b []byte, i int) int {
	if i++; i >= len(b) {
		return ^len(b)
	}
	if b[i] != 'u' {
		return ^i
	}
	for range 4 {
		if i++; i >= len(b) {
			return ^len(b)
		}
		if hexValue(b[i]) < 0 {
			return ^i
		}
	}
	return i + 1
}

// meaning maps the letter of a short escape to its character, or to 0.
var meaning = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// hexRune returns the code unit of a valid \uXXXX.
func hexRune(escape []byte) rune {
	var r rune
	for _, c := range escape[2:6] {
		r = r<<4 | hexValue(c)
	}
	return r
}

func hexValue(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return -1
}
