package redact

import (
	"strings"
	"testing"
)

// TestShapes wants the secret of each shape's example found, and nothing else.
func TestShapes(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range shapes {
		if s.id == "" || seen[s.id] {
			t.Errorf("the shape of %q has no name of its own", s.example)
		}
		seen[s.id] = true
		r, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for i, part := range strings.Split(s.example, "«") {
			if i > 0 {
				_, part, _ = strings.Cut(part, "»")
				want.WriteString("[…]")
			}
			want.WriteString(part)
		}
		text := strings.NewReplacer("«", "", "»", "").Replace(s.example)
		out, _ := r.Text(text)
		got := out
		for {
			start := strings.Index(got, placeholderStart)
			if start < 0 {
				break
			}
			got = got[:start] + "[…]" + got[start+placeholderLen([]byte(got[start:])):]
		}
		if got != want.String() {
			t.Errorf("%s: Text(%q) = %q", s.id, text, out)
		}
	}
}

// TestShapeFindsItsExample wants each shape with a name to find its own example,
// so that none hides behind another.
func TestShapeFindsItsExample(t *testing.T) {
	compileShapes()
	for _, s := range namedShapes {
		text := []byte(strings.NewReplacer("«", "", "»", "").Replace(s.example))
		from, to := strings.Index(s.example, "«"), strings.Index(s.example, "»")
		secret := s.example[from+len("«") : to]
		found := false
		for at := range text {
			for word := range nameWords {
				if !strings.HasPrefix(lowerASCII(string(text[at:])), lowerASCII(word)) {
					continue
				}
				n, ok := nameAround(text, at, at+len(word))
				if !ok || n.end == len(text) || !s.next[text[n.end]] || s.before != nil && !s.before(n, text) {
					continue
				}
				for _, c := range s.candidates(text, text[n.end:], n) {
					found = found || string(text[c.start:c.end]) == secret
				}
			}
		}
		if !found {
			t.Errorf("%s does not match its own example %q", s.id, text)
		}
	}
}
