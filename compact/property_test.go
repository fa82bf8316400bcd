package compact_test

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

var textSizes = rapid.SampledFrom([]int{0, 4, 40, 400, 4000})

// conversation draws entries as agents write them, and at times as they should
// not: something between a call and its results, results that are late or missing.
var conversation = rapid.Custom(func(t *rapid.T) []entry {
	var out []entry
	var open []string // calls that wait for their results
	calls := 0
	for i := range rapid.IntRange(1, 40).Draw(t, "entries") {
		if len(open) > 0 && rapid.IntRange(0, 9).Draw(t, "answered") > 0 {
			out = append(out, result(open[0], textSizes.Draw(t, "size")))
			open = open[1:]
			continue
		}
		size := textSizes.Draw(t, "size")
		anyID := fmt.Sprintf("e%d", rapid.IntRange(0, max(0, i-1)).Draw(t, "target"))
		switch rapid.IntRange(0, 12).Draw(t, "entry") {
		case 0, 1:
			out = append(out, user(size))
		case 2, 3:
			out = append(out, answer(size))
		case 4, 5, 6:
			var ids []string
			for range rapid.IntRange(1, 3).Draw(t, "calls") {
				calls++
				ids = append(ids, fmt.Sprintf("call_%d", calls))
			}
			open = append(open, ids...)
			out = append(out, calling(ids...))
		case 7:
			out = append(out, bash(size))
		case 8:
			out = append(out, rapid.SampledFrom([]entry{custom(size), branchSummary(size), system(size)}).Draw(t, "other"))
		case 9:
			out = append(out, rapid.SampledFrom([]entry{model, label, naming}).Draw(t, "metadata"))
		case 10:
			out = append(out, rapid.SampledFrom([]entry{hide(anyID), replace(anyID, letters(size))}).Draw(t, "edit"))
		case 11:
			out = append(out, compaction("S", anyID))
		default:
			out = append(out, counted(size, 1+size))
		}
	}
	return out
})

// A piece is a message of a context, by what the properties need of it.
type piece struct {
	entry   string
	role    format.Role
	calls   []string
	results string
}

func pieces(t *rapid.T, messages iter.Seq2[pith.ContextMessage, error]) []piece {
	var out []piece
	for m, err := range messages {
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := format.DecodeMessage(m.Raw)
		if err != nil {
			t.Fatal(err)
		}
		p := piece{entry: m.EntryID, role: decoded.Role()}
		switch m := decoded.(type) {
		case *format.Assistant:
			for _, b := range m.Content.Blocks {
				if c, ok := b.(*format.ToolCallBlock); ok {
					p.calls = append(p.calls, c.ID)
				}
			}
		case *format.ToolResult:
			p.results = m.ToolCallID
		}
		out = append(out, p)
	}
	return out
}

// spoken are the entries of messages that a plan deals with: neither the summary
// at the beginning nor system messages.
func spoken(context []piece) []string {
	var out []string
	for i, p := range context {
		if p.role == format.RoleSystem || i < 2 && p.role == format.RoleCompactionSummary {
			continue
		}
		out = append(out, p.entry)
	}
	return out
}

func contextOf(t *rapid.T, s *pith.Session) []piece {
	ctx, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	return pieces(t, ctx.Messages())
}

// compactOnce plans, checks the plan and appends the compaction. It is false when
// there is nothing to compact.
func compactOnce(t *rapid.T, s *pith.Session) bool {
	before := contextOf(t, s)
	p, err := compact.Prepare(s, keep(rapid.SampledFrom([]int64{0, 1, 10, 50, 500, 2000}).Draw(t, "keep")))
	if errors.Is(err, compact.ErrNothing) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	history, prefix := pieces(t, p.History()), pieces(t, p.TurnPrefix())
	if len(history)+len(prefix) == 0 || p.HasHistory != (len(history) > 0) || p.SplitTurn != (len(prefix) > 0) {
		t.Fatalf("plan %+v with %d messages of history and %d of the turn", p, len(history), len(prefix))
	}
	if _, err := s.AppendCompaction(t.Context(), p.Compaction("S", compact.FileLists{})); err != nil {
		t.Fatal(err)
	}
	kept := contextOf(t, s)
	checkCovered(t, before, history, prefix, kept)
	checkPairs(t, before, kept)
	return true
}

// checkCovered checks that every message was summarised or is kept, once, in order
// (pitfall 100).
func checkCovered(t *rapid.T, before, history, prefix, kept []piece) {
	got := append(append(spoken(history), spoken(prefix)...), spoken(kept)...)
	if want := spoken(before); !slices.Equal(got, want) {
		t.Fatalf("summarised %v and %v, kept %v; want all of %v", spoken(history), spoken(prefix), spoken(kept), want)
	}
}

// checkPairs checks that no result is kept without its call (pitfall 102).
func checkPairs(t *rapid.T, before, kept []piece) {
	stays := map[string]bool{}
	for _, p := range kept {
		stays[p.entry] = true
	}
	caller := map[string]string{} // of a call, its entry
	for _, p := range before {
		for _, id := range p.calls {
			caller[id] = p.entry
		}
		if from, ok := caller[p.results]; ok && p.results != "" && stays[p.entry] && !stays[from] {
			t.Fatalf("the result %s of %s is kept, and its call in %s is not", p.entry, p.results, from)
		}
	}
}

// Over several compactions, with more said in between, nothing is ever skipped:
// what the first kept, the second summarises or keeps (pitfalls 100, 102).
func TestPlanProperties(t *testing.T) {
	dir, n, planned := t.TempDir(), 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprintf("%d.jsonl", n))
		if err := os.WriteFile(path, []byte(chainText(conversation.Draw(t, "conversation"))), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := pith.Open(t.Context(), path, pith.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range rapid.IntRange(1, 3).Draw(t, "compactions") {
			if compactOnce(t, s) {
				planned++
			}
			for range rapid.IntRange(0, 4).Draw(t, "more") {
				raw := rapid.SampledFrom([]string{userText(letters(40)), answerWith(noUsage, "stop", textBlock(letters(400)))}).Draw(t, "message")
				m, err := format.DecodeMessage([]byte(raw))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := s.AppendMessage(t.Context(), m); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	if planned == 0 {
		t.Error("no plan was made: this test tests nothing")
	}
}

// Estimates of the same text agree however it is escaped, and the plain estimate
// is a quarter of its UTF-16 units, rounded up.
func TestEstimateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "text")
		plain := format.User{Content: format.TextContent(s)}
		escaped := `{"role":"user","content":"`
		units := 0
		for _, r := range s {
			if r > 0xFFFF {
				r -= 0x10000
				escaped += fmt.Sprintf(`\u%04x\u%04x`, 0xD800+r>>10, 0xDC00+r&0x3FF)
				units += 2
				continue
			}
			escaped += fmt.Sprintf(`\u%04x`, r)
			units++
		}
		escaped += `"}`
		for _, e := range []compact.Estimator{compact.Quarter, compact.ByScript} {
			got, want := e.RawTokens([]byte(escaped)), e.Tokens(&plain)
			if got != want {
				t.Fatalf("estimator %d: RawTokens(%s) = %d, Tokens(%q) = %d", e, escaped, got, s, want)
			}
		}
		if got, want := compact.Quarter.Tokens(&plain), int64(units+3)/4; got != want {
			t.Fatalf("Tokens(%q) = %d, want %d", s, got, want)
		}
	})
}
