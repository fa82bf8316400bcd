package gist_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/corpus"
	"github.com/pith-sessions/pith/internal/gist"
	"github.com/pith-sessions/pith/internal/plain"
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
		s, err := pith.Open(path, pith.Options{ReadOnly: true})
		if err != nil {
			continue
		}
		sketching, decoding := gist.NewTeller(strings.ToUpper), gist.NewTeller(strings.ToUpper)
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
					checkSketch(t, fmt.Sprintf("%d of padding, then %s", pad, piece), []byte(line), gist.NewTeller(nil), gist.NewTeller(nil))
				}
			}
		}
	}
	blank := `{"type":"message","id":"e1","message":{"role":"assistant","stopReason":"stop","content":"` + strings.Repeat(" ", 2*most) + `seen"}}`
	checkSketch(t, "a long blank", []byte(blank), gist.NewTeller(nil), gist.NewTeller(nil))
}

// What is plain letters is told as any other text is.
func TestLettersAreFittedLikeAnyText(t *testing.T) {
	pieces := []string{"a", "word ", "\n", "\r\n", "\r", "\t", "  ", "é", "漢", "\x1b[31m", "\x7f", "x\u0301"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for size := r.IntN(230); b.Len() < size; {
			piece := pieces[0]
			if r.IntN(20) == 0 {
				piece = pieces[r.IntN(len(pieces))]
			}
			b.WriteString(piece)
		}
		text := b.String()
		want := "user: " + strings.TrimSpace(plain.Fit(strings.TrimSpace(text), 200))
		if got := gist.NewTeller(nil).Of(&format.MessageEntry{Message: format.NewUser(text, time.Time{})}).String(); got != want {
			t.Fatalf("Of(%q) = %q, want %q", text, got, want)
		}
	}
}

func checkSketch(t *testing.T, name string, line []byte, sketching, decoding *gist.Teller) {
	t.Helper()
	n, err := sketching.Sketch(line)
	if err != nil {
		t.Fatalf("%s: Sketch(%.200s): %v", name, line, err)
	}
	e, err := format.DecodeEntry(line)
	if err != nil {
		t.Fatalf("%s: DecodeEntry(%.200s): %v", name, line, err)
	}
	decoding.Learn(e)
	if got, want := sketching.Place(&n), decoding.Of(e); got != want || n.Silent != gist.Silent(e) {
		t.Errorf("%s: the sketch of %.200s is %+v, silent %v; want %+v, silent %v", name, line, got, n.Silent, want, gist.Silent(e))
	}
}
