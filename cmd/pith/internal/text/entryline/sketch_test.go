package entryline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/corpus"
)

// The sketch of a line is what decoding it tells, in every session that can be
// opened.
func TestSketchesTellWhatEntriesTell(t *testing.T) {
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
		sketching, decoding := entryline.NewTeller(strings.ToUpper), entryline.NewTeller(strings.ToUpper)
		for line, err := range s.Lines() {
			if err != nil {
				t.Fatal(err)
			}
			checkSketch(t, name, line.Raw, sketching, decoding)
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
func TestSketchesOfLongTexts(t *testing.T) {
	const most = 16 << 10
	for _, piece := range []string{"x", `\n`, `\u001b`, `\ud83d\ude00`, "é", "漢", "😀", `\\`, `\"`} {
		for pad := range 13 {
			text := strings.Repeat("a", pad) + strings.Repeat(piece, 2*most/len(piece))
			for _, content := range []string{`"` + text + `"`, `[{"type":"text","text":"` + text + `"},{"type":"text","text":"end"}]`} {
				for _, role := range []format.Role{format.RoleUser, format.RoleAssistant} {
					line := `{"type":"message","id":"e1","message":{"role":"` + string(role) + `","content":` + content + `}}`
					checkSketch(t, fmt.Sprintf("%d of padding, then %s", pad, piece), []byte(line), entryline.NewTeller(nil), entryline.NewTeller(nil))
				}
			}
		}
	}
	blank := `{"type":"message","id":"e1","message":{"role":"assistant","stopReason":"stop","content":"` + strings.Repeat(" ", 2*most) + `seen"}}`
	checkSketch(t, "a long blank", []byte(blank), entryline.NewTeller(nil), entryline.NewTeller(nil))
}

func checkSketch(t *testing.T, name string, line []byte, sketching, decoding *entryline.Teller) {
	t.Helper()
	n, search, err := sketching.SketchAndSearch(line)
	if err != nil {
		t.Fatalf("%s: SketchAndSearch(%.200s): %v", name, line, err)
	}
	if alone, err := sketching.Sketch(line); err != nil || !reflect.DeepEqual(alone, n) {
		t.Errorf("%s: Sketch(%.200s) = %+v, %v; with the search it is %+v", name, line, alone, err, n)
	}
	e, err := format.DecodeEntry(line)
	if err != nil {
		t.Fatalf("%s: DecodeEntry(%.200s): %v", name, line, err)
	}
	if want := entryline.Search(e); search != want {
		t.Errorf("%s: a search looks at %q in %.200s, want %q", name, search, line, want)
	}
	decoding.Learn(e)
	if got, want := sketching.Place(&n), decoding.Of(e); got != want || n.Silent != entryline.Silent(e) {
		t.Errorf("%s: the sketch of %.200s is %+v, silent %v; want %+v, silent %v", name, line, got, n.Silent, want, entryline.Silent(e))
	}
}
