package entryline_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/format"
)

// entry decodes an entry of a type with members.
func entry(t *testing.T, kind, members string) format.Entry {
	t.Helper()
	line := `{"type":"` + kind + `","id":"e1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z",` + members + `}`
	e, err := format.DecodeEntry([]byte(line))
	if err != nil {
		t.Fatalf("DecodeEntry(%s): %v", line, err)
	}
	return e
}

func message(role, members string) string {
	return `"message":{"role":"` + role + `",` + members + `,"timestamp":1}`
}

func text(s string) string { return `"content":[{"type":"text","text":"` + s + `"}]` }

// How entries are shown, searched and copied.
func TestEntries(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := map[string]struct {
		kind, members      string
		told, search, copy string
		silent             bool
	}{
		"user":           {"message", message("user", text(`Hello\n there`)), "user: Hello  there", "user hello\n there", "Hello\n there", false},
		"user, string":   {"message", message("user", `"content":"Hi"`), "user: Hi", "user hi", "Hi", false},
		"assistant":      {"message", message("assistant", text("Yes")+`,"stopReason":"stop"`), "assistant: Yes", "assistant yes", "Yes", false},
		"two blocks":     {"message", message("assistant", `"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]`), "assistant: ab", "assistant ab", "ab", false},
		"silent":         {"message", message("assistant", `"content":[],"stopReason":"toolUse"`), "assistant: (no content)", "assistant ", "", true},
		"aborted":        {"message", message("assistant", `"content":[],"stopReason":"aborted"`), "assistant: (aborted)", "assistant ", "", false},
		"failed":         {"message", message("assistant", `"content":[],"stopReason":"error","errorMessage":"overloaded"`), "assistant: overloaded", "assistant ", "overloaded", false},
		"result":         {"message", message("toolResult", `"toolCallId":"c9","toolName":"deploy",`+text("done")), "[deploy]", "toolresult done", "done", false},
		"nameless":       {"message", message("toolResult", `"toolCallId":"c9",`+text("done")), "[tool]", "toolresult done", "done", false},
		"escaped call":   {"message", message("toolResult", `"toolCallId":"c\u0039","toolName":"d\u0065ploy",`+text("done")), "[deploy]", "toolresult done", "done", false},
		"endless name":   {"message", message("toolResult", `"toolCallId":"c9","toolName":"`+long+long+`",`+text("done")), "[" + long[:199] + "…]", "toolresult done", "done", false},
		"shell":          {"message", message("bashExecution", `"command":"ls -l","output":"x","cancelled":false,"truncated":false`), "[bash]: ls -l", "bashexecution ls -l", "ls -l", false},
		"other role":     {"message", message("oracle", `"content":"x"`), "[oracle]", "oracle", "", false},
		"system":         {"message", message("system", `"content":"be kind"`), "[system]", "system", "", false},
		"custom message": {"custom_message", `"customType":"memo","content":"note","display":true`, "[memo]: note", "memo note", "note", false},
		"compaction":     {"compaction", `"summary":"## Goal","firstKeptEntryId":"e0","tokensBefore":51499`, "[compaction: 51k tokens]", "compaction", "## Goal", false},
		"branch summary": {"branch_summary", `"fromId":"e0","summary":"Tried it"`, "[branch summary]: Tried it", "branch summary tried it", "Tried it", false},
		"model":          {"model_change", `"provider":"p","modelId":"Opus"`, "[model: Opus]", "model opus", "", false},
		"thinking":       {"thinking_level_change", `"thinkingLevel":"high"`, "[thinking: high]", "thinking high", "", false},
		"custom":         {"custom", `"customType":"ext","data":{}`, "[custom: ext]", "custom ext", "", false},
		"omit":           {"context_edit", `"targetId":"e0","replacement":null`, "[context omit: e0]", "context omit e0", "", false},
		"replace":        {"context_edit", `"targetId":"e0","replacement":{"content":"x"}`, "[context replace: e0]", "context replace e0", "", false},
		"label":          {"label", `"targetId":"e0","label":"Cause"`, "[label: Cause]", "label cause", "", false},
		"cleared":        {"label", `"targetId":"e0"`, "[label: (cleared)]", "label ", "", false},
		"name":           {"session_info", `"name":"Parser"`, "[title: Parser]", "title parser", "", false},
		"no name":        {"session_info", `"name":" "`, "[title: empty]", "title  ", "", false},
		"unknown":        {"hologram", `"x":1`, "[hologram]", "", "", false},
		"hostile":        {"message", message("user", text(`a\u001b[31mb`)), `user: a\x1b[31mb`, "user a\x1b[31mb", "a\x1b[31mb", false},
		"long":           {"message", message("user", text(long)), "user: " + long[:199] + "…", "user " + long[:200], long, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := entry(t, tt.kind, tt.members)
			if got := entryline.NewDescriber(func(p string) string { return p }).Describe(e).String(); got != tt.told {
				t.Errorf("Describe(%s) = %q, want %q", tt.members, got, tt.told)
			}
			short := entryline.NewDescriber(func(p string) string { return p })
			if b, err := short.ReadForLine(e.Head().Raw); err != nil || short.Line(&b).String() != tt.told {
				t.Errorf("ReadForLine(%s) = %q, %v, want %q", tt.members, short.Line(&b), err, tt.told)
			}
			if got := entryline.Search(e); got != tt.search {
				t.Errorf("Search(%s) = %q, want %q", tt.members, got, tt.search)
			}
			if got := entryline.Copy(e); got != tt.copy {
				t.Errorf("Copy(%s) = %q, want %q", tt.members, got, tt.copy)
			}
			if got := silent(t, e); got != tt.silent {
				t.Errorf("%s is silent: %v, want %v", tt.members, got, tt.silent)
			}
		})
	}
}

func silent(t *testing.T, e format.Entry) bool {
	t.Helper()
	b, err := entryline.NewDescriber(nil).Read(e.Head().Raw)
	if err != nil {
		t.Fatal(err)
	}
	return b.Silent
}

// Results are described by their calls.
func TestCalls(t *testing.T) {
	shortPath := func(p string) string { return strings.Replace(p, "/home/ann", "~", 1) }
	tests := []struct{ name, arguments, want string }{
		{"read", `{"path":"/home/ann/x.go"}`, "[read: ~/x.go]"},
		{"read", `{"file_path":"x.go","offset":5}`, "[read: x.go:5]"},
		{"read", `{"path":"x.go","limit":10}`, "[read: x.go:1-10]"},
		{"read", `{"path":"x.go","offset":"5","limit":"10"}`, "[read: x.go:5-14]"},
		{"read", `{"path":"x.go","offset":null,"limit":"many"}`, "[read: x.go]"},
		{"write", `{"path":"x.go","content":"y"}`, "[write: x.go]"},
		{"edit", `{"path":"x.go"}`, "[edit: x.go]"},
		{"bash", `{"command":"` + strings.Repeat("y", 60) + `"}`, "[bash: " + strings.Repeat("y", 49) + "…]"},
		{"grep", `{"pattern":"a.b"}`, "[grep: /a.b/ in .]"},
		{"find", `{"pattern":"*.go","path":"src"}`, "[find: *.go in src]"},
		{"ls", `{}`, "[ls: .]"},
		{"Edit", `{"file_path":"/home/ann/Button.tsx","old_string":"a","new_string":"b\nc\nd"}`, "[Edit: ~/Button.tsx +3 -1]"},
		{"shell", `{"command":["bash","-lc","go test ./..."]}`, "[shell: go test ./...]"},
		{"deploy", `{"to":"prod"}`, `[deploy: {"to":"prod"}]`},
		{"read", `"no object"`, "[read: ]"},
	}
	for _, tt := range tests {
		d := entryline.NewDescriber(shortPath)
		d.Describe(entry(t, "message", message("assistant", `"content":[{"type":"toolCall","id":"c1","name":"`+tt.name+`","arguments":`+tt.arguments+`}]`)))
		result := entry(t, "message", message("toolResult", `"toolCallId":"c1","toolName":"`+tt.name+`",`+text("x")))
		if got := d.Describe(result).String(); got != tt.want {
			t.Errorf("the result of %s %s is told as %q, want %q", tt.name, tt.arguments, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	g := entryline.Line{Head: "user: ", Text: "日本語 text"}
	for cells, want := range map[int]string{40: "user: 日本語 text", 11: "user: 日本…", 6: "user: ", 4: "use…"} {
		if got := g.Cut(cells).String(); got != want {
			t.Errorf("Cut(%d) = %q, want %q", cells, got, want)
		}
	}
}
