package format_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/pith-sessions/pith/format"
)

// The display text of lines and messages that pi does not write.
func TestDisplayText(t *testing.T) {
	for _, tt := range []struct {
		typ        format.Type
		line, want string
	}{
		{format.TypeTitleChange, `{"title":"Parser"}`, "Parser"},
		{format.TypeModeChange, `{"mode":"plan"}`, "plan"},
		{format.TypeSessionSummary, `{"summary":"did it"}`, "did it"},
		{format.TypeSessionInit, `{"task":"look"}`, "look"},
		{format.TypeCustom, `{"customType":"experimental_context_notes","data":{"text":"notes"}}`, "notes"},
		{format.TypeCustom, `{"customType":"other","data":{"text":"notes"}}`, ""},
		{format.TypeCustom, `{"customType":"experimental_context_notes","data":"notes"}`, ""},
		{"hologram", `{"title":"Parser"}`, ""},
	} {
		if got := format.DisplayText(tt.typ, []byte(tt.line)); got != tt.want {
			t.Errorf("DisplayText(%s, %s) = %q, want %q", tt.typ, tt.line, got, tt.want)
		}
	}
	for raw, want := range map[string]string{
		`{"role":"pythonExecution","code":"print(1)","output":"1\n"}`:                                      "print(1)\n1",
		`{"role":"fileMention","files":[{"path":"a.go","content":"package a"},3,{"path":"b.go"},{"x":1}]}`: "a.go\npackage a\nb.go",
		`{"role":"fileMention","files":"none"}`:                                                            "",
		`{"role":"oracle","output":"1"}`:                                                                   "",
	} {
		m, err := format.DecodeMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.(*format.UnknownMessage).DisplayText(); got != want {
			t.Errorf("DisplayText of %s = %q, want %q", raw, got, want)
		}
	}
	if got := (&format.UnknownMessage{RoleName: format.RoleFileMention}).DisplayText(); got != "" {
		t.Errorf("DisplayText of a message without bytes = %q", got)
	}
}

// The prompt is the text and the sections, in their order, those that say something.
func TestSystemState(t *testing.T) {
	got := format.DecodeSystemState([]byte(`{"role":"system","content":"Be kind.","sections":{"b":"Second.","a":"","c":"Third."},"toolsAdded":[{"name":"read","x":1},{"name":"bash"}]}`))
	if want := "Be kind.\n\nSecond.\n\nThird."; got.Prompt() != want {
		t.Errorf("Prompt() = %q, want %q", got.Prompt(), want)
	}
	if len(got.Sections) != 3 || got.Sections[0].Name != "b" || len(got.Tools) != 2 || got.Tools[1].Name != "bash" || string(got.Tools[0].Raw) != `{"name":"read","x":1}` {
		t.Errorf("DecodeSystemState = %+v", got)
	}
	if got := format.DecodeSystemState([]byte(`{}`)).Prompt(); got != "" {
		t.Errorf("Prompt() of nothing = %q", got)
	}
}

// The content of a message of any role, and the type with which an entry is
// written.
func TestContentAndType(t *testing.T) {
	at := time.UnixMilli(1)
	for _, m := range []format.Message{
		format.NewUser("said", at), &format.CustomRole{CustomType: "x", Content: format.TextContent("said")}, &format.System{Content: format.TextContent("said")},
		&format.BranchSummaryMessage{Summary: "said", FromID: "e"}, &format.CompactionSummaryMessage{Summary: "said", TokensBefore: 1},
		&format.Assistant{Content: format.TextContent("said")}, &format.ToolResult{Content: format.TextContent("said")},
		&format.BashExecution{Command: "ls", Output: "said"}, &format.UnknownMessage{RoleName: "oracle", Content: format.TextContent("said")},
	} {
		if c, ok := format.ContentOf(m); !ok || c.Joined() != "said" {
			t.Errorf("ContentOf(%T) = %+v, %v", m, c, ok)
		}
	}
	for _, m := range []format.Message{nil, &format.UnknownMessage{}} {
		if c, ok := format.ContentOf(m); ok {
			t.Errorf("ContentOf(%T) = %+v; want none", m, c)
		}
	}
	entries := map[format.Type]format.Entry{
		format.TypeMessage: &format.MessageEntry{Message: format.NewUser("x", at)}, format.TypeModelChange: &format.ModelChange{},
		format.TypeThinkingLevelChange: &format.ThinkingLevelChange{}, format.TypeCompaction: &format.Compaction{},
		format.TypeBranchSummary: &format.BranchSummary{}, format.TypeCustom: &format.Custom{}, format.TypeCustomMessage: &format.CustomMessage{},
		format.TypeLabel: &format.Label{}, format.TypeSessionInfo: &format.SessionInfo{}, format.TypeUsage: &format.UsageEntry{},
		format.TypeContextEdit: &format.ContextEdit{}, "hologram": &format.UnknownEntry{Base: format.Base{Type: "hologram"}},
	}
	for want, e := range entries {
		if got := format.TypeOf(e); got != want {
			t.Errorf("TypeOf(%T) = %q, want %q", e, got, want)
		}
	}
	decoded, err := format.DecodeEntry([]byte(`{"type":"hologram","id":"a"}`))
	if err != nil || format.TypeOf(decoded) != "hologram" {
		t.Errorf("TypeOf of a decoded entry = %q, %v", format.TypeOf(decoded), err)
	}
}

// Blocks are written as pi writes them, and decoded ones as they were.
func TestBlockJSON(t *testing.T) {
	for want, b := range map[string]format.Block{
		`{"type":"text","text":"a <b>"}`:                        &format.TextBlock{Text: "a <b>"},
		`{"type":"thinking","thinking":"hm"}`:                   &format.ThinkingBlock{Thinking: "hm"},
		`{"type":"image","data":"aGk=","mimeType":"image/png"}`: &format.ImageBlock{Data: "aGk=", MimeType: "image/png"},
		`{"type":"hologram","x":1.0}`:                           &format.UnknownBlock{Type: "hologram", Raw: json.RawMessage(`{"type":"hologram","x":1.0}`)},
	} {
		if got := string(b.JSON()); got != want {
			t.Errorf("JSON of %+v = %s, want %s", b, got, want)
		}
	}
	for id, want := range map[string]string{"": `{"leaf":null}`, "a\"b": `{"leaf":"a\"b"}`} {
		if got := string(format.LeafData(id)); got != want {
			t.Errorf("LeafData(%q) = %s, want %s", id, got, want)
		}
	}
}

// JSON leaves what is JSON as it is, and does not escape for HTML.
func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{nil, ""}, {json.RawMessage(`{ "a":1 }`), `{ "a":1 }`}, {[]byte(`[1 ]`), `[1 ]`}, {map[string]string{"a": "<&>"}, `{"a":"<&>"}`},
	} {
		if got, err := format.JSON(tt.value); err != nil || string(got) != tt.want {
			t.Errorf("JSON(%v) = %s, %v; want %s", tt.value, got, err, tt.want)
		}
	}
	if got, err := format.JSON(make(chan int)); err == nil {
		t.Errorf("JSON of a channel = %s", got)
	}
	kind := errors.New("kind")
	if err := error(&format.ValueError{Name: "id", Value: "x", Text: "x is no id", Err: kind}); err.Error() != "x is no id" || !errors.Is(err, kind) {
		t.Errorf("a ValueError reads %q", err)
	}
}
