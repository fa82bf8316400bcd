package codex

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/lazyregexp"
	"github.com/pith-sessions/pith/internal/sources"
)

// item translates a response item: a piece of a response, a result or a message.
func (t *translator) item(l *line, kind string) {
	p := bytes.Clone(l.payload)
	call := jsonl.LookupString(p, "call_id")
	switch kind {
	case "message":
		t.message(l, p)
	case "reasoning":
		t.add(l, reasoning(p))
	case "function_call", "custom_tool_call":
		text := jsonl.LookupString(p, "arguments")
		if kind == "custom_tool_call" {
			text = jsonl.LookupString(p, "input")
		}
		b := &format.ToolCallBlock{ID: call, Name: jsonl.LookupString(p, "name"), Namespace: jsonl.LookupString(p, "namespace"), Arguments: sources.Arguments(text)}
		t.tools[call] = b.Name
		t.add(l, b)
	case "local_shell_call":
		action, _ := jsonl.Lookup(p, "action")
		t.tools[call] = "shell"
		t.add(l, &format.ToolCallBlock{ID: call, Name: "shell", Arguments: sources.Arguments(string(action))})
	case "function_call_output", "custom_tool_call_output":
		t.flush("")
		t.result(l, p, call)
	default:
		t.flush("")
		t.keep(l, cmp.Or(kind, "item"))
	}
}

// programTexts are the prefixes of user messages that Codex generated.
var programTexts = []string{"<environment_context>", "<turn_aborted>", "# AGENTS.md", "<user_instructions>", "<subagent_notification>", "<skill>", "<user_shell_command>"}

func (t *translator) message(l *line, p []byte) {
	content, _ := jsonl.Lookup(p, "content")
	body := contentOf(content)
	switch jsonl.LookupString(p, "role") {
	case "assistant":
		for _, b := range body.Blocks {
			t.add(l, b)
		}
		return
	case "user":
		t.flush("")
		key, text := t.keyOf(l), body.Joined()
		for _, prefix := range programTexts {
			if strings.HasPrefix(text, prefix) {
				t.parent = t.w.Add(key, t.parent, t.when, &format.CustomMessage{CustomType: "codex/program", Content: body}, jsonl.LookupString(p, "id"))
				return
			}
		}
		t.parent = t.w.Message(key, t.parent, t.when, &format.User{Content: body, Timestamp: t.when.UnixMilli()})
	default: // instructions of the program
		t.flush("")
		t.keep(l, "message")
	}
}

// contentOf translates a list of content items, or a string.
func contentOf(raw []byte) format.Content {
	if text, ok := jsonl.String(raw); ok {
		return format.BlockContent(&format.TextBlock{Text: text})
	}
	var blocks []format.Block
	for b := range jsonl.Elements(raw) {
		if jsonl.KindOf(b) == '{' {
			blocks = append(blocks, block(b))
		}
	}
	return format.BlockContent(blocks...)
}

func block(b []byte) format.Block {
	switch jsonl.LookupString(b, "type") {
	case "input_text", "output_text", "text", "summary_text":
		return &format.TextBlock{Text: jsonl.LookupString(b, "text")}
	case "input_image":
		if mime, data, ok := dataURL(jsonl.LookupString(b, "image_url")); ok {
			return &format.ImageBlock{Data: data, MimeType: mime}
		}
	}
	return &format.UnknownBlock{Raw: b}
}

func dataURL(url string) (mime, data string, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ";base64,")
}

// reasoning returns a thinking block. Its signature is the item itself, which
// is the form in which pi sends it again.
func reasoning(p []byte) format.Block {
	var texts []string
	for _, member := range []string{"summary", "content"} {
		list, _ := jsonl.Lookup(p, member)
		for b := range jsonl.Elements(list) {
			if jsonl.KindOf(b) == '{' {
				texts = append(texts, jsonl.LookupString(b, "text"))
			}
		}
	}
	b := &format.ThinkingBlock{Thinking: strings.Join(texts, "\n\n")}
	if jsonl.LookupString(p, "encrypted_content") != "" {
		b.ThinkingSignature = string(jsonl.Delete(p, "internal_chat_message_metadata_passthrough"))
	}
	return b
}

// exitCode finds the exit code of a command in the text of its result, the only
// place for it in threads without events.
var exitCode = lazyregexp.New(`(?m)\A(?:[^\n]*\n){0,3}?(?:Process exited with code|Exit code:) (\d+)$`)

func (t *translator) result(l *line, p []byte, call string) {
	output, _ := jsonl.Lookup(p, "output")
	if jsonl.KindOf(output) == '{' { // an older form
		output, _ = jsonl.Lookup(output, "content")
	}
	m := &format.ToolResult{ToolCallID: call, ToolName: t.tools[call], Content: contentOf(output), Timestamp: t.when.UnixMilli(), Details: t.details[call]}
	if m.ToolName == "spawn_agent" {
		if object := sources.ObjectOf([]byte(m.Content.Joined())); object.Text("agent_id") != "" {
			m.Details = sources.Run{Session: object.Text("agent_id"), Agent: object.Text("nickname")}.Details(m.Details)
		}
	}
	failed, known := t.failed[call]
	if !known {
		code := exitCode().FindStringSubmatch(m.Content.Joined())
		failed = code != nil && strings.Trim(code[1], "0") != ""
	}
	m.IsError = failed
	t.parent = t.w.Message(t.keyOf(l), t.parent, t.when, m)
}
