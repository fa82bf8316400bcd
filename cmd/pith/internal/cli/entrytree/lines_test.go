package entrytree

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/outline"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/tests/corpus"
)

// A tree reads the same whether its lines are kept or read again, in text and in
// JSON.
func TestLinesThatAreNotKept(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.jsonl")
	if err := corpus.WriteFile(large, corpus.Options{Seed: 3, Entries: 3000}); err != nil {
		t.Fatal(err)
	}
	odd := filepath.Join(dir, "odd.jsonl")
	if err := os.WriteFile(odd, []byte(sameCallTwice()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{large, odd} {
		s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, filter := range outline.Filters {
			want := printed(t, s, filter, s.View().Len())
			for _, most := range []int{0, s.View().Len() / 2} {
				if got := printed(t, s, filter, most); got != want {
					t.Errorf("%s, %s, %d lines kept:\n%.2000s\nwant:\n%.2000s", filepath.Base(path), filter, most, got, want)
				}
			}
			if path == odd && filter == outline.Default && !strings.Contains(want, "[read: second.go]") {
				t.Errorf("the last call before a result does not describe it:\n%s", want)
			}
		}
	}
}

// sameCallTwice is a session in which two responses use the same id for their
// calls, one result has no call, and one comes before its call.
func sameCallTwice() string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}` + "\n")
	entry := func(id, parent, message string) {
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:00.000Z","message":%s}`+"\n", id, parent, message)
	}
	call := func(id, file string) string {
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":"read","arguments":{"path":%q}}],"stopReason":"toolUse"}`, id, file)
	}
	result := func(id string) string {
		return fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"read","content":[]}`, id)
	}
	entry("a", "null", `{"role":"user","content":"go"}`)
	entry("b", `"a"`, call("c1", "first.go"))
	entry("c", `"b"`, result("c1"))
	entry("d", `"c"`, call("c1", "second.go"))
	entry("e", `"d"`, result("c1"))
	entry("f", `"a"`, result("later"))
	entry("g", `"f"`, call("later", "third.go"))
	entry("h", `"g"`, result("none"))
	entry("i", `"h"`, result("c1"))
	return b.String()
}

func printed(t *testing.T, s *pith.Session, filter outline.Filter, most int) string {
	t.Helper()
	tree, err := read(t.Context(), s, Filtered(filter), lines{path: func(p string) string { return p }, most: most})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	out := console.NewOutput(&text, false)
	if err := tree.Print(t.Context(), out, tone.Palette{}, 0, tree.All()); err != nil {
		t.Fatal(err)
	}
	if err := tree.PrintJSON(t.Context(), out, tree.All()); err != nil {
		t.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
