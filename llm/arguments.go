package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// mendArguments converts the arguments of a call, as a model wrote them, to a
// JSON object. It fixes raw line breaks and unknown escapes in strings. whole
// is false if the text still is not an object; the result is then the readable
// part of it, or an empty object.
func mendArguments(s string) (_ string, whole bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return "{}", true
	}
	if isObject(s) {
		return s, true
	}
	repaired, cut := mendStrings(s)
	if isObject(repaired) {
		return repaired, true
	}
	return closed(repaired, cut), false
}

func isObject(s string) bool { return strings.HasPrefix(s, "{") && json.Valid([]byte(s)) }

// mendStrings escapes control characters in strings and doubles the backslash
// of unknown escapes. inside is true if the text ends within a string.
func mendStrings(s string) (_ string, inside bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"':
			inside = !inside
		case inside && c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
			continue
		case inside && c == '\\':
			n := escapeLength(s[i:])
			if n == 0 {
				if i+1 >= len(s) || s[i+1] == 'u' && len(s)-i < 6 {
					return b.String(), true // the text ends within an escape
				}
				b.WriteString(`\\`)
				continue
			}
			b.WriteString(s[i : i+n])
			i += n - 1
			continue
		}
		b.WriteByte(c)
	}
	return b.String(), inside
}

// escapeLength returns the length of the escape at the start of s, or 0 if JSON
// does not define it.
func escapeLength(s string) int {
	if len(s) < 2 {
		return 0
	}
	if s[1] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, s[1]) < 0 {
			return 0
		}
		return 2
	}
	if len(s) < 6 || strings.Trim(s[2:6], "0123456789abcdefABCDEF") != "" {
		return 0
	}
	return 6
}

// closed completes a truncated object: it closes the open string, lists and
// objects after the last position where that gives valid JSON. It keeps the
// last member if its value is complete or has started as a string, a list or an
// object.
func closed(s string, inside bool) string {
	const empty = "{}"
	if !strings.HasPrefix(s, "{") {
		return empty
	}
	if inside {
		if done := s + `"` + closers(s); isObject(done) {
			return done
		}
	}
	if done := s + closers(s); isObject(done) {
		return done
	}
	// Positions where a value may have ended, from the last one backwards. A
	// few are enough: between two of them is one key or one number.
	const tries = 8
	end := len(s)
	for range tries {
		end = strings.LastIndexAny(s[:end], ",[{")
		if end < 0 {
			return empty
		}
		cut := s[:end]
		if s[end] != ',' {
			cut = s[:end+1]
		}
		if done := cut + closers(cut); isObject(done) {
			return done
		}
	}
	return empty
}

// closers returns the brackets that are open at the end of s, innermost first.
func closers(s string) string {
	var open []byte
	inside := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inside && c == '\\':
			i++
		case c == '"':
			inside = !inside
		case inside:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case (c == '}' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	slices.Reverse(open)
	return string(open)
}
