package copilot

import (
	"context"
	"fmt"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/store"
)

var _ sources.Receiver = Program{}

func (Program) KnownVersion() string { return "1.0.102" }

// Losses implements [sources.Receiver]. Copilot CLI does not send thinking
// again.
func (Program) Losses(c *sources.Conversation) []string {
	return c.Lost(func(*format.Assistant, *format.ThinkingBlock) bool { return false })
}

func (p Program) Receive(_ context.Context, e sources.Environment, c *sources.Conversation) (sources.Receipt, error) {
	id := c.SessionUUID("copilot")
	var f sources.LineFile
	var parent *string
	put := func(h *sources.Handed, kind, key string, data map[string]any) {
		event := c.UUID(h.ID + kind + key)
		f.Add(map[string]any{"type": kind, "data": data, "id": event, "timestamp": format.FormatTime(h.Time), "parentId": parent})
		parent = &event
	}
	put(&sources.Handed{Time: c.Time}, "session.start", "", map[string]any{
		"sessionId": id, "version": 1, "producer": "copilot-agent", "copilotVersion": p.KnownVersion(), "startTime": format.FormatTime(c.Time), "context": map[string]any{"cwd": c.Cwd},
	})
	interaction, turn := "", 0
	turns := c.Turns()
	for i := range turns {
		t := &turns[i]
		h := &t.Handed
		if t.Reply == nil {
			interaction, turn = c.UUID(t.ID+"interaction"), 0
			attachments := []any{}
			for _, b := range t.User {
				if image, ok := b.(*format.ImageBlock); ok {
					attachments = append(attachments, map[string]any{"type": "blob", "data": image.Data, "mimeType": image.MimeType})
				}
			}
			text := sources.TextOf(t.User)
			put(h, "user.message", "", map[string]any{"content": text, "transformedContent": text, "messageId": c.UUID(t.ID + "message"), "attachments": attachments, "interactionId": interaction})
			continue
		}
		number := fmt.Sprint(turn)
		requests := []any{}
		for _, b := range t.Reply.Content.Blocks {
			if call, ok := b.(*format.ToolCallBlock); ok {
				requests = append(requests, map[string]any{"toolCallId": call.ID, "name": call.Name, "arguments": sources.ArgumentsOf(call), "type": "function"})
			}
		}
		put(h, "assistant.turn_start", "", map[string]any{"turnId": number, "interactionId": interaction})
		put(h, "assistant.message", "", map[string]any{
			"messageId": c.UUID(t.ID + "message"), "model": t.Reply.Model, "content": t.Reply.Content.Joined(), "toolRequests": requests, "interactionId": interaction, "turnId": number,
		})
		for _, b := range t.Reply.Content.Blocks {
			call, ok := b.(*format.ToolCallBlock)
			if !ok {
				continue
			}
			put(h, "tool.execution_start", call.ID, map[string]any{"toolCallId": call.ID, "toolName": call.Name, "arguments": sources.ArgumentsOf(call), "turnId": number})
			if r := t.Results[call.ID]; r != nil {
				data := map[string]any{"toolCallId": call.ID, "interactionId": interaction, "turnId": number, "success": !r.IsError}
				if r.IsError {
					data["error"] = map[string]any{"message": r.Content.Joined(), "code": "failure"}
				} else {
					data["result"] = map[string]any{"content": r.Content.Joined()}
				}
				put(h, "tool.execution_complete", call.ID, data)
			}
		}
		put(h, "assistant.turn_end", "", map[string]any{"turnId": number})
		turn++
	}
	dir := filepath.Join(p.Roots(e)[0], id)
	path := filepath.Join(dir, "events.jsonl")
	r := sources.Receipt{ID: id, Path: path, Commands: [][]string{{"copilot", "--resume=" + id}}}
	if err := f.Write(path); err != nil {
		return r, err
	}
	place, err := yaml.Marshal(map[string]any{"id": id, "cwd": c.Cwd, "name": c.Title, "user_named": c.Title != "", "created_at": format.FormatTime(c.Time), "updated_at": format.FormatTime(c.Time)})
	if err == nil {
		err = sources.WriteNew(filepath.Join(dir, "workspace.yaml"), store.Bytes(place))
	}
	return r, err
}
