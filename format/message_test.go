package format_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/format"
)

const usageText = `{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,` +
	`"cost":{"input":0.01,"output":0.02,"cacheRead":0,"cacheWrite":1e-7,"total":0.03}}`

var usageValue = format.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, TotalTokens: 10,
	Cost: format.Cost{Input: 0.01, Output: 0.02, CacheWrite: 1e-7, Total: 0.03}}

// messageLines holds every role as pi writes it, and its decoded value.
var messageLines = map[string]struct {
	text string
	want format.Message
}{
	"user": {
		`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"timestamp":5}`,
		&format.User{Content: format.BlockContent(&format.TextBlock{Text: "a"}, &format.ImageBlock{Data: "aGk=", MimeType: "image/png"}), Timestamp: 5},
	},
	"assistant": {
		`{"role":"assistant","content":[{"type":"thinking","thinking":"t","thinkingSignature":"s","redacted":true},` +
			`{"type":"text","text":"b","textSignature":"ts"},` +
			`{"type":"toolCall","id":"c","name":"n","arguments":{"x":1},"thoughtSignature":"th","namespace":"ns"}],` +
			`"api":"a","provider":"p","model":"m","usage":` + usageText + `,"stopReason":"error","timestamp":5,` +
			`"responseModel":"rm","responseId":"ri","errorMessage":"e","thinkingLevel":"high"}`,
		&format.Assistant{Content: format.BlockContent(
			&format.ThinkingBlock{Thinking: "t", ThinkingSignature: "s", Redacted: true},
			&format.TextBlock{Text: "b", TextSignature: "ts"},
			&format.ToolCallBlock{ID: "c", Name: "n", Arguments: json.RawMessage(`{"x":1}`), ThoughtSignature: "th", Namespace: "ns"},
		), API: "a", Provider: "p", Model: "m", Usage: usageValue, StopReason: "error", Timestamp: 5,
			ResponseModel: "rm", ResponseID: "ri", ErrorMessage: "e", ThinkingLevel: "high"},
	},
	"assistant that said nothing": {
		`{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","usage":` + usageText + `,"stopReason":"stop","timestamp":5}`,
		&format.Assistant{API: "a", Provider: "p", Model: "m", Usage: usageValue, StopReason: "stop", Timestamp: 5},
	},
	"toolResult": {
		`{"role":"toolResult","toolCallId":"c","toolName":"n","content":[],"details":{"d":1},"isError":true,"usage":` + usageText + `,"durationMs":9,"timestamp":5}`,
		&format.ToolResult{ToolCallID: "c", ToolName: "n", Details: json.RawMessage(`{"d":1}`), IsError: true, Usage: &usageValue, DurationMs: 9, Timestamp: 5},
	},
	"toolResult, short": {
		`{"role":"toolResult","toolCallId":"c","toolName":"n","content":[{"type":"text","text":"plain"}],"isError":false,"timestamp":5}`,
		&format.ToolResult{ToolCallID: "c", ToolName: "n", Content: format.BlockContent(&format.TextBlock{Text: "plain"}), Timestamp: 5},
	},
	"bashExecution": {
		`{"role":"bashExecution","command":"ls","output":"o","exitCode":0,"cancelled":false,"truncated":true,"fullOutputPath":"/f","timestamp":5,"excludeFromContext":true}`,
		&format.BashExecution{Command: "ls", Output: "o", ExitCode: ref(int64(0)), Truncated: true, FullOutputPath: "/f", Timestamp: 5, ExcludeFromContext: true},
	},
	"bashExecution cancelled": {
		`{"role":"bashExecution","command":"ls","output":"","cancelled":true,"truncated":false,"timestamp":5}`,
		&format.BashExecution{Command: "ls", Cancelled: true, Timestamp: 5},
	},
	"custom": {
		`{"role":"custom","customType":"x","content":"c","display":true,"details":[],"timestamp":5,"excludeFromContext":true}`,
		&format.CustomRole{CustomType: "x", Content: format.TextContent("c"), Display: true, Details: json.RawMessage(`[]`), Timestamp: 5, ExcludeFromContext: true},
	},
	"system": {
		`{"role":"system","content":"","sections":{"a":"b","c":null},"toolsAdded":[{"name":"read"}],"toolsRemoved":[{"name":"ls"}],"timestamp":5}`,
		&format.System{Content: format.TextContent(""), Sections: json.RawMessage(`{"a":"b","c":null}`),
			ToolsAdded: json.RawMessage(`[{"name":"read"}]`), ToolsRemoved: json.RawMessage(`[{"name":"ls"}]`), Timestamp: 5},
	},
	"branchSummary": {
		`{"role":"branchSummary","summary":"s","fromId":"f","timestamp":5}`,
		&format.BranchSummaryMessage{Summary: "s", FromID: "f", Timestamp: 5},
	},
	"compactionSummary": {
		`{"role":"compactionSummary","summary":"s","tokensBefore":7,"timestamp":5}`,
		&format.CompactionSummaryMessage{Summary: "s", TokensBefore: 7, Timestamp: 5},
	},
	"unknown role": {
		`{"role":"developer","content":"c","timestamp":5}`,
		&format.UnknownMessage{RoleName: format.RoleDeveloper, Content: format.TextContent("c"), Timestamp: 5},
	},
}

func TestMessageRoles(t *testing.T) {
	for name, tt := range messageLines {
		t.Run(name, func(t *testing.T) {
			got, err := format.DecodeMessage([]byte(tt.text))
			if err != nil {
				t.Fatalf("DecodeMessage(%s): %v", tt.text, err)
			}
			compareValues(t, "DecodeMessage", got, tt.want)
			if got.Role() != tt.want.Role() {
				t.Errorf("Role() = %q, want %q", got.Role(), tt.want.Role())
			}
			if at, ok := got.Time(); !ok || at.UnixMilli() != 5 {
				t.Errorf("Time() = %v, %v, want 5 ms, true", at, ok)
			}
			for _, m := range []format.Message{got, tt.want} {
				if back := format.AppendMessage(nil, m); string(back) != tt.text {
					t.Errorf("AppendMessage = %s\nwant %s", back, tt.text)
				}
				if raw := m.Raw(); string(raw) != tt.text {
					t.Errorf("Raw() = %s\nwant %s", raw, tt.text)
				}
			}
		})
	}
}

// pitfall 17: null, missing and odd content is accepted for every role.
func TestContentOfEveryRole(t *testing.T) {
	contents := map[string]struct {
		member string
		text   string
		blocks int
	}{
		"missing":        {``, "", 0},
		"null":           {`,"content":null`, "", 0},
		"string":         {`,"content":"a b"`, "a b", 0},
		"empty list":     {`,"content":[]`, "", 0},
		"blocks":         {`,"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]`, "a b", 3},
		"object":         {`,"content":{"type":"text","text":"a"}`, "", 0},
		"number":         {`,"content":5`, "", 0},
		"list of others": {`,"content":["a",null,7,[],{}]`, "", 5},
	}
	roles := []format.Role{format.RoleSystem, format.RoleUser, format.RoleAssistant, format.RoleToolResult,
		format.RoleCustom, format.RoleHookMessage, format.RoleDeveloper, ""}
	for name, tt := range contents {
		for _, role := range roles {
			text := `{"role":"` + string(role) + `"` + tt.member + `}`
			m, err := format.DecodeMessage([]byte(text))
			if err != nil {
				t.Errorf("DecodeMessage(%s): %v", text, err)
				continue
			}
			c := contentOf(t, m)
			if got := c.PlainText(); got != tt.text || len(c.Blocks) != tt.blocks {
				t.Errorf("%s: DecodeMessage(%s) has text %q and %d blocks, want %q and %d", name, text, got, len(c.Blocks), tt.text, tt.blocks)
			}
			if string(m.Raw()) != text {
				t.Errorf("%s: Raw() = %s, want %s", name, m.Raw(), text)
			}
		}
	}
}

func contentOf(t *testing.T, m format.Message) format.Content {
	t.Helper()
	switch m := m.(type) {
	case *format.System:
		return m.Content
	case *format.User:
		return m.Content
	case *format.Assistant:
		return m.Content
	case *format.ToolResult:
		return m.Content
	case *format.CustomRole:
		return m.Content
	case *format.UnknownMessage:
		return m.Content
	}
	t.Fatalf("message %T has no content", m)
	return format.Content{}
}

func TestMessageTolerance(t *testing.T) {
	tests := map[string]struct {
		text string
		want format.Message
	}{
		"version 2 hook message": { // pitfall 98
			`{"role":"hookMessage","customType":"h","content":"c","display":true,"timestamp":5}`,
			&format.CustomRole{CustomType: "h", Content: format.TextContent("c"), Display: true, Timestamp: 5},
		},
		"old usage": {
			`{"role":"assistant","usage":{"input":1,"output":2.9,"cost":{"total":"0.1"}}}`,
			&format.Assistant{Usage: format.Usage{Input: 1, Output: 2}},
		},
		"usage that is no object": {
			`{"role":"assistant","usage":null,"stopReason":5}`,
			&format.Assistant{},
		},
		"no role": {
			`{"content":"c"}`,
			&format.UnknownMessage{Content: format.TextContent("c")},
		},
		"exit code that is null": {
			`{"role":"bashExecution","exitCode":null,"cancelled":1}`,
			&format.BashExecution{},
		},
		"timestamp as text": {
			`{"role":"user","timestamp":"2026-02-03T22:52:06.410Z"}`,
			&format.User{},
		},
		"provider's total": {
			`{"role":"toolResult","usage":{"cacheWrite1h":4,"reasoning":5,"cost":{"total":0.5,"totalFromProvider":true}}}`,
			&format.ToolResult{Usage: &format.Usage{CacheWrite1h: 4, Reasoning: 5, Cost: format.Cost{Total: 0.5, TotalFromProvider: true}}},
		},
	}
	for name, tt := range tests {
		got, err := format.DecodeMessage([]byte(tt.text))
		if err != nil {
			t.Errorf("%s: DecodeMessage(%s): %v", name, tt.text, err)
			continue
		}
		compareValues(t, name+": DecodeMessage", got, tt.want)
	}
}

func TestDecodeMessageErrors(t *testing.T) {
	for _, text := range []string{``, `null`, `[]`, `"x"`, `{"role":`} {
		if m, err := format.DecodeMessage([]byte(text)); !errors.Is(err, format.ErrSyntax) || m != nil {
			t.Errorf("DecodeMessage(%q) = %v, %v, want an error that wraps ErrSyntax", text, m, err)
		}
	}
}

func TestMissingMessage(t *testing.T) {
	e, err := format.DecodeEntry([]byte(`{"type":"message"}`))
	if err != nil {
		t.Fatal(err)
	}
	m := e.(*format.MessageEntry).Message
	if m.Raw() != nil || m.Role() != "" {
		t.Errorf("message of an entry without one: Raw() = %s, Role() = %q, want nil and empty", m.Raw(), m.Role())
	}
	if at, ok := m.Time(); ok {
		t.Errorf("Time() = %v, true, want false", at)
	}
}

func TestNewUser(t *testing.T) {
	m := format.NewUser("a\"b", time.UnixMilli(1770159126410))
	want := `{"role":"user","content":[{"type":"text","text":"a\"b"}],"timestamp":1770159126410}`
	if got := string(m.Raw()); got != want {
		t.Errorf("NewUser().Raw() = %s, want %s", got, want)
	}
}

func TestWithContent(t *testing.T) {
	const text = `{ "role":"assistant", "content":[1], "x":{"y":1.50}, "usage":{"input":1} }`
	m, err := format.DecodeMessage([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := format.WithContent(m, format.BlockContent(&format.TextBlock{Text: "new"}))
	want := strings.Replace(text, `[1]`, `[{"type":"text","text":"new"}]`, 1)
	if string(got.Raw()) != want {
		t.Errorf("WithContent().Raw() = %s, want %s", got.Raw(), want)
	}
	if a, ok := got.(*format.Assistant); !ok || a.Content.PlainText() != "new" || a.Usage.Input != 1 {
		t.Errorf("WithContent() = %+v, want an assistant with the new text and its usage", got)
	}
	if string(m.Raw()) != text {
		t.Errorf("WithContent changed its argument: %s, want %s", m.Raw(), text)
	}
	made := format.WithContent(&format.User{Timestamp: 5}, format.TextContent("x"))
	if got, want := string(made.Raw()), `{"role":"user","content":"x","timestamp":5}`; got != want {
		t.Errorf("WithContent(made in memory).Raw() = %s, want %s", got, want)
	}
}

// Blocks that were decoded keep their bytes when they are put into other content.
func TestBlocksKeepTheirBytes(t *testing.T) { // pitfalls 18, 19, 20
	const blocks = `[{"type":"toolCall","id":"c","name":"n","arguments":{"z":1.50,"a":"\ud83d"},"partialJson":"{"},{"type":"future","v":1e2},"bare"]`
	m, err := format.DecodeMessage([]byte(`{"role":"user","content":` + blocks + `}`))
	if err != nil {
		t.Fatal(err)
	}
	c := format.BlockContent(m.(*format.User).Content.Blocks...)
	if got := format.AppendContent(nil, c); string(got) != blocks {
		t.Errorf("AppendContent = %s, want %s", got, blocks)
	}
	call := m.(*format.User).Content.Blocks[0].(*format.ToolCallBlock)
	if got, want := string(call.Arguments), `{"z":1.50,"a":"\ud83d"}`; got != want {
		t.Errorf("Arguments = %s, want %s", got, want)
	}
	if u, ok := m.(*format.User).Content.Blocks[1].(*format.UnknownBlock); !ok || u.Type != "future" || string(u.JSON()) != `{"type":"future","v":1e2}` {
		t.Errorf("Blocks[1] = %#v, want an UnknownBlock with its bytes", m.(*format.User).Content.Blocks[1])
	}
}

func TestToolCallWithoutArguments(t *testing.T) {
	b := &format.ToolCallBlock{ID: "c", Name: "n"}
	if got, want := string(b.JSON()), `{"type":"toolCall","id":"c","name":"n","arguments":{}}`; got != want {
		t.Errorf("JSON() = %s, want %s", got, want)
	}
}

// pitfall 19: a lone surrogate escape survives decoding and encoding again.
func TestLoneSurrogates(t *testing.T) {
	const line = `{"type":"session_info","id":"i","parentId":null,"timestamp":"t","name":"a\ud83d b\udc00"}`
	if got := format.AppendEntry(nil, rebuilt(t, []byte(line))); string(got) != line {
		t.Errorf("AppendEntry(encoded anew) = %s, want %s", got, line)
	}
}

func TestPlus(t *testing.T) {
	for _, tt := range []struct{ a, b, want int64 }{
		{2, 3, 5}, {2, -3, 2}, {-3, 2, 2}, {math.MinInt64, math.MinInt64, 0},
		{math.MaxInt64, 1, math.MaxInt64}, {1, math.MaxInt64, math.MaxInt64}, {math.MaxInt64, -1, math.MaxInt64},
	} {
		if got := format.Plus(tt.a, tt.b); got != tt.want {
			t.Errorf("Plus(%d, %d) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// pi reads the content of answers and results as a list: a string in it is written
// as one.
func TestContentThatPiReads(t *testing.T) {
	text := format.TextContent("hi")
	decoded := format.DecodeContent([]byte(`"hi"`))
	for name, tt := range map[string]struct {
		m    format.Message
		want string
	}{
		"answer":          {&format.Assistant{Content: text}, `[{"type":"text","text":"hi"}]`},
		"answer, decoded": {&format.Assistant{Content: decoded}, `[{"type":"text","text":"hi"}]`},
		"answer, empty":   {&format.Assistant{Content: format.TextContent("")}, `[]`},
		"result":          {&format.ToolResult{Content: text}, `[{"type":"text","text":"hi"}]`},
		"user":            {&format.User{Content: text}, `"hi"`},
	} {
		var got struct{ Content json.RawMessage }
		if err := json.Unmarshal(tt.m.Raw(), &got); err != nil || string(got.Content) != tt.want {
			t.Errorf("%s: content = %s, %v; want %s", name, got.Content, err, tt.want)
		}
	}
}

// A message made in memory is written with the members of its role.
func TestMadeMessages(t *testing.T) {
	at, exit := time.UnixMilli(5), int64(2)
	for _, tt := range []struct {
		m    format.Message
		want string
	}{
		{format.NewUser("a", at), `{"role":"user","content":[{"type":"text","text":"a"}],"timestamp":5}`},
		{format.NewToolResult("c", "read", "a", at), `{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":"a"}],"isError":false,"timestamp":5}`},
		{&format.BashExecution{Command: "ls", Output: "o", ExitCode: &exit, Timestamp: 5}, `{"role":"bashExecution","command":"ls","output":"o","exitCode":2,"cancelled":false,"truncated":false,"timestamp":5}`},
		{&format.CustomRole{CustomType: "x", Content: format.TextContent("a"), Display: true, Timestamp: 5}, `{"role":"custom","customType":"x","content":"a","display":true,"timestamp":5}`},
		{&format.System{Content: format.TextContent("a"), Timestamp: 5}, `{"role":"system","content":"a","timestamp":5}`},
		{&format.BranchSummaryMessage{Summary: "s", FromID: "f", Timestamp: 5}, `{"role":"branchSummary","summary":"s","fromId":"f","timestamp":5}`},
		{&format.CompactionSummaryMessage{Summary: "s", TokensBefore: 7, Timestamp: 5}, `{"role":"compactionSummary","summary":"s","tokensBefore":7,"timestamp":5}`},
	} {
		if got := string(tt.m.Raw()); got != tt.want {
			t.Errorf("%T = %s\nwant %s", tt.m, got, tt.want)
		}
	}
	if a := format.NewAssistant("a", at); a.StopReason != "stop" || a.Content.Joined() != "a" || a.Timestamp != 5 {
		t.Errorf("NewAssistant = %+v; want a whole answer", a)
	}
}

// The content of a message is read in one way for all roles.
func TestContentOf(t *testing.T) {
	at := time.UnixMilli(5)
	for _, m := range []format.Message{
		&format.System{Content: format.TextContent("said")}, format.NewUser("said", at), format.NewAssistant("said", at), format.NewToolResult("c", "read", "said", at),
		&format.CustomRole{CustomType: "x", Content: format.TextContent("said")}, &format.BashExecution{Command: "ls", Output: "said"},
		&format.BranchSummaryMessage{Summary: "said", FromID: "f"}, &format.CompactionSummaryMessage{Summary: "said", TokensBefore: 7},
	} {
		if got, ok := format.ContentOf(m); !ok || got.PlainText() != "said" {
			t.Errorf("ContentOf(%s) = %q, %v", m.Role(), got.PlainText(), ok)
		}
	}
}
