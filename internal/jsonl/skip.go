package jsonl

import "math/bits"

// The functions of this file, and those of text.go, escape.go and number.go that
// say so, move over one piece of JSON. They take the text and the offset of the
// piece and return the offset after it. A fault is returned as ^offset, a negative
// number, where offset is the first byte that cannot be right, or len(b) when the
// text ends too early.

// skipValue moves over white space and the value at b[i].
//
// It is a loop, with the open containers in a stack of bits: recursion would be
// slower and could be made to overflow. White space is looked for only where
// nothing else fits. ends and base are those of t, kept in registers.
func (t *text) skipValue(b []byte, i int) int {
	open, ends, base := noneOpen, t.ends, t.base
	isName := false // whether a name must come next, and not a value
	for {
		if uint(i) >= uint(len(b)) {
			return ^len(b)
		}
		switch c := b[i]; {
		case c == '"':
			if ends == 0 {
				if fault := t.findEnds(b); fault < 0 {
					return fault
				}
				ends, base = t.ends, t.base
			}
			i = base + bits.TrailingZeros64(ends) + 1
			ends &= ends - 1
			if isName {
				if uint(i) < uint(len(b)) && b[i] == ':' {
					i++
				} else if i = skipColon(b, i); i < 0 {
					return i
				}
				isName = false
				continue
			}
		case c <= ' ' && isSpace(c):
			i++
			continue
		case isName:
			return ^i
		case c|0x20 == '{':
			open = t.push(open, bracketKind(c))
			if i = skipSpace(b, i+1); i < len(b) && b[i]|0x20 != '}' {
				isName = c == '{'
				continue
			}
		case c <= '9':
			if i = skipNumber(b, i); i < 0 {
				return i
			}
		default:
			if i = skipLiteral(b, i); i < 0 {
				return i
			}
		}
		if open != noneOpen {
			if uint(i) < uint(len(b)) && b[i] == ',' {
				i++
			} else if i, open = t.close(b, i, open); i < 0 {
				return i
			}
			isName = open&1 == inObject
		}
		if open == noneOpen {
			t.ends, t.base = ends, base
			return i
		}
	}
}

// close moves from the end of a value, or the start of an empty container, over
// the brackets that end containers here. It stops after a comma, or when no
// container is open.
func (t *text) close(b []byte, i int, open uint64) (int, uint64) {
	for open != noneOpen {
		if i = skipSpace(b, i); i >= len(b) {
			return ^len(b), open
		}
		c := b[i]
		switch {
		case c == ',':
			return i + 1, open
		case c|0x20 != '}' || bracketKind(c) != open&1:
			return ^i, open
		}
		open = t.pop(open)
		i++
	}
	return i, open
}

// skipSpace moves over white space. It cannot fail.
func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// skipKey moves over the name of a member, if there is one.
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

// bracketKind returns the kind of container that a bracket begins or ends. Square
// brackets and braces differ in one bit.
func bracketKind(bracket byte) uint64 { return uint64(bracket>>5) & 1 }

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
