package gist_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/gist"
)

func entry(t *testing.T, members string) format.Entry {
	t.Helper()
	e, err := format.DecodeEntry([]byte(`{"id":"a","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z",` + members + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The texts are those of pi's tree.
func TestOf(t *testing.T) {
	calls := entry(t, `"type":"message","message":{"role":"assistant","content":[
		{"type":"toolCall","id":"r","name":"read","arguments":{"path":"/home/ann/x.go","offset":10,"limit":20}},
		{"type":"toolCall","id":"o","name":"read","arguments":{"file_path":"x","offset":"7"}},
		{"type":"toolCall","id":"b","name":"bash","arguments":{"command":"`+strings.Repeat("x", 80)+`"}},
		{"type":"toolCall","id":"g","name":"grep","arguments":{"pattern":"getDay"}},
		{"type":"toolCall","id":"c","name":"custom","arguments":{"a":1}}]}`)
	teller := gist.NewTeller(func(p string) string { return strings.Replace(p, "/home/ann", "~", 1) })
	teller.Learn(calls)
	result := func(id string) string {
		return `"type":"message","message":{"role":"toolResult","toolCallId":"` + id + `","toolName":"t","content":[]}`
	}
	for _, c := range []struct{ members, want string }{
		{`"type":"message","message":{"role":"user","content":" hello\nthere "}`, "user: hello there"},
		{`"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"yes"}]}`, "assistant: yes"},
		{`"type":"message","message":{"role":"assistant","content":[],"stopReason":"aborted"}`, "assistant: (aborted)"},
		{`"type":"message","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"529"}`, "assistant: 529"},
		{`"type":"message","message":{"role":"assistant","content":[],"stopReason":"stop"}`, "assistant: (no content)"},
		{result("r"), "[read: ~/x.go:10-29]"},
		{result("o"), "[read: x:7]"},
		{result("b"), "[bash: " + strings.Repeat("x", 49) + "…]"},
		{result("g"), "[grep: /getDay/ in .]"},
		{result("c"), `[custom: {"a":1}]`},
		{result("unknown"), "[t]"},
		{`"type":"message","message":{"role":"bashExecution","command":"git status","output":""}`, "[bash]: git status"},
		{`"type":"message","message":{"role":"odd"}`, "[odd]"},
		{`"type":"custom_message","customType":"memo","content":"x","display":true`, "[memo]: x"},
		{`"type":"compaction","summary":"s","firstKeptEntryId":"a","tokensBefore":50600`, "[compaction: 51k tokens]"},
		{`"type":"branch_summary","summary":"tried","fromId":"a"`, "[branch summary]: tried"},
		{`"type":"model_change","provider":"p","modelId":"m"`, "[model: m]"},
		{`"type":"thinking_level_change","thinkingLevel":"high"`, "[thinking: high]"},
		{`"type":"label","targetId":"a"`, "[label: (cleared)]"},
		{`"type":"session_info","name":""`, "[title: empty]"},
		{`"type":"context_edit","targetId":"a"`, "[context omit: a]"},
		{`"type":"strange"`, "[strange]"},
		{`"type":"message","message":{"role":"user","content":"\u001b[31m\u202e"}`, `user: \x1b[31m\u202e`},
	} {
		if got := teller.Of(entry(t, c.members)).String(); got != c.want {
			t.Errorf("%s is told as %q, want %q", c.members, got, c.want)
		}
	}
}

func TestSilent(t *testing.T) {
	for members, want := range map[string]bool{
		`"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"x","name":"n","arguments":{}}],"stopReason":"toolUse"}`: true,
		`"type":"message","message":{"role":"assistant","content":[{"type":"text","text":" "}]}`:                                                    true,
		`"type":"message","message":{"role":"assistant","content":[],"stopReason":"aborted"}`:                                                       false,
		`"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"x"}]}`:                                                    false,
		`"type":"message","message":{"role":"user","content":""}`:                                                                                   false,
	} {
		if got := gist.Silent(entry(t, members)); got != want {
			t.Errorf("Silent(%s) = %v, want %v", members, got, want)
		}
	}
}

func TestSearchAndCopy(t *testing.T) {
	long := strings.Repeat("A", 300)
	for _, c := range []struct{ members, search, copied string }{
		{`"type":"message","message":{"role":"user","content":"` + long + `"}`, "user " + strings.Repeat("a", 200), long},
		{`"type":"message","message":{"role":"bashExecution","command":"Make","output":"secret"}`, "bashexecution make", "Make"},
		{`"type":"compaction","summary":"Goal","firstKeptEntryId":"a","tokensBefore":1`, "compaction", "Goal"},
		{`"type":"label","targetId":"a","label":"Here"`, "label here", ""},
		{`"type":"message","message":{"role":"assistant","content":[],"errorMessage":"529"}`, "assistant ", "529"},
	} {
		e := entry(t, c.members)
		if got := gist.Search(e); got != c.search {
			t.Errorf("Search(%s) = %q, want %q", c.members, got, c.search)
		}
		if got := gist.Copy(e); got != c.copied {
			t.Errorf("Copy(%s) = %q, want %q", c.members, got, c.copied)
		}
	}
}

func TestCut(t *testing.T) {
	g := gist.Gist{Head: "user: ", Text: "日本語"}
	for cells, want := range map[int]string{20: "user: 日本語", 12: "user: 日本語", 11: "user: 日本…", 7: "user: …", 4: "use…"} {
		if got := g.Cut(cells).String(); got != want {
			t.Errorf("Cut(%d) = %q, want %q", cells, got, want)
		}
	}
}
