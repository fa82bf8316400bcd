package redact

import (
	"strings"
	"testing"
)

// TestShapes wants the secret of each shape's example found, and nothing else.
func TestShapes(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range shapes() {
		if s.ID == "" || seen[s.ID] {
			t.Errorf("the shape of %q has no name of its own", s.Example)
		}
		seen[s.ID] = true
		r, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for i, part := range strings.Split(s.Example, "«") {
			if i > 0 {
				_, part, _ = strings.Cut(part, "»")
				want.WriteString("[…]")
			}
			want.WriteString(part)
		}
		text := strings.NewReplacer("«", "", "»", "").Replace(s.Example)
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
			t.Errorf("%s: Text(%q) = %q", s.ID, text, out)
		}
	}
}

// TestShapeFindsItsExample wants each shape with a name to find its own example,
// so that none hides behind another.
func TestShapeFindsItsExample(t *testing.T) {
	for _, s := range shapes() {
		if s.Next == "" {
			continue
		}
		text := []byte(strings.NewReplacer("«", "", "»", "").Replace(s.Example))
		from, to := strings.Index(s.Example, "«"), strings.Index(s.Example, "»")
		secret := s.Example[from+len("«") : to]
		found := false
		for at := range text {
			for word := range nameWords {
				if !strings.HasPrefix(lowerASCII(string(text[at:])), lowerASCII(word)) {
					continue
				}
				n, ok := nameAround(text, at, at+len(word))
				if !ok || n.end == len(text) || !s.next[text[n.end]] {
					continue
				}
				for _, c := range s.candidates(text, n) {
					found = found || string(text[c.start:c.end]) == secret
				}
			}
		}
		if !found {
			t.Errorf("%s does not match its own example %q", s.ID, text)
		}
	}
}
