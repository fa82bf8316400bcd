package transcript

import (
	"bytes"
	"unicode/utf8"
)

// sendable returns raw with every character that cannot be sent replaced by
// U+FFFD: the escape of half a surrogate pair, which no UTF-8 can express, and
// bytes that are not UTF-8 (pitfall 19). Other bytes stay. When there is nothing
// to replace the result is raw itself.
func sendable(raw []byte) ([]byte, bool) {
	out := joinedHalves(raw)
	if !utf8.Valid(out) {
		out = validUTF8(out)
	}
	return out, len(out) > 0 && &out[0] != &raw[0]
}

// joinedHalves replaces the halves of pairs that stand alone. A replacement is
// as long as what it replaces. In JSON a backslash occurs inside strings only.
func joinedHalves(raw []byte) []byte {
	if !bytes.Contains(raw, []byte(`\ud`)) && !bytes.Contains(raw, []byte(`\uD`)) {
		return raw
	}
	out := raw
	for i := 0; i < len(raw); {
		next := bytes.IndexByte(raw[i:], '\\')
		if next < 0 {
			break
		}
		i += next
		unit, ok := escapedUnit(raw, i)
		switch {
		case !ok:
			i += 2 // a short escape, or a text that is not JSON
		case unit&0xF800 != 0xD800:
			i += 6
		case unit < 0xDC00 && isLowHalf(raw, i+6):
			i += 12
		default:
			if &out[0] == &raw[0] {
				out = bytes.Clone(raw)
			}
			copy(out[i+2:], "fffd")
			i += 6
		}
	}
	return out
}

func isLowHalf(raw []byte, i int) bool {
	unit, ok := escapedUnit(raw, i)
	return ok && unit >= 0xDC00 && unit <= 0xDFFF
}

// escapedUnit reads the \uXXXX at i, if there is one.
func escapedUnit(raw []byte, i int) (unit uint16, ok bool) {
	if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
		return 0, false
	}
	for _, c := range raw[i+2 : i+6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = (c | 0x20) - 'a' + 10
		default:
			return 0, false
		}
		unit = unit<<4 | uint16(c)
	}
	return unit, true
}

// validUTF8 replaces each byte that does not belong to a character.
func validUTF8(raw []byte) []byte {
	out := make([]byte, 0, len(raw)+8)
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		out = utf8.AppendRune(out, r)
		raw = raw[size:]
	}
	return out
}
