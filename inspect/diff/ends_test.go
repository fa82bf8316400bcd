package diff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/inspect/diff"
)

func TestEnds(t *testing.T) {
	// Each word is an entry, with its parent: u and a are messages of the user
	// and the assistant, n is a name, l the record of a leaf.
	tests := map[string]string{
		"":                           "",
		"u1- a2<1":                   "a2*:2/1",
		"u1- a2<1 u3<1":              "u3*:2/2 a2:2/1",
		"u1- a2<1 u3<1 l4<2":         "a2*:2/1 u3:2/2",
		"u1- a2<1 n3<2":              "a2*:2/1",
		"u1- n2<1 n3<1 u4<3":         "u4*:3/2", // a name alone is no branch
		"u1- n2<1 a3<2 u4<3 u5<2":    "u5*:3/2 u4:4/2",
		"n1-":                        "",
		"u1- u2-":                    "u2*:1/1 u1:1/1",
		"u1- u2<1 u3<1 u4<1 a5<3":    "a5*:3/2 u4:2/2 u2:2/2",
		"u1- a2<1 n3<1 n4<3 n5<4":    "a2:2/1",
		"u1- a2<1 n3<2 n4<2 l5<2":    "a2*:2/1",
		"u1- a2<1 u3<1 u3<2 a4<3 n5": "a4:4/2 u3:2/2",
	}
	for words, want := range tests {
		t.Run(words, func(t *testing.T) {
			text := `{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n"
			for i, word := range strings.Fields(words) {
				parent := "null"
				if _, id, ok := strings.Cut(word, "<"); ok {
					parent = `"` + id + `"`
				}
				what := map[byte]string{
					'u': `"type":"message","message":{"role":"user","content":"x"}`, 'a': `"type":"message","message":{"role":"assistant","content":[]}`,
					'n': `"type":"session_info","name":"n"`, 'l': `"type":"custom","customType":"pith/leaf","data":{}`,
				}[word[0]]
				text += fmt.Sprintf(`{"id":"%c","parentId":%s,"timestamp":"2026-02-03T10:00:%02d.000Z",%s}`+"\n", word[1], parent, i, what)
			}
			path := filepath.Join(t.TempDir(), "s.jsonl")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var got []string
			for _, e := range diff.Ends(s.View()) {
				at := s.View().At(e.Pos)
				kind, mark := at.Role[:1], map[bool]string{true: "*", false: ""}[e.Current]
				got = append(got, fmt.Sprintf("%s%s%s:%d/%d", kind, at.ID, mark, e.Entries, e.Turns))
			}
			if got := strings.Join(got, " "); got != want {
				t.Errorf("Ends = %q, want %q", got, want)
			}
		})
	}
}
