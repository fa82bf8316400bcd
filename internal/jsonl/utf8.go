package jsonl

import "unicode/utf8"

// Decoded returns a text as JavaScript's decoder, which is that of WHATWG,
// reads its bytes: bytes that are not UTF-8 become U+FFFD, one for each
// sequence that Broken counts. A text without such bytes is returned unchanged.
func Decoded(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	out := make([]byte, 0, len(text)+8)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 {
			size = Broken(text)
		}
		out = utf8.AppendRune(out, r)
		text = text[size:]
	}
	return out
}

// Broken returns the number of bytes at the start of b, which are not a
// character, that JavaScript's decoder replaces as one: the longest prefix of a
// character, or one byte. b must not be empty.
func Broken[T string | []byte](b T) int {
	least, most := byte(0x80), byte(0xBF) // of the second byte
	length := 3
	switch c := b[0]; {
	case c == 0xE0:
		least = 0xA0
	case c == 0xED:
		most = 0x9F
	case c == 0xF0:
		least, length = 0x90, 4
	case c == 0xF4:
		most, length = 0x8F, 4
	case c >= 0xF1 && c <= 0xF3:
		length = 4
	case c < 0xE1 || c > 0xEF:
		return 1
	}
	if len(b) < 2 || b[1] < least || b[1] > most {
		return 1
	}
	if length == 4 && len(b) > 2 && b[2]&0xC0 == 0x80 {
		return 3
	}
	return 2
}
