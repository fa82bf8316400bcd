package jsonl

// The functions of this file, and those of text.go, escape.go and number.go
// that refer to it, move over one piece of JSON. They take the text and the
// offset of the piece and return the offset after it. A fault is returned as
// ^offset, a negative number, where offset is that of the first wrong byte, or
// len(b) if the text ends too early.

// skipValue moves over white space and the value at b[i].
//
// It is a loop, with the open containers in a stack of bits: recursion would be
// slower and could overflow. White space is checked only if nothing else
// matches.
func (t *text) skipValue(b []byte, i int) int {
	open := noneOpen
	isName := false // whether a name must come next, not a value
	for {
		if uint(i) >= uint(len(b)) {
			return ^len(b)
		}
		switch c := b[i]; {
		case c == '"' && isName:
			if i = t.skipString(b); i < 0 {
				return i
			}
			if i = skipColon(b, i); i < 0 {
				return i
			}
			isName = false
			continue
		case c == '"':
			if i = t.skipString(b); i < 0 {
				return i
			}
		case isSpace(c):
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
		default:
			if i = skipScalar(b, i); i < 0 {
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
			return i
		}
	}
}

// skipMembers moves over the members of an object, from after its brace. It calls
// value for each, with its name and the offset of its value, which returns the
// offset after the value. It stops after one for which more is false.
func (t *text) skipMembers(b []byte, i int, value func(key Span, start int) (end int, more bool)) int {
	if i = skipSpace(b, i); i < len(b) && b[i] == '}' {
		return i + 1
	}
	for more := true; more; {
		keyEnd := t.skipKey(b, i)
		if keyEnd < 0 {
			return keyEnd
		}
		start := skipColon(b, keyEnd)
		if start < 0 {
			return start
		}
		end, wanted := value(Span{i, keyEnd}, start)
		if end < 0 || !wanted {
			return end
		}
		i, more = skipComma(b, end)
	}
	return i
}

// close moves from the end of a value, or the start of an empty container, over
// the brackets that end containers here. It stops after a comma, or when no
// container is open.
func (t *text) close(b []byte, i int, open uint64) (int, uint64) {
	for open != noneOpen {
		if uint(i) >= uint(len(b)) {
			return ^len(b), open
		}
		switch c := b[i]; {
		case c|0x20 == '}' && bracketKind(c) == open&1:
			open = t.pop(open)
		case c == ',':
			return i + 1, open
		case !isSpace(c):
			return ^i, open
		}
		i++
	}
	return i, open
}

// skipSpace moves over white space. It cannot fail.
func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t') }

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

// skipScalar moves over a number, or over true, false or null.
func skipScalar(b []byte, i int) int {
	if b[i] <= '9' {
		return skipNumber(b, i)
	}
	return skipLiteral(b, i)
}

// skipLiteral moves over true, false or null.
func skipLiteral(b []byte, i int) int {
	rest, word := b[i:], "true"
	switch {
	case len(rest) >= 4 && (string(rest[:4]) == "true" || string(rest[:4]) == "null"):
		return i + 4
	case len(rest) >= 5 && string(rest[:5]) == "false":
		return i + 5
	case rest[0] == 'f':
		word = "false"
	case rest[0] == 'n':
		word = "null"
	}
	for j := range len(word) {
		if j >= len(rest) || rest[j] != word[j] {
			return ^(i + j)
		}
	}
	return i + len(word)
}

// hasPrefixAt reports whether b continues with s at offset i.
func hasPrefixAt(b []byte, i int, s string) bool {
	return len(b)-i >= len(s) && string(b[i:i+len(s)]) == s
}

// The kinds of the open containers are stored in a word, the innermost in the
// lowest bit, below a bit that marks the bottom. Few texts need more than one
// word; the full words are then in text.deep.
const (
	inArray  uint64 = 0
	inObject uint64 = 1
	noneOpen uint64 = 1
)

// bracketKind returns the kind of container that a bracket starts or ends.
// Square brackets and braces differ in one bit.
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
