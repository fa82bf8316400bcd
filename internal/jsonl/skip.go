package jsonl

import "math/bits"

// The functions of this file and of string.go and number.go move over one piece
// of JSON. Each takes the text and the offset of the piece and returns the
// offset after it. A fault is returned as ^offset, a negative number, where
// offset is the first byte that cannot be right, or len(b) when the text ends
// too early.

// skipValue moves over white space and the value at b[i].
//
// It is one loop over "a value must come here", "a value has ended here" and "a
// name must come here". The open containers are a stack of bits. White space is
// looked for only where something else was expected. ends and base are those of
// t, in registers.
func (t *text) skipValue(b []byte, i int) int {
	open, ends, base := noneOpen, t.ends, t.base
value:
	if uint(i) >= uint(len(b)) {
		return ^len(b)
	}
	switch b[i] {
	case '"':
		if ends == 0 {
			if fault := t.findEnds(b); fault < 0 {
				return fault
			}
			ends, base = t.ends, t.base
		}
		i = base + bits.TrailingZeros64(ends) + 1
		ends &= ends - 1
	case '{':
		if i = skipSpace(b, i+1); i < len(b) && b[i] == '}' {
			i++
			break
		}
		open = t.push(open, inObject)
		goto name
	case '[':
		if i = skipSpace(b, i+1); i < len(b) && b[i] == ']' {
			i++
			break
		}
		open = t.push(open, inArray)
		goto value
	case 't', 'f', 'n':
		if i = skipLiteral(b, i); i < 0 {
			return i
		}
	case ' ', '\t', '\r', '\n':
		i++
		goto value
	default:
		if i = skipNumber(b, i); i < 0 {
			return i
		}
	}
ended:
	if open == noneOpen {
		t.ends, t.base = ends, base
		return i
	}
	if uint(i) >= uint(len(b)) {
		return ^len(b)
	}
	switch c := b[i]; {
	case c == ',':
		i++
		if open&1 == inArray {
			goto value
		}
	case c == '}' && open&1 == inObject, c == ']' && open&1 == inArray:
		i++
		open = t.pop(open)
		goto ended
	case isSpace(c):
		i++
		goto ended
	default:
		return ^i
	}
name:
	if uint(i) >= uint(len(b)) {
		return ^len(b)
	}
	if b[i] != '"' {
		if isSpace(b[i]) {
			i++
			goto name
		}
		return ^i
	}
	if ends == 0 {
		if fault := t.findEnds(b); fault < 0 {
			return fault
		}
		ends, base = t.ends, t.base
	}
	i = base + bits.TrailingZeros64(ends) + 1
	ends &= ends - 1
	if uint(i) < uint(len(b)) && b[i] == ':' {
		i++
		goto value
	}
	if i = skipColon(b, i); i < 0 {
		return i
	}
	goto value
}

// skipSpace moves over white space. It cannot fail.
func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// skipKey moves over the name of a member.
func (t *text) skipKey(b []byte, i int) int {
	if i >= len(b) {
		return ^len(b)
	}
	if b[i] != '"' {
		return ^i
	}
	return t.skipString(b)
}

// skipColon moves from the end of a name to the start of the value.
func skipColon(b []byte, i int) int {
	if i = skipSpace(b, i); i >= len(b) {
		return ^len(b)
	}
	if b[i] != ':' {
		return ^i
	}
	return skipSpace(b, i+1)
}

// skipComma moves from the end of a member's value to the next member, or, with
// more false, to after the brace that closes the object.
func skipComma(b []byte, i int) (next int, more bool) {
	if i = skipSpace(b, i); i >= len(b) {
		return ^len(b), false
	}
	switch b[i] {
	case ',':
		return skipSpace(b, i+1), true
	case '}':
		return i + 1, false
	}
	return ^i, false
}

// skipLiteral moves over true, false or null.
func skipLiteral(b []byte, i int) int {
	word := "true"
	switch b[i] {
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	}
	if hasPrefixAt(b, i, word) {
		return i + len(word)
	}
	for j := range len(word) {
		if i+j >= len(b) || b[i+j] != word[j] {
			return ^(i + j)
		}
	}
	return i + len(word)
}

// hasPrefixAt reports whether b continues with s at offset i.
func hasPrefixAt(b []byte, i int, s string) bool {
	return len(b)-i >= len(s) && string(b[i:i+len(s)]) == s
}

// A stack of the kinds of the open containers is kept in a word, the innermost
// in the lowest bit, below a bit that marks the bottom. Few texts need more than
// one word; of those the full words are in text.deep.
const (
	inArray  uint64 = 0
	inObject uint64 = 1
	noneOpen uint64 = 1
)

func (t *text) push(open, kind uint64) uint64 {
	if open>>63 != 0 {
		t.deep = append(t.deep, open)
		open = noneOpen
	}
	return open<<1 | kind
}

func (t *text) pop(open uint64) uint64 {
	if open >>= 1; open == noneOpen && len(t.deep) > 0 {
		open = t.deep[len(t.deep)-1]
		t.deep = t.deep[:len(t.deep)-1]
	}
	return open
}
