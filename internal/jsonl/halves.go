package jsonl

import "bytes"

// HasLoneHalf reports whether a JSON text contains the escape of an unpaired
// surrogate, which UTF-8 cannot express (pitfall 19).
func HasLoneHalf(text []byte) bool {
	return (bytes.Contains(text, []byte(`\ud`)) || bytes.Contains(text, []byte(`\uD`))) && NextLoneHalf(text, 0) >= 0
}

// NextLoneHalf returns the offset of such an escape from i on, or -1. i must
// not be inside an escape; to continue after a match, add six.
func NextLoneHalf(text []byte, i int) int {
	for i < len(text) {
		next := bytes.IndexByte(text[i:], '\\') // in JSON it occurs only inside strings
		if next < 0 {
			break
		}
		i += next
		size, lone := LoneHalf(text[i:])
		if lone {
			return i
		}
		i += size
	}
	return -1
}

// LoneHalf reports whether the escape at the start of b is an unpaired
// surrogate, and the minimum number of bytes that belong to it; a pair counts
// as one escape. The bytes after a short escape, or after the digits of one
// that is not a surrogate, contain no backslash. size may exceed a text that
// ends in the escape.
func LoneHalf(b []byte) (size int, lone bool) {
	half := halfAt(b)
	switch {
	case half == 0:
		return 2, false
	case isHigh(half) && isLow(halfAt(b[6:])):
		return 12, false
	}
	return 6, true
}

// halfAt returns the surrogate whose escape is at the start of b, or 0.
func halfAt(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' || b[2]|0x20 != 'd' || skipLongEscape(b, 0) < 0 {
		return 0
	}
	if r := hexRune(b); isHigh(r) || isLow(r) {
		return r
	}
	return 0
}
