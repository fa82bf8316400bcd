package jsonl

import "bytes"

// HasLoneHalf reports whether a JSON text holds the escape of half a surrogate
// pair without its other half, which no UTF-8 can express (pitfall 19).
func HasLoneHalf(text []byte) bool {
	return (bytes.Contains(text, []byte(`\ud`)) || bytes.Contains(text, []byte(`\uD`))) && NextLoneHalf(text, 0) >= 0
}

// NextLoneHalf is where such an escape stands from i on; -1 when there is none. i
// must not lie inside an escape, and the next one after a find is six bytes on.
func NextLoneHalf(text []byte, i int) int {
	for i < len(text) {
		next := bytes.IndexByte(text[i:], '\\') // in JSON it occurs inside strings only
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

// LoneHalf reports whether the escape at the start of b is half of a pair alone, and
// how many bytes at least belong to it: the two of a pair count as one. Those
// behind a short escape, or behind the digits of one that is no half, hold no
// backslash. size may exceed a text that ends in the escape.
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

// halfAt is the half of a surrogate pair whose escape begins b; 0 if none does.
func halfAt(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' || b[2]|0x20 != 'd' || skipLongEscape(b, 0) < 0 {
		return 0
	}
	if r := hexRune(b); isHigh(r) || isLow(r) {
		return r
	}
	return 0
}
