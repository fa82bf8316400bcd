package format_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
)

// base is the envelope of the lines in the tables.
func base(t format.Type) format.Base {
	return format.Base{Type: t, ID: "i", ParentID: "p", Timestamp: "2026-02-03T22:52:06.410Z"}
}

const place = `"id":"i","parentId":"p","timestamp":"2026-02-03T22:52:06.410Z"`

// entryLines holds every type as pi 1.5.0 writes it, and its decoded value.
var entryLines = map[string]struct {
	line string
	want format.Entry
}{
	"message": {
		`{"type":"message",` + place + `,"message":{"role":"user","content":"hi","timestamp":5}}`,
		&format.MessageEntry{Base: base(format.TypeMessage), Message: &format.User{Content: format.TextContent("hi"), Timestamp: 5}},
	},
	"model_change": {
		`{"type":"model_change",` + place + `,"provider":"openai","modelId":"gpt-5"}`,
		&format.ModelChange{Base: base(format.TypeModelChange), Provider: "openai", ModelID: "gpt-5"},
	},
	"thinking_level_change": {
		`{"type":"thinking_level_change",` + place + `,"thinkingLevel":"high"}`,
		&format.ThinkingLevelChange{Base: base(format.TypeThinkingLevelChange), Level: "high"},
	},
	"compaction": {
		`{"type":"compaction",` + place + `,"summary":"s","firstKeptEntryId":"k","tokensBefore":7}`,
		&format.Compaction{Base: base(format.TypeCompaction), Summary: "s", FirstKeptEntryID: "k", TokensBefore: 7},
	},
	"compaction with all": {
		`{"type":"compaction",` + place + `,"summary":"s","firstKeptEntryId":"i","tokensBefore":7,"details":{"readFiles":[]},` +
			`"usage":` + usageText + `,"fromHook":false,"systemMessage":{"role":"system","content":""}}`,
		&format.Compaction{Base: base(format.TypeCompaction), Summary: "s", FirstKeptEntryID: "i", TokensBefore: 7,
			Details: json.RawMessage(`{"readFiles":[]}`), Usage: &usageValue, FromHook: ref(false),
			SystemMessage: json.RawMessage(`{"role":"system","content":""}`)},
	},
	"branch_summary": {
		`{"type":"branch_summary",` + place + `,"fromId":"root","summary":"s","details":[1],"usage":` + usageText + `,"fromHook":true}`,
		&format.BranchSummary{Base: base(format.TypeBranchSummary), FromID: "root", Summary: "s",
			Details: json.RawMessage(`[1]`), Usage: &usageValue, FromHook: ref(true)},
	},
	"custom": {
		`{"type":"custom","customType":"ext","data":{"k":1},` + place + `}`,
		&format.Custom{Base: base(format.TypeCustom), CustomType: "ext", Data: json.RawMessage(`{"k":1}`)},
	},
	"custom without data": {
		`{"type":"custom","customType":"ext",` + place + `}`,
		&format.Custom{Base: base(format.TypeCustom), CustomType: "ext"},
	},
	"custom_message": {
		`{"type":"custom_message","customType":"ext","content":[{"type":"text","text":"t"}],"display":true,"details":{"d":2},` + place + `}`,
		&format.CustomMessage{Base: base(format.TypeCustomMessage), CustomType: "ext",
			Content: format.BlockContent(&format.TextBlock{Text: "t"}), Display: true, Details: json.RawMessage(`{"d":2}`)},
	},
	"custom_message of Atomic": {
		`{"type":"custom_message","customType":"ext","content":"t","display":false,"excludeFromContext":true,` + place + `}`,
		&format.CustomMessage{Base: base(format.TypeCustomMessage), CustomType: "ext", Content: format.TextContent("t"), ExcludeFromContext: true},
	},
	"label": {
		`{"type":"label",` + place + `,"targetId":"x","label":"mark"}`,
		&format.Label{Base: base(format.TypeLabel), TargetID: "x", Label: "mark"},
	},
	"label cleared": {
		`{"type":"label",` + place + `,"targetId":"x"}`,
		&format.Label{Base: base(format.TypeLabel), TargetID: "x"},
	},
	"session_info": {
		`{"type":"session_info",` + place + `,"name":""}`,
		&format.SessionInfo{Base: base(format.TypeSessionInfo)},
	},
	"usage": {
		`{"type":"usage",` + place + `,"kind":"cache_warm","provider":"p","model":"m","usage":` + usageText + `,"note":"n"}`,
		&format.UsageEntry{Base: base(format.TypeUsage), Kind: "cache_warm", Provider: "p", Model: "m", Usage: usageValue, Note: "n"},
	},
	"context_edit that hides": {
		`{"type":"context_edit",` + place + `,"targetId":"x","replacement":null}`,
		&format.ContextEdit{Base: base(format.TypeContextEdit), TargetID: "x"},
	},
	"context_edit that replaces": {
		`{"type":"context_edit",` + place + `,"targetId":"x","replacement":{"content":"c"}}`,
		&format.ContextEdit{Base: base(format.TypeContextEdit), TargetID: "x", Replacement: ref(format.TextContent("c"))},
	},
	"root": {
		`{"type":"label","id":"i","parentId":null,"timestamp":"t","targetId":"x"}`,
		&format.Label{Base: format.Base{Type: format.TypeLabel, ID: "i", Timestamp: "t"}, TargetID: "x"},
	},
	"unknown": {
		`{"type":"future",` + place + `}`,
		&format.UnknownEntry{Base: base("future")},
	},
}

func TestEntryTypes(t *testing.T) {
	for name, tt := range entryLines {
		t.Run(name, func(t *testing.T) {
			got, err := format.DecodeEntry([]byte(tt.line))
			if err != nil {
				t.Fatalf("DecodeEntry(%s): %v", tt.line, err)
			}
			compareValues(t, "DecodeEntry", got, tt.want)
			if back := format.AppendEntry(nil, got); string(back) != tt.line {
				t.Errorf("AppendEntry(decoded) = %s, want %s", back, tt.line)
			}
			if made := format.AppendEntry([]byte("> "), tt.want); string(made) != "> "+tt.line {
				t.Errorf("AppendEntry(made in memory) = %s\nwant %s", made, "> "+tt.line)
			}
		})
	}
}

// Lines of other writers, and odd lines: each decodes to the value next to it.
func TestEntryTolerance(t *testing.T) {
	tests := map[string]struct {
		line string
		want format.Entry
	}{
		"oh-my-pi model": {
			`{"type":"model_change","model":"openrouter/a/b","role":"smol"}`,
			&format.ModelChange{Base: format.Base{Type: format.TypeModelChange}, Provider: "openrouter", ModelID: "a/b", Role: "smol"},
		},
		"oh-my-pi model without a provider": {
			`{"type":"model_change","model":"gpt"}`,
			&format.ModelChange{Base: format.Base{Type: format.TypeModelChange}, ModelID: "gpt"},
		},
		"provider and modelId count more than model": {
			`{"type":"model_change","model":"a/b","provider":"p","modelId":"m"}`,
			&format.ModelChange{Base: format.Base{Type: format.TypeModelChange}, Provider: "p", ModelID: "m"},
		},
		"oh-my-pi fromExtension": {
			`{"type":"compaction","firstKeptEntryId":null,"fromExtension":true,"fromHook":false}`,
			&format.Compaction{Base: format.Base{Type: format.TypeCompaction}, FromHook: ref(true)},
		},
		"null thinking level": {
			`{"type":"thinking_level_change","thinkingLevel":null}`,
			&format.ThinkingLevelChange{Base: format.Base{Type: format.TypeThinkingLevelChange}},
		},
		"wrong types everywhere": { // pitfall 16
			`{"type":"compaction","id":7,"parentId":{},"timestamp":[],"summary":1,"tokensBefore":"9","usage":3,"fromHook":"yes"}`,
			&format.Compaction{Base: format.Base{Type: format.TypeCompaction}},
		},
		"message without a message": { // pitfall 16
			`{"type":"message"}`,
			&format.MessageEntry{Base: format.Base{Type: format.TypeMessage}, Message: &format.UnknownMessage{}},
		},
		"message that is no object": { // pitfall 16
			`{"type":"message","message":[1]}`,
			&format.MessageEntry{Base: format.Base{Type: format.TypeMessage}, Message: &format.UnknownMessage{}},
		},
		"no type": { // pitfall 16
			`{"id":"i"}`,
			&format.UnknownEntry{Base: format.Base{ID: "i"}},
		},
		"type that is no string": { // pitfall 16
			`{"type":5,"id":"i"}`,
			&format.UnknownEntry{Base: format.Base{ID: "i"}},
		},
		"second header": { // pitfall 15
			`{"type":"session","version":3,"id":"other"}`,
			&format.UnknownEntry{Base: format.Base{Type: format.TypeSession, ID: "other"}},
		},
		"case of names counts": { // F11
			`{"type":"label","Label":"no","TARGETID":"no","label":"yes"}`,
			&format.Label{Base: format.Base{Type: format.TypeLabel}, Label: "yes"},
		},
		"last of equal names counts": { // F11
			`{"type":"message","type":"label","id":"a","id":"b","label":"x","label":null}`,
			&format.Label{Base: format.Base{Type: format.TypeLabel, ID: "b"}},
		},
		"names with escapes": {
			`{"\u0074ype":"label","\u0069d":"i","lab\u0065l":"x"}`,
			&format.Label{Base: format.Base{Type: format.TypeLabel, ID: "i"}, Label: "x"},
		},
		"context edit without content": {
			`{"type":"context_edit","targetId":"x","replacement":{}}`,
			&format.ContextEdit{Base: format.Base{Type: format.TypeContextEdit}, TargetID: "x", Replacement: &format.Content{}},
		},
		"white space": {
			" {\t\"type\" : \"session_info\" , \"name\":\"n\" } \r",
			&format.SessionInfo{Base: format.Base{Type: format.TypeSessionInfo}, Name: "n"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := format.DecodeEntry([]byte(tt.line))
			if err != nil {
				t.Fatalf("DecodeEntry(%s): %v", tt.line, err)
			}
			compareValues(t, "DecodeEntry", got, tt.want)
			if back := format.AppendEntry(nil, got); string(back) != tt.line { // pitfall 18
				t.Errorf("AppendEntry = %s, want %s", back, tt.line)
			}
		})
	}
}

// pitfall 16: JSON that is not an object is rejected as a line, without further
// effects.
func TestDecodeEntryErrors(t *testing.T) {
	for _, line := range []string{``, ` `, `null`, `5`, `"x"`, `[]`, `{`, `{"type":"message"`, `{"a":}`, "{\"a\":\"\n\"}", `{} {}`, "\x00\x00"} {
		e, err := format.DecodeEntry([]byte(line))
		if !errors.Is(err, format.ErrSyntax) || e != nil {
			t.Errorf("DecodeEntry(%q) = %v, %v, want an error that wraps ErrSyntax", line, e, err)
		}
	}
}

// Encoded lines never contain a line feed (F1), whatever raw JSON a caller
// supplies.
func TestAppendEntryOneLine(t *testing.T) {
	tests := map[string]struct {
		e    format.Entry
		want string
	}{
		"raw entry over several lines": {
			&format.UnknownEntry{Base: format.Base{Raw: json.RawMessage("{\n  \"type\": \"x\",\r\n  \"v\": 1.0e2\n}")}},
			`{"type":"x","v":1.0e2}`,
		},
		"raw entry that is not JSON": {
			&format.UnknownEntry{Base: format.Base{Type: "x", ID: "i", Timestamp: "t", Raw: json.RawMessage("{\n")}},
			`{"type":"x","id":"i","parentId":null,"timestamp":"t"}`,
		},
		"data over several lines": {
			&format.Custom{CustomType: "c", Data: json.RawMessage("{\n\"a\" : [ 1 ]\n}")},
			`{"type":"custom","customType":"c","data":{"a":[1]},"id":"","parentId":null,"timestamp":""}`,
		},
		"data that is not JSON": {
			&format.Custom{CustomType: "c", Data: json.RawMessage("oh\nno")},
			`{"type":"custom","customType":"c","data":"oh\nno","id":"","parentId":null,"timestamp":""}`,
		},
		"no message": {
			&format.MessageEntry{},
			`{"type":"message","id":"","parentId":null,"timestamp":"","message":null}`,
		},
	}
	for name, tt := range tests {
		if got := format.AppendEntry(nil, tt.e); string(got) != tt.want {
			t.Errorf("%s: AppendEntry = %s, want %s", name, got, tt.want)
		}
	}
}

func TestBaseTime(t *testing.T) {
	b := format.Base{Timestamp: "2026-02-03T22:52:06.410Z"}
	if at, ok := b.Time(); !ok || at.UnixMilli() != 1770159126410 {
		t.Errorf("Time() = %v, %v, want 1770159126410 ms, true", at, ok)
	}
	b.Timestamp = "Invalid Date"
	if at, ok := b.Time(); ok {
		t.Errorf("Time() of %q = %v, true, want false", b.Timestamp, at)
	}
}

func TestBookkeeping(t *testing.T) {
	tests := []struct {
		t          format.Type
		customType string
		want       bool
	}{
		{format.TypeLabel, "", true}, {format.TypeSessionInfo, "", true}, {format.TypeUsage, "", true},
		{format.TypeCustom, "ext", true}, {format.TypeCustom, format.LeafCustomType, false},
		{format.TypeSessionSummary, "", true}, {format.TypeTitleChange, "", true}, {format.TypeModelUsage, "", true},
		{format.TypeMessage, "", false}, {format.TypeModelChange, "", false}, {format.TypeCompaction, "", false},
		{format.TypeCustomMessage, "ext", false}, {"future", "", false}, {"", "", false},
	}
	for _, tt := range tests {
		if got := format.Bookkeeping(tt.t, tt.customType); got != tt.want {
			t.Errorf("Bookkeeping(%q, %q) = %v, want %v", tt.t, tt.customType, got, tt.want)
		}
	}
}

// The leaf of an abandoned branch is known only if the entry does not name
// where it continues.
func TestLeftAt(t *testing.T) {
	for from, want := range map[[2]string]string{{"b", "a"}: "b", {"a", "a"}: "", {"root", ""}: "", {"root", "a"}: "root", {"", "a"}: ""} {
		b := format.BranchSummary{Base: format.Base{ParentID: from[1]}, FromID: from[0]}
		if got := b.LeftAt(); got != want {
			t.Errorf("LeftAt() of %q below %q = %q, want %q", from[0], from[1], got, want)
		}
	}
}

// Content that was read is written as it was, white space and all, also in a message
// that is new; only line feeds between its tokens go (F1).
func TestContentIsKept(t *testing.T) {
	for content, want := range map[string]string{
		`[ {"type":"text",  "text":"a\u0041"} ]`:   `[ {"type":"text",  "text":"a\u0041"} ]`,
		"[\n{\"type\":\"text\",  \"text\":\"a\"}]": `[{"type":"text","text":"a"}]`,
	} {
		m, err := format.DecodeMessage([]byte(`{"role":"user","content":` + content + `}`))
		if err != nil {
			t.Fatal(err)
		}
		line := string(format.AppendEntry(nil, &format.MessageEntry{Message: &format.User{Content: m.(*format.User).Content, Timestamp: 1}}))
		if !strings.Contains(line, `"content":`+want) || strings.Contains(line, "\n") {
			t.Errorf("the content %q is written as %s", content, line)
		}
	}
}
