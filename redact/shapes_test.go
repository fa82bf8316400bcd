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
			start := strings.Index(got, "[redacted:")
			if start < 0 {
				break
			}
			got = got[:start] + "[…]" + got[start+len(placeholder.FindString(got[start:])):]
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

// TestRefusals wants each refusal to refuse the value of its example, and nothing
// else to find it.
func TestRefusals(t *testing.T) {
	for _, refusal := range refusals {
		text := []byte(strings.NewReplacer("«", "", "»", "").Replace(refusal.example))
		from, to := strings.Index(refusal.example, "«"), strings.Index(refusal.example, "»")-len("«")
		r, err := New(Options{KeepSuspects: true})
		if err != nil {
			t.Fatal(err)
		}
		if out, found := r.Text(string(text)); len(found) > 0 {
			t.Errorf("%s: Text(%q) = %q", refusal.id, text, out)
		}
		refused := false
		for at := range text {
			for word := range nameWords {
				if !strings.HasPrefix(lowerASCII(string(text[at:])), lowerASCII(word)) {
					continue
				}
				n, _ := nameAround(text, at, at+len(word))
				for _, s := range shapes() {
					if n.end == 0 || n.end == len(text) || !s.next[text[n.end]] {
						continue
					}
					for _, c := range s.candidates(text, n) {
						c.weight = weigh(string(text[n.start:n.end]))
						refused = refused || c.start == from && c.end == to && refusal.refuses(text, text[from:to], c, n)
					}
				}
			}
		}
		if !refused {
			t.Errorf("%s does not refuse its own example %q", refusal.id, text)
		}
	}
}
