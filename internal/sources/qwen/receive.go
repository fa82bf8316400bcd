package qwen

import (
	"context"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

var _ sources.Receiver = Program{}

// knownVersion is the release with which handed over sessions were tested.
const knownVersion = "0.24.4"

// KnownVersion implements [sources.Receiver].
func (Program) KnownVersion() string { return knownVersion }

// Losses implements [sources.Receiver].
func (Program) Losses(c *sources.Conversation) []string {
	return c.Lost(func(*format.Assistant, *format.ThinkingBlock) bool { return true })
}

// Receive implements [sources.Receiver].
func (p Program) Receive(_ context.Context, e sources.Environment, c *sources.Conversation) (sources.Receipt, error) {
	id := c.SessionUUID()
	var f sources.LineFile
	var parent *string
	line := func(h *sources.Handed, key, kind string, more map[string]any) {
		uuid := c.UUID(h.ID + key)
		l := map[string]any{"uuid": uuid, "parentUuid": parent, "sessionId": id, "timestamp": sources.ISO(h.Time), "type": kind, "cwd": c.Cwd, "version": knownVersion}
		for name, value := range more {
			l[name] = value
		}
		f.Add(l)
		parent = &uuid
	}
	turns := c.Turns()
	for i := range turns {
		t := &turns[i]
		if t.Reply == nil {
			line(&t.Handed, "", "user", map[string]any{"message": map[string]any{"role": "user", "parts": sources.GenAIParts(t.User)}})
			continue
		}
		u := &t.Reply.Usage
		line(&t.Handed, "", "assistant", map[string]any{
			"model": t.Reply.Model, "message": map[string]any{"role": "model", "parts": sources.GenAIParts(t.Reply.Content.Blocks)},
			"usageMetadata": map[string]any{"promptTokenCount": u.Input, "candidatesTokenCount": u.Output, "totalTokenCount": u.TotalTokens},
		})
		for _, b := range t.Reply.Content.Blocks {
			if call, ok := b.(*format.ToolCallBlock); ok && t.Results[call.ID] != nil {
				line(&t.Handed, "/"+call.ID, "tool_result", map[string]any{"message": map[string]any{"role": "user", "parts": []any{sources.GenAIResponse(t.Results[call.ID], call.Name)}}})
			}
		}
	}
	path := filepath.Join(p.Roots(e)[0], sources.Mangled(c.Cwd), "chats", id+format.FileSuffix)
	return sources.Receipt{ID: id, Path: path, Commands: [][]string{{"qwen", "-r", id}}}, f.Write(path)
}
