package jsonl

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// String decodes a string literal. The escape of an unpaired surrogate becomes
// the three bytes that UTF-8 would use for that code point if it were allowed
// (WTF-8), so that AppendString writes the same escape again. Bytes that are
// not UTF-8 are decoded by Decoded. ok is false if raw is not a string literal.
func String(raw []byte) (s string, ok bool) {
	raw = trimSpace(raw)
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	raw = Decoded(raw)
	if end := nextSpecial(raw, 1); end == len(raw)-1 && raw[end] == '"' {
		return string(raw[1:end]), true
	}
	return unescape(raw)
}

// unescape is like String for a literal that is UTF-8.
func unescape(raw []byte) (string, bool) {
	out := make([]byte, 0, len(raw))
	for i := 1; ; {
		stop := nextSpecial(raw, i)
		out = append(out, raw[i:stop]...)
		switch {
		case stop == len(raw) || raw[stop] < ' ':
			return "", false
		case raw[stop] == '"':
			return string(out), stop == len(raw)-1
		case stop+1 < len(raw) && meaning[raw[stop+1]] != 0:
			out = append(out, meaning[raw[stop+1]])
			i = stop + 2
		case skipLongEscape(raw, stop) < 0:
			return "", false
		default:
			char, size := readEscape(raw[stop:])
			out = appendWTF8(out, char)
			i = stop + size
		}
	}
}

// readEscape reads the valid escape at the start of b, and the one after it if
// the two are a surrogate pair. It returns the number of bytes read.
func readEscape(b []byte) (char rune, size int) {
	if b[1] != 'u' {
		return rune(meaning[b[1]]), 2
	}
	char = hexRune(b)
	if isHigh(char) && hasPrefixAt(b, 6, `\u`) && skipLongEscape(b, 6) > 0 {
		if low := hexRune(b[6:]); isLow(low) {
			return joinPair(char, low), 12
		}
	}
	return char, 6
}

func isHigh(r rune) bool { return 0xD800 <= r && r < 0xDC00 }
func isLow(r rune) bool  { return 0xDC00 <= r && r < 0xE000 }

func joinPair(high, low rune) rune { return 0x10000 + (high-0xD800)<<10 + (low - 0xDC00) }

// appendWTF8 is like utf8.AppendRune, but keeps surrogates.
func appendWTF8(dst []byte, r rune) []byte {
	if isHigh(r) || isLow(r) {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}

// sameName reports whether the valid raw name of a member, with its quotes,
// spells name. It does not allocate.
func sameName(raw []byte, name string) bool {
	inner := raw[1 : len(raw)-1]
	for {
		plain := bytes.IndexByte(inner, '\\')
		if plain < 0 {
			return string(inner) == name
		}
		if len(name) < plain || string(inner[:plain]) != name[:plain] {
			return false
		}
		var buffer [utf8.UTFMax]byte
		char, size := readEscape(inner[plain:])
		meant := appendWTF8(buffer[:0], char)
		if !strings.HasPrefix(name[plain:], string(meant)) {
			return false
		}
		inner, name = inner[plain+size:], name[plain+len(meant):]
	}
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// Text is like String, but returns bytes of raw if possible.
func Text(raw []byte) ([]byte, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return nil, false
	}
	inner := raw[1 : len(raw)-1]
	if isPlain(inner) || bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner, true
	}
	s, ok := String(raw)
	return []byte(s), ok
}

// TextOf is like Text, but returns nil for anything but a string.
func TextOf(raw []byte) []byte {
	text, _ := Text(raw)
	return text
}

// isPlain reports whether text is ASCII without backslashes.
func isPlain(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c == '\\' || c >= utf8.RuneSelf })
}
