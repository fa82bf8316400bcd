package entryline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/corpus"
)

// Reading a part of a line describes it as decoding does, in every session that
// can be opened.
func TestLinesAreDescribedAsEntries(t *testing.T) {
	files := map[string][]byte{"generated": corpus.Bytes(corpus.Options{Seed: 7, Entries: 800})}
	for _, odd := range corpus.Odd() {
		files[odd.Name] = odd.Bytes
	}
	checked := 0
	for name, data := range files {
		path := filepath.Join(t.TempDir(), "session.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
		if err != nil {
			continue
		}
		reading, decoding := entryline.NewDescriber(strings.ToUpper), entryline.NewDescriber(strings.ToUpper)
		for line, err := range s.View().Reader().Lines() {
			if err != nil {
				t.Fatal(err)
			}
			checkRead(t, name, line.Raw, reading, decoding)
			checked++
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if checked < 1000 {
		t.Errorf("only %d lines were looked at", checked)
	}
}

// A long text is cut in front of an escape or a character, never within.
func TestLongTexts(t *testing.T) {
	const most = 16 << 10
	for _, piece := range []string{"x", `\n`, `\u001b`, `\ud83d\ude00`, "é", "漢", "😀", `\\`, `\"`} {
		for pad := range 13 {
			text := strings.Repeat("a", pad) + strings.Repeat(piece, 2*most/len(piece))
			for _, content := range []string{`"` + text + `"`, `[{"type":"text","text":"` + text + `"},{"type":"text","text":"end"}]`} {
				for _, role := range []format.Role{format.RoleUser, format.RoleAssistant} {
					line := `{"type":"message","id":"e1","message":{"role":"` + string(role) + `","content":` + content + `}}`
					checkRead(t, fmt.Sprintf("%d of padding, then %s", pad, piece), []byte(line), entryline.NewDescriber(nil), entryline.NewDescriber(nil))
				}
			}
		}
	}
	blank := `{"type":"message","id":"e1","message":{"role":"assistant","stopReason":"stop","content":"` + strings.Repeat(" ", 2*most) + `seen"}}`
	checkRead(t, "a long blank", []byte(blank), entryline.NewDescriber(nil), entryline.NewDescriber(nil))
}

func checkRead(t *testing.T, name string, line []byte, reading, decoding *entryline.Describer) {
	t.Helper()
	b, search, err := reading.ReadSearched(line)
	if err != nil {
		t.Fatalf("%s: ReadSearched(%.200s): %v", name, line, err)
	}
	if shown, err := reading.Read(line); err != nil || reading.Line(&shown) != reading.Line(&b) || shown.Silent != b.Silent || shown.Failed != b.Failed {
		t.Errorf("%s: Read(%.200s) = %+v, %v; ReadSearched gives %+v", name, line, shown, err, b)
	}
	e, err := format.DecodeEntry(line)
	if err != nil {
		t.Fatalf("%s: DecodeEntry(%.200s): %v", name, line, err)
	}
	if got, want := search, entryline.Search(e); got != want {
		t.Errorf("%s: a search looks at %q in %.200s, want %q", name, got, line, want)
	}
	if got, want := reading.Line(&b), decoding.Describe(e); got != want {
		t.Errorf("%s: %.200s is described as %+v; want %+v", name, line, got, want)
	}
	if want := saysNothing(e); b.Silent != want {
		t.Errorf("%s: %.200s is silent: %v, want %v", name, line, b.Silent, want)
	}
}

func saysNothing(e format.Entry) bool {
	m, ok := e.(*format.MessageEntry)
	if !ok {
		return false
	}
	a, ok := m.Message.(*format.Assistant)
	return ok && strings.TrimSpace(a.Content.Joined()) == "" && slices.Contains([]string{"", "stop", "toolUse"}, a.StopReason)
}
