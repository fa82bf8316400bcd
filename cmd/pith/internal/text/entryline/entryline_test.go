package entryline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/entryline"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/corpus"
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

// How entries are shown and copied.
func TestEntries(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := map[string]struct {
		kind, members string
		told, copy    string
		silent        bool
	}{
		"user":              {"message", message("user", text(`Hello\n there`)), "user: Hello  there", "Hello\n there", false},
		"user, string":      {"message", message("user", `"content":"Hi"`), "user: Hi", "Hi", false},
		"user, image":       {"message", message("user", `"content":[{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"text","text":"see"}]`), "user: see", "see", false},
		"assistant":         {"message", message("assistant", text("Yes")+`,"stopReason":"stop"`), "assistant: Yes", "Yes", false},
		"two blocks":        {"message", message("assistant", `"content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"t"},{"type":"text","text":"b"}]`), "assistant: ab", "ab", false},
		"silent":            {"message", message("assistant", `"content":[],"stopReason":"toolUse"`), "assistant: (no content)", "", true},
		"only a call":       {"message", message("assistant", `"content":[{"type":"toolCall","id":"c1","name":"ls","arguments":{}}]`), "assistant: (no content)", "", true},
		"aborted":           {"message", message("assistant", `"content":[],"stopReason":"aborted"`), "assistant: (aborted)", "aborted", false},
		"failed":            {"message", message("assistant", `"content":[],"stopReason":"error","errorMessage":"overloaded"`), "assistant: overloaded", "overloaded", false},
		"cut off":           {"message", message("assistant", `"content":[],"stopReason":"length"`), "assistant: cut off: the response was too long", "cut off: the response was too long", false},
		"failed after text": {"message", message("assistant", text("So")+`,"stopReason":"error","errorMessage":"overloaded"`), "assistant: So", "So", false},
		"result":            {"message", message("toolResult", `"toolCallId":"c9","toolName":"deploy",`+text("done")), "[deploy]", "done", false},
		"nameless":          {"message", message("toolResult", `"toolCallId":"c9",`+text("done")), "[tool]", "done", false},
		"escaped call":      {"message", message("toolResult", `"toolCallId":"c\u0039","toolName":"d\u0065ploy",`+text("done")), "[deploy]", "done", false},
		"endless name":      {"message", message("toolResult", `"toolCallId":"c9","toolName":"`+long+long+`",`+text("done")), "[" + long[:199] + "…]", "done", false},
		"shell":             {"message", message("bashExecution", `"command":"ls -l","output":"x","cancelled":false,"truncated":false`), "[bash]: ls -l", "ls -l", false},
		"other role":        {"message", message("oracle", `"content":"x"`), "[oracle]: x", "", false},
		"no role":           {"message", `"message":{"content":"x"}`, "[message without a role]: x", "", false},
		"no message":        {"message", `"x":1`, "[message without a role]", "", false},
		"system":            {"message", message("system", `"content":"be kind"`), "[system]", "", false},
		"custom message":    {"custom_message", `"customType":"memo","content":"note","display":true`, "[memo]: note", "note", false},
		"compaction":        {"compaction", `"summary":"## Goal","firstKeptEntryId":"e0","tokensBefore":51499`, "[compaction: 51k tokens]", "## Goal", false},
		"branch summary":    {"branch_summary", `"fromId":"e0","summary":"Tried it"`, "[branch summary]: Tried it", "Tried it", false},
		"model":             {"model_change", `"provider":"p","modelId":"Opus"`, "[model: p/Opus]", "", false},
		"thinking":          {"thinking_level_change", `"thinkingLevel":"high"`, "[thinking: high]", "", false},
		"custom":            {"custom", `"customType":"ext","data":{}`, "[custom: ext]", "", false},
		"usage":             {"usage", `"kind":"title","provider":"p","model":"m","usage":{}`, "[usage: p/m]", "", false},
		"omit":              {"context_edit", `"targetId":"e0","replacement":null`, "[context omit: e0]", "", false},
		"replace":           {"context_edit", `"targetId":"e0","replacement":{"content":"x"}`, "[context replace: e0]", "", false},
		"label":             {"label", `"targetId":"e0","label":"Cause"`, "[label: Cause]", "", false},
		"cleared":           {"label", `"targetId":"e0"`, "[label: (cleared)]", "", false},
		"name":              {"session_info", `"name":"Parser"`, "[title: Parser]", "", false},
		"no name":           {"session_info", `"name":" "`, "[title: empty]", "", false},
		"unknown":           {"hologram", `"x":1`, "[hologram]", "", false},
		"hostile":           {"message", message("user", text(`a\u001b[31mb`)), `user: a\x1b[31mb`, "a\x1b[31mb", false},
		"long":              {"message", message("user", text(long)), "user: " + long[:199] + "…", long, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := entry(t, tt.kind, tt.members)
			d := entryline.NewDescriber(func(p string) string { return p })
			if got := d.Describe(e).String(); got != tt.told {
				t.Errorf("Describe(%s) = %q, want %q", tt.members, got, tt.told)
			}
			b, err := d.Read(lineOf(e))
			if err != nil || d.Line(&b).String() != tt.told || b.Silent != tt.silent {
				t.Errorf("Read(%s) = %q, silent %v, %v, want %q, %v", tt.members, d.Line(&b), b.Silent, err, tt.told, tt.silent)
			}
			if got := entryline.Copy(e); got != tt.copy {
				t.Errorf("Copy(%s) = %q, want %q", tt.members, got, tt.copy)
			}
		})
	}
}

func lineOf(e format.Entry) *pith.Line {
	line := &pith.Line{Raw: e.Head().Raw}
	if m, ok := e.(*format.MessageEntry); ok {
		line.Role = m.Message.Role()
	}
	return line
}

// A line that is read is described as the decoded entry, in every session that can be
// opened.
func TestLinesAreDescribedAsEntries(t *testing.T) {
	files := map[string][]byte{"generated": corpus.Bytes(corpus.Options{Seed: 7, Entries: 800})}
	for _, odd := range corpus.Odd() {
		files[odd.Name] = odd.Bytes
	}
	checked := 0
	for name, data := range files {
		path := filepath.Join(t.TempDir(), "session.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
		if err != nil {
			continue
		}
		reading, decoding := entryline.NewDescriber(strings.ToUpper), entryline.NewDescriber(strings.ToUpper)
		for line, err := range s.View().Reader().Lines() {
			if err != nil {
				t.Fatal(err)
			}
			e, err := format.DecodeEntry(line.Raw)
			if err != nil {
				t.Fatal(err)
			}
			b, err := reading.Read(&line)
			if got, want := reading.Line(&b), decoding.Describe(e); err != nil || got != want {
				t.Errorf("%s: %.200s is described as %+v, %v; want %+v", name, line.Raw, got, err, want)
			}
			checked++
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if checked < 1000 {
		t.Errorf("only %d lines were looked at", checked)
	}
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
