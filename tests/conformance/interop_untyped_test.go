package conformance_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// An object with an id and without a type is an entry, as in pi: what follows it
// continues the same conversation, and it can be the leaf.
func TestEntryWithoutType(t *testing.T) {
	const (
		head  = `{"type":"session","version":3,"id":"0195f1a0-0000-7000-8000-0000000000d1","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/dev/odd"}` + "\n"
		ask   = `{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"first","timestamp":1770112801000}}` + "\n"
		bare  = `{"id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T10:00:02.000Z"}` + "\n"
		seven = `{"type":7,"id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T10:00:02.000Z"}` + "\n"
		more  = `{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-02-03T10:00:03.000Z","message":{"role":"user","content":"second","timestamp":1770112803000}}` + "\n"
	)
	tests := map[string]struct {
		text, leaf string
		messages   int
	}{
		"in the middle":     {head + ask + bare + more, "aaaa0003", 2},
		"a number as type":  {head + ask + seven + more, "aaaa0003", 2},
		"at the end":        {head + ask + bare, "aaaa0002", 1},
		"a root":            {head + `{"id":"aaaa0009","parentId":null}` + "\n", "aaaa0009", 0},
		"and nothing below": {head + ask + bare + `{"id":"aaaa0004","parentId":"aaaa0001"}` + "\n", "aaaa0004", 1},
	}
	eachPi(t, func(t *testing.T, r rig) {
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				r := r.in(t)
				path := filepath.Join(r.dir, "2026-02-03T10-00-00-000Z_0195f1a0-0000-7000-8000-0000000000d1.jsonl")
				writeFile(t, path, []byte(tt.text), 0o600)
				got := r.bothSay(t, path)
				if got.Leaf != tt.leaf || len(got.Contexts[0].Messages) != tt.messages {
					t.Errorf("leaf %q and %d messages; want %q and %d", got.Leaf, len(got.Contexts[0].Messages), tt.leaf, tt.messages)
				}
				ours := openPith(t, path, pith.Options{})
				if _, err := ours.AppendMessage(t.Context(), format.NewUser("go on", time.UnixMilli(1770112809000))); err != nil {
					t.Fatal(err)
				}
				closePith(t, ours)
				r.bothSay(t, path)
			})
		}
	})
}

// bothSay compares what both sides say about a file with findings.
func (r rig) bothSay(t *testing.T, path string) account {
	t.Helper()
	said := piAccount(t, r.open(t, path), atEntries)
	agree(t, pithAccount(t, reopen(t, path), atEntries), said)
	r.compareListing(t, path)
	return said
}
