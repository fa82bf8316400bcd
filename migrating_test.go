package pith_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith"
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
