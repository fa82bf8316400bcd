package gemini

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

var _ sources.Receiver = Program{}

func (Program) KnownVersion() string { return "0.61.0" }

// Losses implements [sources.Receiver]. Gemini CLI never sends thinking again.
func (Program) Losses(c *sources.Conversation) []string {
	return c.Lost(func(*format.Assistant, *format.ThinkingBlock) bool { return false })
}

// Receive implements [sources.Receiver]. The file stays outside Gemini's own
// directories, because Gemini CLI deletes chats that were resumed.
func (Program) Receive(_ context.Context, _ sources.Environment, c *sources.Conversation) (sources.Receipt, error) {
	id := c.SessionUUID("gemini")
	sum := sha256.Sum256([]byte(c.Cwd))
	var f sources.LineFile
	f.Add(map[string]any{"sessionId": id, "projectHash": hex.EncodeToString(sum[:]), "startTime": format.FormatTime(c.Time), "lastUpdated": format.FormatTime(c.Time), "kind": "main"})
	if c.Title != "" {
		f.Add(map[string]any{"$set": map[string]any{"summary": c.Title}})
	}
	turns := c.Turns()
	for i := range turns {
		t := &turns[i]
		if t.Reply == nil {
			f.Add(map[string]any{"id": c.UUID(t.ID), "timestamp": format.FormatTime(t.Time), "type": "user", "content": sources.GenAIParts(t.User)})
			continue
		}
		u := &t.Reply.Usage
		message := map[string]any{
			"id": c.UUID(t.ID), "timestamp": format.FormatTime(t.Time), "type": "gemini", "content": t.Reply.Content.Joined(), "thoughts": []any{}, "model": t.Reply.Model,
			"tokens": map[string]any{"input": u.Input, "output": u.Output, "cached": u.CacheRead, "thoughts": 0, "tool": 0, "total": u.TotalTokens},
		}
		var calls []any
		for _, b := range t.Reply.Content.Blocks {
			if call, ok := b.(*format.ToolCallBlock); ok {
				calls = append(calls, toolCall(call, t.Results[call.ID], format.FormatTime(t.Time)))
			}
		}
		if calls != nil {
			message["toolCalls"] = calls
		}
		f.Add(message)
	}
	path := filepath.Join(c.Dir, "session-"+c.Time.UTC().Format("2006-01-02T15-04")+"-"+id[:8]+format.FileSuffix)
	return sources.Receipt{
		ID: id, Path: path, Commands: [][]string{{"gemini", "--session-file", path}},
		Warning: "Gemini CLI may delete chats that were resumed; the copy in " + path + " stays",
	}, f.Write(path)
}

func toolCall(b *format.ToolCallBlock, r *format.ToolResult, at string) map[string]any {
	call := map[string]any{"id": b.ID, "name": b.Name, "args": sources.ArgumentsOf(b), "status": "cancelled", "timestamp": at}
	if r != nil {
		call["status"] = "success"
		if r.IsError {
			call["status"] = "error"
		}
		call["result"] = []any{sources.GenAIResponse(r, b.Name)}
	}
	return call
}
