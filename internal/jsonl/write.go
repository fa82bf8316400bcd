package jsonl

import (
	"slices"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s as JSON.stringify writes a string: the short escapes
// and \u00xx for control characters, \udxxx for an unpaired surrogate, and
// everything else unescaped, including < > & and U+2028. Surrogates are
// expected in the form that String returns; two that make a pair become one
// character, as in JavaScript. Other bytes that are not UTF-8 are decoded by
// Decoded.
func AppendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		return appendIllFormedString(dst, s)
	}
	dst = append(slices.Grow(dst, len(s)+len(s)/16+2), '"')
	plain := 0 // start of the part that is written as it is
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, s[plain:i]...), c)
			plain = i + 1
		}
	}
	return append(append(dst, s[plain:]...), '"')
}

// AppendStrings appends a list of strings, and null for nil.
func AppendStrings(dst []byte, list []string) []byte {
	if list == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, s)
	}
	return append(dst, ']')
}

// appendIllFormedString is like AppendString for a string that is not UTF-8.
func appendIllFormedString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			dst, size = appendIllFormed(dst, s)
		case r < ' ' || r == '"' || r == '\\':
			dst = appendEscape(dst, byte(r))
		default:
			dst = append(dst, s[:size]...)
		}
		s = s[size:]
	}
	return append(dst, '"')
}

// appendEscape appends the escape of a quote, a backslash or a control character.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// appendIllFormed appends the character for the start of s, which is not UTF-8,
// and returns the number of bytes of s that it replaces.
func appendIllFormed(dst []byte, s string) ([]byte, int) {
	r, ok := surrogate(s)
	if !ok {
		return utf8.AppendRune(dst, utf8.RuneError), Broken(s)
	}
	if isHigh(r) {
		if low, ok := surrogate(s[3:]); ok && isLow(low) {
			return utf8.AppendRune(dst, joinPair(r, low)), 6
		}
	}
	return append(dst, '\\', 'u', 'd', hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15]), 3
}

// surrogate reads the three bytes that encode a surrogate.
func surrogate(s string) (rune, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1]&0xE0 != 0xA0 || s[2]&0xC0 != 0x80 {
		return 0, false
	}
	return 0xD000 | rune(s[1]&0x3F)<<6 | rune(s[2]&0x3F), true
}

// AppendCompact appends src without the white space between its tokens. Strings
// and numbers are copied byte for byte. src must be valid.
func AppendCompact(dst, src []byte) []byte {
	for i := 0; i < len(src); {
		if isSpace(src[i]) {
			i++
			continue
		}
		start := i
		for i < len(src) && !isSpace(src[i]) {
			if src[i] != '"' {
				i++
			} else if i = endOfString(src, i+1); i < 0 {
				return append(dst, src[start:]...)
			}
		}
		dst = append(dst, src[start:i]...)
	}
	return dst
}
