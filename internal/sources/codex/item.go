package codex

import (
	"bytes"
	"cmp"
	"regexp"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

// item translates a response item: a piece of a response, a result or a message.
func (t *translator) item(l *line, kind string) {
	p := sources.Object(bytes.Clone(l.payload))
	call := p.Text("call_id")
	switch kind {
	case "message":
		t.message(l, p)
	case "reasoning":
		t.add(l, reasoning(p))
	case "function_call", "custom_tool_call":
		text := p.Text("arguments")
		if kind == "custom_tool_call" {
			text = p.Text("input")
		}
		b := &format.ToolCallBlock{ID: call, Name: p.Text("name"), Namespace: p.Text("namespace"), Arguments: sources.Arguments(text)}
		t.tools[call] = b.Name
		t.add(l, b)
	case "local_shell_call":
		action, _ := jsonl.Lookup(p, "action")
		t.tools[call] = "shell"
		t.add(l, &format.ToolCallBlock{ID: call, Name: "shell", Arguments: sources.Arguments(string(action))})
	case "function_call_output", "custom_tool_call_output":
		t.flush("")
		t.result(l, p, call)
	case "additional_tools", "agent_message", "tool_search_call", "tool_search_output", "web_search_call", "image_generation_call", "compaction",
		"compaction_summary", "compaction_trigger", "context_compaction", "configuration_update", "ghost_snapshot", "other":
		t.flush("")
		t.keep(l, kind)
	default:
		t.flush("")
		t.unknown(l, cmp.Or(kind, "response_item"))
	}
}

// programTexts are the prefixes of user messages that Codex generated.
var programTexts = []string{"<environment_context>", "<turn_aborted>", "# AGENTS.md", "<user_instructions>", "<subagent_notification>", "<skill>", "<user_shell_command>"}

func (t *translator) message(l *line, p sources.Object) {
	body := contentOf(p.Raw("content"))
	switch p.Text("role") {
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
				t.parent = t.w.Add(key, t.parent, t.when, &format.CustomMessage{CustomType: "codex/program", Content: body}, p.Text("id"))
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

func block(b sources.Object) format.Block {
	switch b.Text("type") {
	case "input_text", "output_text", "text", "summary_text":
		return &format.TextBlock{Text: b.Text("text")}
	case "input_image":
		if image := sources.ImageOf(b.Text("image_url")); image != nil {
			return image
		}
	}
	return &format.UnknownBlock{Raw: []byte(b)}
}

// reasoning returns a thinking block. Its signature is the item itself, which
// is the form in which pi sends it again.
func reasoning(p sources.Object) format.Block {
	var texts []string
	for _, member := range []string{"summary", "content"} {
		for b := range jsonl.Elements(p.Raw(member)) {
			if jsonl.KindOf(b) == '{' {
				texts = append(texts, jsonl.LookupString(b, "text"))
			}
		}
	}
	b := &format.ThinkingBlock{Thinking: strings.Join(texts, "\n\n")}
	if p.Text("encrypted_content") != "" {
		b.ThinkingSignature = string(jsonl.Delete(p, "internal_chat_message_metadata_passthrough"))
	}
	return b
}

// exitCode finds the exit code of a command in the text of its result, the only
// place for it in threads without events.
var exitCode = regexp.MustCompile(`(?m)\A(?:[^\n]*\n){0,3}?(?:Process exited with code|Exit code:) (\d+)$`)

func (t *translator) result(l *line, p sources.Object, call string) {
	output := p.Raw("output")
	if jsonl.KindOf(output) == '{' { // an older form
		output = sources.Object(output).Raw("content")
	}
	m := &format.ToolResult{ToolCallID: call, ToolName: t.tools[call], Content: contentOf(output), Timestamp: t.when.UnixMilli(), Details: t.details[call]}
	if m.ToolName == "spawn_agent" {
		if object := sources.ObjectOf([]byte(m.Content.Joined())); object.Text("agent_id") != "" {
			m.Details = t.w.Details(sources.Run{Session: object.Text("agent_id"), Agent: object.Text("nickname")}, m.Details)
		}
	}
	failed, known := t.failed[call]
	if !known {
		code := exitCode.FindStringSubmatch(m.Content.Joined())
		failed = code != nil && strings.Trim(code[1], "0") != ""
	}
	m.IsError = failed
	t.parent = t.w.Message(t.keyOf(l), t.parent, t.when, m)
}
