package compact

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// maxDepth limits recursion, because every level rescans the levels below it.
// Deeper values are only stripped of white space.
const maxDepth = 100

// appendCanonical appends a JSON value as JavaScript writes it after parsing
// it: no white space, the shortest numbers, only necessary escapes and, of
// duplicate names, the last value, at the position that JavaScript objects give
// it. pi measures and shows tool call arguments in this form.
func appendCanonical(dst, raw []byte, depth int) []byte {
	if depth > maxDepth {
		return jsonl.AppendCompact(dst, raw)
	}
	switch jsonl.KindOf(raw) {
	case '{':
		dst = append(dst, '{')
		for i, m := range properties(raw) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(jsonl.AppendString(dst, m.name), ':')
			dst = appendCanonical(dst, m.value, depth+1)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		first := len(dst)
		for element := range jsonl.Elements(raw) {
			if len(dst) > first {
				dst = append(dst, ',')
			}
			dst = appendCanonical(dst, element, depth+1)
		}
		return append(dst, ']')
	case '"':
		if isCanonical(raw) {
			return append(dst, raw...)
		}
		s, _ := jsonl.String(raw)
		return jsonl.AppendString(dst, s)
	case '0':
		f, _ := jsonl.Float(raw)
		return jsonl.AppendFloat(dst, f)
	}
	return append(dst, bytes.TrimSpace(raw)...)
}

// isCanonical reports whether a string is certainly encoded as JavaScript would
// encode it, so that it need not be decoded: it has no escapes but the short
// ones.
func isCanonical(raw []byte) bool {
	if raw[0] != '"' || !utf8.Valid(raw) {
		return false
	}
	for rest := raw; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 {
			return true
		}
		if i+1 >= len(rest) || rest[i+1] == 'u' || rest[i+1] == '/' {
			return false
		}
		rest = rest[i+2:]
	}
}

// A property is one member of a JavaScript object.
type property struct {
	name  string
	value []byte
	index uint64 // array index of the name, or noIndex
}

// noIndex is greater than every array index.
const noIndex = 1<<32 - 1

// properties returns the members of an object in the order in which JavaScript
// iterates over them: array indexes by value, then the others in order. A
// repeated name keeps its position and takes the new value.
func properties(obj []byte) []property {
	var out []property
	indexes := false
	for key, value := range jsonl.Members(obj) {
		name, _ := jsonl.String(key)
		if len(out) < manyProperties {
			if i := slices.IndexFunc(out, func(p property) bool { return p.name == name }); i >= 0 {
				out[i].value = value
				continue
			}
		}
		index := arrayIndex(name)
		indexes = indexes || index != noIndex
		out = append(out, property{name, value, index})
	}
	if len(out) >= manyProperties {
		out = lastOfEach(out)
	}
	if indexes {
		slices.SortStableFunc(out, func(a, b property) int { return cmp.Compare(a.index, b.index) })
	}
	return out
}

// manyProperties is the number of members from which a map finds duplicate
// names.
const manyProperties = 32

func lastOfEach(all []property) []property {
	at := make(map[string]int, len(all))
	out := all[:0]
	for _, p := range all {
		if i, ok := at[p.name]; ok {
			out[i].value = p.value
			continue
		}
		at[p.name] = len(out)
		out = append(out, p)
	}
	return out
}

// arrayIndex returns the value of a name that JavaScript treats as an array
// index: a number below 2^32-1 without leading zeros. For any other name it
// returns noIndex.
func arrayIndex(name string) uint64 {
	if name == "" || name[0] < '0' || name[0] > '9' {
		return noIndex // nearly all names
	}
	n, err := strconv.ParseUint(name, 10, 64)
	if err != nil || n > noIndex || name[0] == '0' && len(name) > 1 {
		return noIndex
	}
	return n
}
