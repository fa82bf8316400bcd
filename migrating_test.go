package pith_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

// pi migrates a file in place: it cuts it and writes it again. Whoever opens the session
// meanwhile waits until that is done.
func TestOpenWhileMigrated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := oldSession + strings.Repeat(line("b", "a0000001", "user", strings.Repeat("x", 5000)), 400)
	for _, readOnly := range []bool{true, false} {
		for range 60 {
			rewrite(t, path, text, 0)
			var program sync.WaitGroup
			begun := make(chan struct{})
			program.Go(func() {
				f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0o600)
				if err != nil {
					t.Error(err)
				}
				defer f.Close()
				close(begun)
				for rest := text; rest != ""; {
					n := min(len(rest), 50_000)
					if _, err := f.WriteString(rest[:n]); err != nil {
						t.Error(err)
					}
					rest = rest[n:]
				}
			})
			<-begun
			if h, err := sessiondir.HeaderOf(path); err != nil || h.ID != "old" {
				t.Fatalf("HeaderOf while the file is rewritten = %v, %v", h, err)
			}
			s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: readOnly})
			if err != nil || s.ID() != "old" {
				t.Fatalf("Open while the file is rewritten: %v", err)
			}
			s.Close()
			program.Wait()
		}
	}
}

// A session of an old version that was opened stays readable while pi rewrites
// its file in place.
func TestReadWhileMigrated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	text := oldSession + strings.Repeat(line("b", "a0000001", "user", strings.Repeat("x", 5000)), 100)
	for name, cut := range map[string]string{"empty": "", "begun": text[:2000], "other": strings.ReplaceAll(text, "x", "y")} {
		rewrite(t, path, text, 0)
		s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(cut), 0o600); err != nil {
			t.Fatal(err)
		}
		n := 0
		for e, err := range s.View().Entries() {
			if err != nil {
				t.Errorf("%s: entry %d: %v", name, n, err)
				break
			}
			if m, ok := e.(*format.MessageEntry); ok && strings.Contains(string(m.Message.Raw()), "yyy") {
				t.Errorf("%s: entry %d is one that was written after the session was opened", name, n)
				break
			}
			n++
		}
		if want := s.View().Len(); n != want {
			t.Errorf("%s: %d entries; want %d", name, n, want)
		}
		s.Close()
	}
}
