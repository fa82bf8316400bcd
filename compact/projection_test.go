package compact_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/pith-sessions/pith"
)

// seen is what a model sees from the leaf: of each message the role and what it says.
func seen(t *testing.T, s *pith.Session) []string {
	t.Helper()
	c, err := s.Context()
	if err != nil {
		t.Fatalf("Context: %v", err)
	}
	var out []string
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatalf("Messages: %v", err)
		}
		var said struct {
			Role, Summary string
			Content       json.RawMessage
		}
		if err := json.Unmarshal(m.Raw, &said); err != nil {
			t.Fatalf("message %s: %v", m.Raw, err)
		}
		out = append(out, said.Role+" "+said.Summary+string(said.Content))
	}
	return out
}

// The messages that a compaction, a branch summary and an edit leave for a
// model.
func TestProjection(t *testing.T) {
	says := func(text string) entry { return message(userText(text)) }
	answers := func(text string) entry { return message(answerWith(noUsage, "stop", textBlock(text))) }
	state := func(text string) entry { return message(`{"role":"system","content":"` + text + `","timestamp":1}`) }
	block := func(text string) string { return "assistant [" + textBlock(text) + "]" }
	tests := map[string]struct {
		entries []entry
		want    []string
	}{
		"case 42: a compaction that keeps none": {
			[]entry{says("u0"), answers("a0"), compaction("S", "e2"), says("u1")},
			[]string{"compactionSummary S", `user "u1"`},
		},
		"case 52: the last compaction": {
			[]entry{says("u0"), answers("a0"), compaction("S1", "e0"), says("u1"), answers("a1"), compaction("S2", "e1")},
			[]string{"compactionSummary S2", block("a0"), `user "u1"`, block("a1")},
		},
		"case 53: empty summary of a branch": {[]entry{says("u0"), branchSummary(0), says("u1")}, []string{`user "u0"`, `user "u1"`}},
		"case 54: the latest edit": {
			[]entry{says("u0"), answers("a0"), hide("e0"), replace("e0", "first"), replace("e0", "last")},
			[]string{`user "last"`, block("a0")},
		},
		"case 54: an answer gets a block": {[]entry{says("u0"), answers("a0"), replace("e1", "NEW")}, []string{`user "u0"`, block("NEW")}},
		"case 54: null omits":             {[]entry{says("u0"), answers("a0"), replace("e0", "first"), hide("e0")}, []string{block("a0")}},
		"case 55: system message": {
			[]entry{
				state("old"), says("u0"), answers("a0"),
				compaction("S", "e0").with(`"systemMessage":{"role":"system","content":"all","timestamp":1}`), says("u1"), state("later"), answers("a1"),
			},
			[]string{`system "all"`, "compactionSummary S", `user "u0"`, block("a0"), `user "u1"`, `system "later"`, block("a1")},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := seen(t, chain(t, tt.entries...)); !slices.Equal(got, tt.want) {
				t.Errorf("context of\n%s\n got %q\nwant %q", chainText(tt.entries), got, tt.want)
			}
		})
	}
}

// case 104: a fork leaves label entries out, and a compaction that kept messages from
// one on keeps them from the next entry on.
func TestProjectionOfFork(t *testing.T) {
	s := chain(t, user(4), label, answer(4), compaction("S", "e1"), user(4))
	x, err := s.Clone(t.Context(), "e4")
	if err != nil {
		t.Fatalf("Clone(e4): %v", err)
	}
	defer x.Close()
	var links []string
	for e, err := range x.View().Entries() {
		if err != nil {
			t.Fatalf("Entries: %v", err)
		}
		var line struct {
			Type, ID, ParentID, FirstKeptEntryID, TargetID string
		}
		if err := json.Unmarshal(e.Head().Raw, &line); err != nil {
			t.Fatalf("entry %s: %v", e.Head().Raw, err)
		}
		if line.Type == "label" {
			if x.LeafID() != line.ID {
				t.Errorf("leaf = %s, want the label %s", x.LeafID(), line.ID)
			}
			line.ID = "new"
		}
		links = append(links, line.ParentID+" < "+line.ID+" "+line.Type+" "+line.FirstKeptEntryID+line.TargetID)
	}
	want := []string{" < e0 message ", "e0 < e2 message ", "e2 < e3 compaction e2", "e3 < e4 message ", "e4 < new label e0"}
	if !slices.Equal(links, want) {
		t.Errorf("entries of the fork:\n got %q\nwant %q", links, want)
	}
	kept := []string{"compactionSummary S", `assistant [` + textBlock("xxxx") + `]`, `user "xxxx"`}
	for name, session := range map[string]*pith.Session{"source": s, "fork": x} {
		if got := seen(t, session); !slices.Equal(got, kept) {
			t.Errorf("context of the %s:\n got %q\nwant %q", name, got, kept)
		}
	}
}
