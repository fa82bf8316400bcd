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
	all, err := allOf(c)
	if err != nil || len(all) != entries || len(kept) != entries {
		t.Fatalf("All = %d messages, %v; collected %d; want %d", len(all), err, len(kept), entries)
	}
	other, err := pith.InMemory(pith.Options{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range kept {
		if _, err := other.AppendMessage(t.Context(), m); err != nil {
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

// The zero Context says nothing, and a sequence may be left early.
func TestContextIsEmpty(t *testing.T) {
	var c pith.Context
	all, err := allOf(&c)
	repaired, changes, err2 := c.Repaired()
	_, ok, err3 := c.System()
	if len(all)+len(repaired)+len(changes) != 0 || ok || err != nil || err2 != nil || err3 != nil {
		t.Errorf("the zero Context has %v, %v, %v, %t; %v, %v, %v", all, repaired, changes, ok, err, err2, err3)
	}
	s := open(t, write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two")), pith.Options{})
	now, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range now.Messages() {
		if err != nil || m.EntryID != "a" {
			t.Errorf("the first message is %s, %v", m.EntryID, err)
		}
		break
	}
	for e, err := range s.View().Entries() {
		if err != nil || e.Head().ID != "a" {
			t.Errorf("the first entry is %v, %v", e, err)
		}
		break
	}
	for l, err := range s.View().Reader().LinesAt([]int{1, 0}) {
		if err != nil || l.ID != "b" {
			t.Errorf("the first line is %s, %v", l.ID, err)
		}
		break
	}
}

// allOf collects the messages of a context.
func allOf(c *pith.Context) (all []pith.ContextMessage, err error) {
	for m, err := range c.Messages() {
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}
