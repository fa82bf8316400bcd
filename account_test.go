package pith_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
)

// account is all that a session says about itself.
func account(t testing.TB, s *pith.Session) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s %q leaf %q, %d entries\n", s.Header().Raw, s.ID(), s.Name(), s.LeafID(), s.View().Len())
	for _, f := range s.Findings() {
		fmt.Fprintf(&b, "finding %+v\n", f)
	}
	for l, err := range s.View().Reader().Lines() {
		if err != nil {
			t.Fatalf("Lines: %v", err)
		}
		kids, err := s.View().Children(l.ID)
		fmt.Fprintln(&b, l.Pos, l.ID, l.Type, l.Role, string(l.Raw), s.View().Label(l.ID), kids, err)
	}
	path, err := s.View().PathIDs(s.LeafID())
	fmt.Fprintln(&b, "path", path, err)
	todo := s.View().Tree()
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], n.Children...)
		fmt.Fprintln(&b, "node", n.Pos, n.ID, n.Type, n.Role, n.Label, n.LabelTime, n.OnPath, n.Depth, len(n.Children))
	}
	for _, id := range append([]string{""}, s.LeafID()) {
		c, err := s.View().Context(id)
		if err != nil {
			t.Fatalf("ContextAt(%q): %v", id, err)
		}
		fmt.Fprintln(&b, "context", c.ThinkingLevel, c.Model, c.Notes)
		for m, err := range c.Messages() {
			fmt.Fprintln(&b, m.EntryID, string(m.Raw), err)
		}
	}
	return b.String()
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}
