package claude

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

var _ sources.Receiver = Program{}

// version is the release whose form of sessions is written.
const version = "2.1.328"

// signed reports whether Anthropic's API accepts a thinking block again.
func signed(a *format.Assistant, b *format.ThinkingBlock) bool {
	return b.ThinkingSignature != "" && a.API == "anthropic-messages"
}

func (Program) Losses(c *sources.Conversation) []string { return c.LostThoughts(signed) }

func (p Program) Receive(_ context.Context, e sources.Environment, c *sources.Conversation) (sources.Receipt, error) {
	id := c.SessionUUID(p.Name())
	w := &lineWriter{c: c, session: id, ends: map[string]string{}}
	if c.Title != "" {
		w.file.Add(map[string]any{"type": "custom-title", "customTitle": c.Title, "sessionId": id})
	}
	w.turns("", c.Turns())
	if leaf := w.parent; leaf != "" {
		for i := range c.Others {
			w.turns(c.Others[i].After, c.Others[i].Turns())
		}
		// Without it Claude Code would resume at the last line.
		w.file.Add(map[string]any{"type": "last-prompt", "leafUuid": leaf, "sessionId": id, "explicit": len(c.Others) > 0})
	}
	path := filepath.Join(p.Roots(e)[0], sources.Mangled(c.Cwd), id+format.FileSuffix)
	return sources.Receipt{ID: id, Path: path, Commands: [][]string{{"claude", "--resume", id}}}, w.file.Write(path)
}

// A lineWriter writes the lines of a transcript.
type lineWriter struct {
	c       *sources.Conversation
	session string
	file    sources.LineFile
	parent  string            // UUID of the line that the next one follows
	ends    map[string]string // UUID of the last line of each entry
}

// turns writes turns that follow an entry.
func (w *lineWriter) turns(after string, turns []sources.Turn) {
	w.parent = w.ends[after]
	for i := range turns {
		t := &turns[i]
		if t.Reply == nil {
			w.line(&t.Handed, "", "user", map[string]any{"role": "user", "content": blocks(t.User)})
		} else {
			w.response(t)
		}
		for _, entry := range t.Entries() {
			w.ends[entry] = w.parent
		}
	}
}

func (w *lineWriter) line(h *sources.Handed, key, kind string, message map[string]any) {
	uuid := w.c.UUID(h.ID + key)
	w.file.Add(map[string]any{
		"parentUuid": orNull(w.parent), "isSidechain": false, "type": kind, "message": message, "uuid": uuid, "timestamp": format.FormatTime(h.Time),
		"sessionId": w.session, "cwd": w.c.Cwd, "userType": "external", "entrypoint": "cli", "version": version,
	})
	w.parent = uuid
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// response writes a line for each block of a response, and one for each result.
func (w *lineWriter) response(t *sources.Turn) {
	message := "msg_" + sources.Short(w.c.UUID(t.ID), 24)
	var calls []*format.ToolCallBlock
	for n, b := range t.Reply.Content.Blocks {
		content := reply(t.Reply, b)
		if content == nil {
			continue
		}
		if call, ok := b.(*format.ToolCallBlock); ok {
			calls = append(calls, call)
		}
		u := &t.Reply.Usage
		w.line(&t.Handed, string(rune('a'+n)), "assistant", map[string]any{
			"id": message, "type": "message", "role": "assistant", "model": t.Reply.Model, "content": []any{content}, "stop_reason": stopReason(t.Reply), "stop_sequence": nil,
			"usage": map[string]any{"input_tokens": u.Input, "output_tokens": u.Output, "cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheWrite},
		})
	}
	for _, call := range calls {
		if r := t.Results[call.ID]; r != nil {
			w.line(&t.Handed, "/"+call.ID, "user", map[string]any{"role": "user", "content": []any{map[string]any{
				"type": "tool_result", "tool_use_id": call.ID, "content": blocks(r.Content.Blocks), "is_error": r.IsError,
			}}})
		}
	}
}

func stopReason(m *format.Assistant) string {
	switch m.StopReason {
	case "toolUse":
		return "tool_use"
	case "length":
		return "max_tokens"
	}
	return "end_turn"
}

// blocks returns blocks of a user message or a result.
func blocks(list []format.Block) []any {
	out := []any{}
	for _, b := range list {
		switch b := b.(type) {
		case *format.TextBlock:
			out = append(out, map[string]any{"type": "text", "text": b.Text})
		case *format.ImageBlock:
			out = append(out, map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": b.MimeType, "data": b.Data}})
		}
	}
	return out
}

// reply returns a block of a response, or nil for one that Claude Code does not
// support.
func reply(m *format.Assistant, b format.Block) any {
	switch b := b.(type) {
	case *format.TextBlock:
		return map[string]any{"type": "text", "text": b.Text}
	case *format.ThinkingBlock:
		switch {
		case !signed(m, b):
			return nil
		case b.Redacted:
			return map[string]any{"type": "redacted_thinking", "data": b.ThinkingSignature}
		}
		return map[string]any{"type": "thinking", "thinking": b.Thinking, "signature": b.ThinkingSignature}
	case *format.ToolCallBlock:
		name, input := ownTool(b)
		return map[string]any{"type": "tool_use", "id": b.ID, "name": name, "input": input}
	}
	return nil
}

// ownTools maps pi's tools to the names that Claude Code shows, with the names
// of their arguments.
var ownTools = map[string]struct {
	name      string
	arguments map[string]string
}{
	"bash":  {"Bash", nil},
	"read":  {"Read", map[string]string{"path": "file_path"}},
	"write": {"Write", map[string]string{"path": "file_path"}},
	"edit":  {"Edit", map[string]string{"path": "file_path", "oldText": "old_string", "newText": "new_string"}},
}

func ownTool(b *format.ToolCallBlock) (string, json.RawMessage) {
	args := sources.ArgumentsOf(b)
	own, ok := ownTools[b.Name]
	if !ok {
		return b.Name, args
	}
	out := []byte("{}")
	for key, value := range jsonl.Members(args) {
		name, _ := jsonl.String(key)
		if to := own.arguments[name]; to != "" {
			name = to
		}
		out = jsonl.Set(out, name, value)
	}
	return own.name, out
}
