package opencode

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/store"
)

var _ sources.Receiver = Program{}

// version is the release whose form of sessions is written.
const version = "1.18.33"

// Losses implements [sources.Receiver]. OpenCode sends thinking of other models
// as if it were part of the response, so it is left out.
func (Program) Losses(c *sources.Conversation) []string {
	return c.Lost(func(*format.Assistant, *format.ThinkingBlock) bool { return false })
}

// ids generates IDs that sort by time, like those of OpenCode: 48 bits of
// milliseconds and a counter, then 14 letters.
type ids struct {
	c    *sources.Conversation
	last int64
}

func (i *ids) next(prefix string, at time.Time, key string) string {
	n := max(at.UnixMilli()*4096, i.last+1)
	i.last = n
	return fmt.Sprintf("%s_%012x%s", prefix, n&(1<<48-1), sources.Short(i.c.UUID(key), 14))
}

// session returns the ID of a session, which sorts in reverse order.
func (i *ids) session(key string) string {
	return fmt.Sprintf("ses_%012x%s", ^(i.c.Time.UnixMilli()*4096)&(1<<48-1), sources.Short(i.c.UUID(key), 14))
}

// Receive implements [sources.Receiver]. It writes the file that opencode import
// reads.
func (p Program) Receive(_ context.Context, _ sources.Environment, c *sources.Conversation) (sources.Receipt, error) {
	make := &ids{c: c}
	session := make.session(c.SessionUUID("opencode"))
	messages := []any{}
	parent := ""
	turns := c.Turns()
	for i := range turns {
		t := &turns[i]
		ms := t.Time.UnixMilli()
		message := make.next("msg", t.Time, t.ID)
		parts := []any{}
		put := func(part map[string]any) {
			part["id"], part["sessionID"], part["messageID"] = make.next("prt", t.Time, fmt.Sprint(t.ID, len(parts))), session, message
			parts = append(parts, part)
		}
		if t.Reply == nil {
			parent = message
			for _, b := range t.User {
				switch b := b.(type) {
				case *format.TextBlock:
					put(map[string]any{"type": "text", "text": b.Text})
				case *format.ImageBlock:
					put(map[string]any{"type": "file", "mime": b.MimeType, "filename": "image", "url": sources.DataURL(b)})
				}
			}
			provider, model := modelOf(turns[i:])
			messages = append(messages, map[string]any{"parts": parts, "info": map[string]any{
				"id": message, "sessionID": session, "role": "user", "time": map[string]any{"created": ms}, "agent": "build",
				"model": map[string]any{"providerID": provider, "modelID": model},
			}})
			continue
		}
		u := &t.Reply.Usage
		tokens := map[string]any{"input": u.Input, "output": u.Output, "reasoning": 0, "cache": map[string]any{"read": u.CacheRead, "write": u.CacheWrite}}
		finish := "stop"
		if t.Reply.StopReason == "toolUse" {
			finish = "tool-calls"
		}
		put(map[string]any{"type": "step-start"})
		for _, b := range t.Reply.Content.Blocks {
			switch b := b.(type) {
			case *format.TextBlock:
				put(map[string]any{"type": "text", "text": b.Text, "time": map[string]any{"start": ms, "end": ms}})
			case *format.ToolCallBlock:
				put(map[string]any{"type": "tool", "tool": b.Name, "callID": b.ID, "state": state(b, t.Results[b.ID], ms)})
			}
		}
		put(map[string]any{"type": "step-finish", "reason": finish, "tokens": tokens, "cost": u.Cost.Total})
		messages = append(messages, map[string]any{"parts": parts, "info": map[string]any{
			"id": message, "sessionID": session, "role": "assistant", "parentID": parent, "mode": "build", "agent": "build",
			"path": map[string]any{"cwd": c.Cwd, "root": c.Cwd}, "providerID": t.Reply.Provider, "modelID": t.Reply.Model, "cost": u.Cost.Total, "tokens": tokens,
			"finish": finish, "time": map[string]any{"created": ms, "completed": ms},
		}})
	}
	title := cmp.Or(c.Title, "Handed over")
	data, err := json.MarshalIndent(map[string]any{"messages": messages, "info": map[string]any{
		"id": session, "slug": "handed-over", "projectID": "global", "directory": c.Cwd, "title": title, "version": version,
		"time": map[string]any{"created": c.Time.UnixMilli(), "updated": c.Time.UnixMilli()},
	}}, "", " ")
	if err != nil {
		return sources.Receipt{}, err
	}
	path := filepath.Join(c.Dir, session+".json")
	return sources.Receipt{ID: session, Path: path, Commands: [][]string{{"opencode", "import", path}, {"opencode", "-s", session}}}, sources.WriteNew(path, store.Bytes(data))
}

// modelOf returns the model that responded to a prompt.
func modelOf(turns []sources.Turn) (provider, model string) {
	for i := range turns {
		if r := turns[i].Reply; r != nil {
			return r.Provider, r.Model
		}
	}
	return "unknown", "unknown"
}

// state returns a call with its result. A call without one is reported as
// aborted.
func state(b *format.ToolCallBlock, r *format.ToolResult, ms int64) map[string]any {
	input, times := sources.ArgumentsOf(b), map[string]any{"start": ms, "end": ms}
	if r == nil {
		return map[string]any{"status": "error", "input": input, "error": "Tool execution aborted", "time": times}
	}
	if r.IsError {
		return map[string]any{"status": "error", "input": input, "error": r.Content.Joined(), "time": times}
	}
	return map[string]any{"status": "completed", "input": input, "output": r.Content.Joined(), "title": "", "metadata": map[string]any{}, "time": times}
}
