package pith_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// Messages that were collected from a context, and decoded, are still what they
// were when all of them have been read, and can be appended to another session.
func TestContextMessagesMayBeKept(t *testing.T) {
	const entries = 5000
	var text strings.Builder
	text.WriteString(head)
	parent := ""
	for i := range entries {
		id := fmt.Sprintf("e%d", i)
		text.WriteString(line(id, parent, "user", fmt.Sprintf("text %d %s", i, strings.Repeat("x", i%300))))
		parent = id
	}
	s := open(t, write(t, text.String()), pith.Options{})
	c, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	var kept []format.Message
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := format.DecodeMessage(m.Raw)
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, decoded)
	}
	all, err := c.All()
	if err != nil || len(all) != entries || len(kept) != entries {
		t.Fatalf("All = %d messages, %v; collected %d; want %d", len(all), err, len(kept), entries)
	}
	other, err := pith.InMemory("/p", pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range kept {
		if _, err := other.AppendMessage(m); err != nil {
			t.Fatal(err)
		}
	}
	v, wrong := other.View(), 0
	for pos := range v.Len() {
		l, err := v.Line(pos)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Appendf(nil, "text %d %s", pos, strings.Repeat("x", pos%300))
		if !bytes.Contains(l.Raw, append(want, '"')) || !bytes.Contains(all[pos].Raw, append(want, '"')) {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d messages have other bytes than when they were collected", wrong, entries)
	}
}
