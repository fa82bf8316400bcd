package compact_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/compact"
)

const image = `{"type":"image","data":"aGVsbG8=","mimeType":"image/png"}`

func TestTokens(t *testing.T) {
	tests := map[string]struct {
		raw  string
		want int64
	}{
		"case 1: a word":            {userText("hello"), 2},
		"case 1: nothing":           {userText(""), 0},
		"case 1: unknown role":      {`{"role":"oracle","content":"hello"}`, 0},
		"case 2: text and image":    {`{"role":"user","content":[` + textBlock("hello") + `,` + image + `]}`, 1202},
		"case 3: image of a tool":   {`{"role":"toolResult","content":[` + image + `]}`, 1200},
		"image in an answer":        {answerWith(noUsage, "stop", textBlock("abcd"), image), 1},
		"call of a user":            {`{"role":"user","content":[` + textBlock("abcd") + `,` + callBlock("1", "read", `{"path":"a"}`) + `]}`, 1},
		"case 4: outside the plane": {userText("🌳🌳🌳"), 2},
		"case 5: text, thought and call": {
			answerWith(noUsage, "toolUse", textBlock("abcd"), `{"type":"thinking","thinking":"abcd"}`, callBlock("1", "read", `{"path":"a"}`)), 6},
		"case 6: command":          {`{"role":"bashExecution","command":"ls","output":"abc"}`, 2},
		"case 6: excluded command": {`{"role":"bashExecution","command":"ls","output":"abc","excludeFromContext":true}`, 2},
		"case 7: system":           {`{"role":"system","content":"abcd","sections":{"a":"bb","c":null},"toolsAdded":[{"name":"r"}]}`, 5},
		"summary":                  {`{"role":"compactionSummary","summary":"abcdefgh"}`, 2},
		"custom":                   {`{"role":"custom","content":"abcdefgh"}`, 2},
		"null content":             {`{"role":"user","content":null}`, 0},
		"call without arguments":   {answerWith(noUsage, "toolUse", `{"type":"toolCall","id":"1","name":"read"}`), 1},
		// Arguments count as JavaScript would write them: 19 units, whatever the file has.
		"arguments with white space": {answerWith(noUsage, "toolUse", callBlock("1", "", `{ "a" : 1.50e0, "b":"\u00e9\/" }`)), 5},
		"arguments twice":            {answerWith(noUsage, "toolUse", callBlock("1", "", `{"a":"long and gone","a":1}`)), 2},
		"escapes":                    {`{"role":"user","content":"\n\"\u00e9\ud83c\udf33\ud83c"}`, 2},
		"not an object":              {`[]`, 0},
		"bytes that are not UTF-8":   {"{\"role\":\"user\",\"content\":\"\xff\xff\xff\xff\x80\"}", 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := compact.Quarter.RawTokens([]byte(tt.raw)); got != tt.want {
				t.Errorf("RawTokens(%s) = %d, want %d", tt.raw, got, tt.want)
			}
			if !strings.HasPrefix(tt.raw, "{") {
				return
			}
			if got := compact.Quarter.Tokens(decodeMessage(t, tt.raw)); got != tt.want {
				t.Errorf("Tokens(%s) = %d, want %d", tt.raw, got, tt.want)
			}
		})
	}
}

// pitfall 104: a character of CJK is about a token, not a quarter of one.
func TestTokensByScript(t *testing.T) {
	tests := map[string]struct {
		text          string
		quarter, want int64
	}{
		"latin":    {"hello world, naïve", 5, 5},
		"chinese":  {"把这个函数重构成两个", 3, 10},
		"japanese": {"この関数を直してください", 3, 12},
		"korean":   {"이함수를고쳐줘", 2, 7},
		"russian":  {"исправь", 2, 4},
		"emoji":    {"🌳🌳", 1, 4},
		"mixed":    {"fix 日本語.md", 3, 5},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			raw := []byte(userText(tt.text))
			if got := compact.Quarter.RawTokens(raw); got != tt.quarter {
				t.Errorf("Quarter.RawTokens(%s) = %d, want %d", raw, got, tt.quarter)
			}
			if got := compact.ByScript.RawTokens(raw); got != tt.want {
				t.Errorf("ByScript.RawTokens(%s) = %d, want %d", raw, got, tt.want)
			}
		})
	}
	escaped := `{"role":"user","content":"\u65e5\u672c\ud83c\udf33"}`
	if got := compact.ByScript.RawTokens([]byte(escaped)); got != 4 {
		t.Errorf("ByScript.RawTokens(%s) = %d, want 4, as without escapes", escaped, got)
	}
}

// The weight of a character changes at the border of two groups of scripts, and
// half of a surrogate pair weighs half of the pair, also next to bytes that are
// not UTF-8.
func TestTokensAtTheEndsOfScripts(t *testing.T) {
	for r, want := range map[rune]int64{
		0x7F: 1, 0x80: 1, 0x024F: 1, 0x0250: 2, 0x08FF: 2, 0x0900: 4, 0xD7FF: 4, 0xE000: 4, 0xFFFF: 4, 0x10000: 8, 0x10FFFF: 8,
	} {
		raw := `{"role":"user","content":"` + strings.Repeat(string(r), 4) + `"}`
		if got := compact.ByScript.RawTokens([]byte(raw)); got != want {
			t.Errorf("ByScript: four of %U are %d tokens, want %d", r, got, want)
		}
	}
	for raw, want := range map[string]int64{
		`{"role":"user","content":"\ud83c\ud83c"}`:        2,
		"{\"role\":\"user\",\"content\":\"\xff\\ud83c\"}": 2,
		"{\"role\":\"user\",\"content\":\"\xff\xed\"}":    2,
	} {
		if got := compact.ByScript.RawTokens([]byte(raw)); got != want {
			t.Errorf("ByScript.RawTokens(%q) = %d, want %d", raw, got, want)
		}
	}
}

func TestUsageTokens(t *testing.T) {
	tests := map[string]struct {
		usage string
		want  int64
		ok    bool
	}{
		"case 8: sum":   {`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":0}`, 10, true},
		"case 8: total": {totalUsage(100), 100, true},
		"no total":      {`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4}`, 10, true},
		"partial":       {`{"input":1,"output":2}`, 0, false}, // pitfall 106
		"hostile total": {`{"totalTokens":1e30}`, 1<<53 - 1, true},
		"hostile parts": {`{"input":1e30,"output":1e30,"cacheRead":0,"cacheWrite":0}`, 2 * (1<<53 - 1), true},
		"missing":       {``, 0, false},
		"null":          {`null`, 0, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, ok := compact.UsageTokens([]byte(tt.usage)); got != tt.want || ok != tt.ok {
				t.Errorf("UsageTokens(%s) = %d, %v; want %d, %v", tt.usage, got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestMeasure(t *testing.T) {
	said := func(usage, stop string) string { return answerWith(usage, stop, textBlock("abcd")) }
	tests := map[string]struct {
		messages []string
		want     compact.Size
	}{
		"case 9: no usage":      {[]string{userText("abcd")}, compact.Size{Tokens: 1, TrailingTokens: 1}},
		"case 10: trailing":     {[]string{said(totalUsage(100), "stop"), userText("abcdefgh")}, compact.Size{102, 100, 2, "e0"}},
		"case 11: zero usage":   {[]string{said(totalUsage(100), "stop"), said(noUsage, "stop"), userText("abcdefgh")}, compact.Size{103, 100, 3, "e0"}}, // pitfall 106
		"case 12: aborted":      {[]string{said(totalUsage(100), "stop"), said(totalUsage(500), "aborted"), userText("abcdefgh")}, compact.Size{103, 100, 3, "e0"}},
		"failed":                {[]string{said(totalUsage(100), "stop"), said(totalUsage(500), "error")}, compact.Size{101, 100, 1, "e0"}},
		"case 13: length":       {[]string{said(totalUsage(100), "length")}, compact.Size{100, 100, 0, "e0"}},
		"partial usage":         {[]string{said(`{"input":7}`, "stop")}, compact.Size{Tokens: 1, TrailingTokens: 1}},                                                          // pitfall 106
		"missing usage":         {[]string{`{"role":"assistant","content":[{"type":"text","text":"abcd"}],"stopReason":"stop"}`}, compact.Size{Tokens: 1, TrailingTokens: 1}}, // pitfall 106
		"nothing":               {nil, compact.Size{}},
		"usage of a tool":       {[]string{`{"role":"toolResult","content":"abcd","usage":` + totalUsage(9) + `}`}, compact.Size{Tokens: 1, TrailingTokens: 1}},
		"the last of two usage": {[]string{said(totalUsage(100), "stop"), said(totalUsage(120), "stop")}, compact.Size{120, 120, 0, "e1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := compact.Quarter.Measure(each(tt.messages...))
			if err != nil || got != tt.want {
				t.Errorf("Measure(%v) = %+v, %v; want %+v", tt.messages, got, err, tt.want)
			}
		})
	}
}

// pitfall 105: a count from before the last compaction or edit is of another
// context.
func TestMeasureContext(t *testing.T) {
	folded := message(`{"role":"system","content":"efgh","sections":{"s":"zzzz"},"timestamp":1}`)
	tests := map[string]struct {
		entries     []entry
		want, usage int64
	}{
		"case 14: edit behind the count":       {[]entry{user(4), counted(4, 500), user(8), replace("e0", "ab")}, 4, 0},
		"case 15: edit before the count":       {[]entry{user(4), replace("e0", "ab"), counted(4, 500), user(8)}, 502, 500},
		"case 16: compaction behind the count": {[]entry{user(4), counted(4, 500), compaction("SSSS", "e0"), user(8)}, 5, 0},
		"case 16: count behind the compaction": {[]entry{user(4), counted(4, 500), compaction("SSSS", "e0"), user(8), counted(4, 77)}, 77, 77},
		"case 17: system messages are one":     {[]entry{system(4), user(4), folded}, 5, 0},
		"no usage at all":                      {[]entry{user(4), answer(8)}, 3, 0}, // pitfall 106
		"hidden count":                         {[]entry{user(4), counted(4, 500), hide("e1")}, 1, 0},
		"metadata behind the count":            {[]entry{user(4), counted(4, 500), model, label}, 500, 500},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := chain(t, tt.entries...)
			got, err := compact.Quarter.MeasureContext(s, s.LeafID())
			if err != nil || got.Tokens != tt.want || got.UsageTokens != tt.usage {
				t.Errorf("MeasureContext() = %+v, %v; want %d tokens, %d of them counted", got, err, tt.want, tt.usage)
			}
		})
	}
}
