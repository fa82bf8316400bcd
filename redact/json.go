package redact

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// stringEnd returns the end of the string that starts at i of valid JSON: after
// its closing quote.
func stringEnd(line []byte, i int) int {
	for i++; ; {
		i += bytes.IndexByte(line[i:], '"')
		escapes := 0
		for line[i-1-escapes] == '\\' {
			escapes++
		}
		if i++; escapes%2 == 0 {
			return i
		}
	}
}

// withinStrings limits matches to the strings of a line of valid JSON. A match
// across several strings becomes several matches; one outside of strings is
// dropped, because nothing else can be replaced.
func withinStrings(line []byte, matches []match) []match {
	var out []match
	for i := 0; len(matches) > 0; {
		next := bytes.IndexByte(line[i:], '"')
		if next < 0 {
			break
		}
		inside := span{i + next + 1, stringEnd(line, i+next) - 1}
		i = inside.end + 1
		for len(matches) > 0 && matches[0].start < inside.end {
			m := matches[0]
			if m.end > inside.start {
				cut := m
				cut.start, cut.end = max(m.start, inside.start), min(m.end, inside.end)
				if cut.span != inside || !staysWhole(line, cut) {
					out = append(out, cut)
				}
			}
			if m.end > inside.end {
				break // continues in the next string
			}
			matches = matches[1:]
		}
	}
	return out
}

// structure lists the members whose values define the structure of a line. If
// the user name is "user", the role of that name must not be redacted, nor an ID
// that is also somebody's password.
var structure = []string{"type", "role", "id", "parentId", "targetId", "fromId", "firstKeptEntryId", "toolCallId", "stopReason", "mimeType"}

// staysWhole reports whether a match that covers a whole string is left alone,
// because the string belongs to the structure of the line: a name on request, or
// a learned value that is a word, in the name of a member; either, in the value
// of a member that belongs to the structure.
func staysWhole(line []byte, m match) bool {
	after := bytes.TrimLeft(line[m.end+1:], " \t\r\n")
	if len(after) > 0 && after[0] == ':' {
		return m.kind == ByName || m.learned && isWord(m.value)
	}
	if m.kind != ByName && !m.learned {
		return false
	}
	before := bytes.TrimRight(line[:m.start-1], " \t\r\n")
	if len(before) == 0 || before[len(before)-1] != ':' {
		return false
	}
	before = bytes.TrimRight(before[:len(before)-1], " \t\r\n")
	return slices.ContainsFunc(structure, func(name string) bool { return bytes.HasSuffix(before, []byte(`"`+name+`"`)) })
}

// locate sets the paths of edits of a line of valid JSON.
func locate(line []byte, edits []edit) {
	var stack []level
	for i := 0; i < len(line) && len(edits) > 0; i++ {
		switch line[i] {
		case '{':
			stack = append(stack, level{object: true, name: true})
		case '[':
			stack = append(stack, level{})
		case '}', ']':
			stack = stack[:len(stack)-1]
		case ',':
			top := &stack[len(stack)-1]
			top.index++
			top.name = top.object
		case ':':
			stack[len(stack)-1].name = false
		case '"':
			end := stringEnd(line, i)
			if len(stack) > 0 && stack[len(stack)-1].name {
				stack[len(stack)-1].key = span{i, end}
			}
			for ; len(edits) > 0 && edits[0].start < end; edits = edits[1:] {
				edits[0].finding.Path = pointer(line, stack)
			}
			i = end - 1
		}
	}
}

// level is one object or array around a position.
type level struct {
	object bool
	name   bool // the next string is a name
	key    span
	index  int
}

func pointer(line []byte, stack []level) string {
	var out strings.Builder
	for _, l := range stack {
		out.WriteByte('/')
		if !l.object {
			out.WriteString(strconv.Itoa(l.index))
			continue
		}
		name, _ := jsonl.String(line[l.key.start:l.key.end])
		out.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return out.String()
}
