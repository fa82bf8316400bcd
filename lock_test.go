package pith

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A view needs no lock: it answers while another goroutine holds all locks of the
// session, so what it does keeps no other method of the session waiting.
func TestViewTakesNoLock(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}` + "\n")
	for i := range 100 {
		fmt.Fprintf(&text, `{"type":"message","id":"e%d","parentId":"e%d","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"x"}}`+"\n", i, i/2)
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := s.View()
	s.pen <- struct{}{}
	s.mu.Lock()
	defer s.dropPen()
	defer s.mu.Unlock()
	at, err := v.Find("e70")
	if err != nil || at != 70 {
		t.Errorf("Find = %d, %v", at, err)
	}
	if kids, err := v.Children("e30"); err != nil || len(kids) != 2 {
		t.Errorf("Children = %v, %v", kids, err)
	}
	if path, err := v.PathIDs("e70"); err != nil || path[len(path)-1] != "e70" {
		t.Errorf("PathIDs = %v, %v", path, err)
	}
	if roots := v.Tree(); len(roots) != 1 {
		t.Errorf("Tree has %d roots", len(roots))
	}
	if chains := v.DepthFirst(); len(chains) == 0 {
		t.Error("DepthFirst returns nothing")
	}
	if c, err := v.Context("e70"); err != nil || c.Entries == 0 {
		t.Errorf("Context = %+v, %v", c, err)
	}
	for line, err := range v.Reader().Lines() {
		if err != nil || line.ID == "" {
			t.Fatalf("Lines: %v", err)
		}
	}
}
