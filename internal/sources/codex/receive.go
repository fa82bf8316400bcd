package codex

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

var _ sources.Receiver = Program{}

// version is the release whose form of sessions is written.
const version = "0.169.0"

// Losses implements [sources.Receiver]. Thinking of other models arrives as
// summaries.
func (Program) Losses(c *sources.Conversation) []string {
	lost := c.Lost(func(*format.Assistant, *format.ThinkingBlock) bool { return true })
	for i := range c.Messages {
		if r, ok := c.Messages[i].Message.(*format.ToolResult); ok && r.IsError {
			return append(lost, "error flags of results")
		}
	}
	return lost
}

// Receive implements [sources.Receiver]. The provider is left out: Codex
// rejects a thread of a provider other than the configured one.
func (p Program) Receive(_ context.Context, e sources.Environment, c *sources.Conversation) (sources.Receipt, error) {
	id := c.SessionUUID("codex")
	home := p.Roots(e)[0]
	var f sources.LineFile
	put := func(h *sources.Handed, kind string, payload map[string]any) {
		f.Add(map[string]any{"timestamp": format.FormatTime(h.Time), "type": kind, "payload": payload})
	}
	start := &sources.Handed{Time: c.Time}
	put(start, "session_meta", map[string]any{
		"session_id": id, "id": id, "timestamp": format.FormatTime(c.Time), "cwd": c.Cwd, "originator": "codex-tui", "cli_version": version, "source": "cli",
	})
	turns := c.Turns()
	turn := id
	for i := range turns {
		t := &turns[i]
		h := &t.Handed
		if t.Reply == nil {
			turn = c.UUID(t.ID + " turn")
			put(h, "event_msg", map[string]any{"type": "task_started", "turn_id": turn, "started_at": t.Time.Unix(), "model_context_window": nil})
			put(h, "response_item", map[string]any{"type": "message", "role": "user", "content": items(t.User, "input_text")})
			put(h, "event_msg", map[string]any{"type": "user_message", "message": sources.TextOf(t.User), "images": images(t.User), "local_images": []any{}, "text_elements": []any{}})
			continue
		}
		for _, b := range t.Reply.Content.Blocks {
			handOver(put, h, b)
		}
		for _, b := range t.Reply.Content.Blocks {
			if call, ok := b.(*format.ToolCallBlock); ok && t.Results[call.ID] != nil {
				put(h, "response_item", map[string]any{"type": "function_call_output", "call_id": call.ID, "output": output(t.Results[call.ID])})
			}
		}
		if t.Reply.StopReason != "toolUse" {
			put(h, "event_msg", map[string]any{"type": "task_complete", "turn_id": turn, "last_agent_message": t.Reply.Content.Joined()})
		}
	}
	at := c.Time.UTC()
	path := filepath.Join(home, "sessions", at.Format("2006"), at.Format("01"), at.Format("02"), "rollout-"+at.Format("2006-01-02T15-04-05")+"-"+id+".jsonl")
	r := sources.Receipt{ID: id, Path: path, Commands: [][]string{{"codex", "resume", id}}}
	if err := f.Write(path); err != nil || c.Title == "" {
		return r, err
	}
	return r, sources.AppendLine(filepath.Join(home, "session_index.jsonl"), map[string]any{"id": id, "thread_name": c.Title, "updated_at": format.FormatTime(c.Time)})
}

func handOver(put func(*sources.Handed, string, map[string]any), h *sources.Handed, b format.Block) {
	switch b := b.(type) {
	case *format.ThinkingBlock:
		item := map[string]any{"type": "reasoning", "summary": []any{map[string]any{"type": "summary_text", "text": b.Thinking}}}
		if own := []byte(b.ThinkingSignature); jsonl.Valid(own) && jsonl.KindOf(own) == '{' {
			if encrypted := jsonl.LookupString(own, "encrypted_content"); encrypted != "" {
				item["encrypted_content"] = encrypted
			}
		}
		put(h, "response_item", item)
		put(h, "event_msg", map[string]any{"type": "agent_reasoning", "text": b.Thinking})
	case *format.TextBlock:
		put(h, "response_item", map[string]any{"type": "message", "role": "assistant", "content": items([]format.Block{b}, "output_text")})
		put(h, "event_msg", map[string]any{"type": "agent_message", "message": b.Text})
	case *format.ToolCallBlock:
		var args map[string]json.RawMessage
		var input string
		if json.Unmarshal(sources.ArgumentsOf(b), &args) == nil && len(args) == 1 && strings.HasPrefix(b.Name, "apply_patch") && json.Unmarshal(args["input"], &input) == nil {
			put(h, "response_item", map[string]any{"type": "custom_tool_call", "status": "completed", "call_id": b.ID, "name": b.Name, "input": input})
			return
		}
		put(h, "response_item", map[string]any{"type": "function_call", "name": b.Name, "arguments": string(sources.ArgumentsOf(b)), "call_id": b.ID})
	}
}

func items(blocks []format.Block, text string) []any {
	out := []any{}
	for _, b := range blocks {
		switch b := b.(type) {
		case *format.TextBlock:
			out = append(out, map[string]any{"type": text, "text": b.Text})
		case *format.ImageBlock:
			out = append(out, map[string]any{"type": "input_image", "image_url": sources.DataURL(b)})
		}
	}
	return out
}

func images(blocks []format.Block) []string {
	out := []string{}
	for _, b := range blocks {
		if image, ok := b.(*format.ImageBlock); ok {
			out = append(out, sources.DataURL(image))
		}
	}
	return out
}

// output returns a result: a text, or a list if it has images.
func output(r *format.ToolResult) any {
	if len(images(r.Content.Blocks)) > 0 {
		return items(r.Content.Blocks, "input_text")
	}
	return r.Content.Joined()
}
