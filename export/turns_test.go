package export_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/inspect"
)

// turnsSession is a session of three turns and a side branch. A word with the
// number of a turn is in everything that the turn wrote: word1, word2, word3;
// word9 is in entries outside of turns, and in those that describe other turns.
const turnsSession = `{"type":"session","version":3,"id":"0190aaaa-0000-7000-8000-000000000007","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"}
{"type":"session_info","id":"a0","parentId":null,"timestamp":"2026-02-03T22:52:06.500Z","name":"named word9"}
{"type":"message","id":"a1","parentId":"a0","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"ask word1"}}
{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","provider":"p","model":"word1","content":[{"type":"thinking","thinking":"think word1"},{"type":"text","text":"say word1"},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"run word1"}}]}}
{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"out word1"}],"details":{"diff":"+word1"}}}
{"type":"message","id":"s1","parentId":"a3","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"user","content":"side branch word9"}}
{"type":"message","id":"b1","parentId":"a3","timestamp":"2026-02-03T22:52:11.000Z","message":{"role":"user","content":"ask word2"}}
{"type":"compaction","id":"b2","parentId":"b1","timestamp":"2026-02-03T22:52:12.000Z","summary":"before: word9","firstKeptEntryId":"b1","tokensBefore":10}
{"type":"branch_summary","id":"b3","parentId":"b2","timestamp":"2026-02-03T22:52:12.000Z","fromId":"s1","summary":"side: word9"}
{"type":"label","id":"b4","parentId":"b3","timestamp":"2026-02-03T22:52:14.000Z","targetId":"a1","label":"label word9"}
{"type":"label","id":"b5","parentId":"b4","timestamp":"2026-02-03T22:52:14.000Z","targetId":"c1","label":"label word9"}
{"type":"context_edit","id":"b6","parentId":"b5","timestamp":"2026-02-03T22:52:14.000Z","targetId":"a2","replacement":"word9"}
{"type":"custom","id":"b7","parentId":"b6","timestamp":"2026-02-03T22:52:14.000Z","customType":"word9","data":{"k":"word9"}}
{"type":"some_day","id":"b8","parentId":"b7","timestamp":"2026-02-03T22:52:14.000Z","note":"word9"}
{"type":"message","id":"b9","parentId":"b8","timestamp":"2026-02-03T22:52:15.000Z","message":{"role":"system","content":"word9"}}
{"type":"message","id":"ba","parentId":"b9","timestamp":"2026-02-03T22:52:15.000Z","message":{"role":"bashExecution","command":"echo word2","output":"word2","exitCode":0}}
{"type":"custom_message","id":"bb","parentId":"ba","timestamp":"2026-02-03T22:52:15.000Z","customType":"x","content":"word2","display":true}
{"type":"message","id":"bc","parentId":"bb","timestamp":"2026-02-03T22:52:16.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"say word2"}]}}
{"type":"message","id":"c1","parentId":"bc","timestamp":"2026-02-03T22:52:17.000Z","message":{"role":"user","content":"ask word3"}}
{"type":"message","id":"c2","parentId":"c1","timestamp":"2026-02-03T22:52:18.000Z","message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"text","text":"say word3"}],"stopReason":"error","errorMessage":"word3"}}
{"type":"session_info","id":"c3","parentId":"c2","timestamp":"2026-02-03T22:52:19.000Z","name":"renamed word9"}
`

// An export of turns contains their words, and nothing of anything else: not in
// the text, the tree, the search data, the title or the file name.
func TestTurnsContainNothingElse(t *testing.T) {
	s := session(t, turnsSession)
	for turns, want := range map[string]string{"1": "1", "2": "2", "3": "3", "1,3": "1 3", "2-3": "2 3", "3,2,2-3": "2 3", "-1": "3", "-2": "2 3", "2-": "2 3", "-99": "1 2 3", " 1 , 2 ": "1 2"} {
		for _, o := range []export.Options{{}, {Format: export.Markdown}, {Only: export.Talk}, {Only: export.Prompts}, {Format: export.Markdown, Only: export.Prompts}} {
			o.Turns, o.NoRedact = turns, true
			name := fmt.Sprintf("%s of turns %s %+v", o.Format, turns, o)
			plan, err := export.Review(t.Context(), s, o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var out strings.Builder
			if _, err := plan.Write(t.Context(), &out); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			text := unpacked(t, out.String()) + plan.FileName() + plan.Title()
			var got []string
			for _, n := range []string{"1", "2", "3", "9"} {
				if strings.Contains(text, "word"+n) {
					got = append(got, n)
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s has the words of turns %q, want %q", name, got, want)
			}
			if asked := strings.Count(text, "ask word"); asked < len(strings.Fields(want)) {
				t.Errorf("%s has %d prompts, want those of turns %s", name, asked, want)
			}
		}
	}
}

// A page of turns that do not follow each other shows all of them as one path.
func TestTurnsAreOnePath(t *testing.T) {
	text := unpacked(t, write(t, session(t, turnsSession), export.Options{Turns: "1,3"}))
	start := strings.Index(text, `{"stretches"`)
	if start < 0 {
		t.Fatal("no index in the page")
	}
	var index struct {
		Stretches []struct {
			I []string
			P int
		}
		Leaf    int
		Excerpt bool
	}
	if err := json.NewDecoder(strings.NewReader(text[start:])).Decode(&index); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for n, s := range index.Stretches {
		if ids = append(ids, s.I...); s.P != n-1 {
			t.Errorf("stretch %d continues %d; want one path", n, s.P)
		}
	}
	if want := []string{"a1", "a2", "a3", "c1", "c2"}; !slices.Equal(ids, want) || index.Leaf != len(index.Stretches)-1 || !index.Excerpt {
		t.Errorf("entries %q, leaf %d, excerpt %t; want %q as one path", ids, index.Leaf, index.Excerpt, want)
	}
	if strings.Contains(text, `>current<`) {
		t.Error("an entry is marked as current, but the session continues elsewhere")
	}
	if !strings.Contains(text, "Turns 1 and 3 of 3") {
		t.Error("the page does not say which turns it contains")
	}
}

// Turns that do not exist are refused, and so are formats that cannot contain a
// part.
func TestBadTurns(t *testing.T) {
	s := session(t, turnsSession)
	for _, turns := range []string{"0", "4", "1-4", "2-1", "-0", "-", "--1", "a", "1,", ",1", "1,,2", "1 2", "1-2-3", "+1", "0x1", "1.5", "99999999999999999999", "-99999999999999999999", "1-99999999999999999999"} {
		_, err := export.Review(t.Context(), s, export.Options{Turns: turns})
		if bad, ok := errors.AsType[*inspect.TurnsError](err); !ok || bad.Turns != turns || bad.Last != 3 {
			t.Errorf("turns %q: %v, want a TurnsError with 3 turns", turns, err)
		}
	}
	for _, o := range []export.Options{{Turns: "1", Format: export.JSONL}, {Turns: "1", Format: export.ATIF}, {Turns: "1", AllBranches: true, Format: export.Markdown}} {
		if _, err := export.Review(t.Context(), s, o); !errors.Is(err, export.ErrTurns) {
			t.Errorf("Review(%+v) = %v, want ErrTurns", o, err)
		}
	}
	if _, err := export.Review(t.Context(), s, export.Options{Turns: "2", Leaf: "a3"}); err == nil {
		t.Error("turn 2 of a path with one turn was accepted")
	}
	header, _, _ := strings.Cut(turnsSession, "\n")
	_, err := export.Review(t.Context(), session(t, header+"\n"), export.Options{Turns: "1"})
	if bad, ok := errors.AsType[*inspect.TurnsError](err); !ok || bad.Last != 0 {
		t.Errorf("turn 1 of an empty session: %v, want a TurnsError without turns", err)
	}
}
