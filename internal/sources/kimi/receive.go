package kimi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/store"
)

var _ sources.Receiver = Program{}

func (Program) KnownVersion() string { return "2.1.0" }

func (Program) Losses(c *sources.Conversation) []string {
	return c.Lost(func(*format.Assistant, *format.ThinkingBlock) bool { return true })
}

// A writer writes the operations of a session.
type writer struct {
	file  sources.LineFile
	c     *sources.Conversation
	clock int64
	turn  int
	step  int
}

func (w *writer) add(o map[string]any) {
	w.clock++
	o["agentId"], o["time"] = mainAgent, w.clock
	w.file.Add(o)
}

func (w *writer) event(o map[string]any) {
	w.add(map[string]any{"type": "context.append_loop_event", "event": o})
}

func (p Program) Receive(_ context.Context, e sources.Environment, c *sources.Conversation) (sources.Receipt, error) {
	root := p.Roots(e)[0]
	home := filepath.Dir(root)
	id := "session_" + c.SessionUUID("kimi")
	sum := sha256.Sum256([]byte(c.Cwd))
	dir := filepath.Join(root, fmt.Sprintf("wd_%s_%s", filepath.Base(c.Cwd), hex.EncodeToString(sum[:6])), id)
	w := &writer{c: c, clock: c.Time.UnixMilli(), turn: -1}
	w.file.Add(map[string]any{"type": "metadata", "protocol_version": "1.5", "created_at": w.clock})
	turns := c.Turns()
	for i := range turns {
		if t := &turns[i]; t.Reply == nil {
			w.user(t)
		} else {
			w.reply(t)
		}
	}
	path := filepath.Join(dir, "agents", mainAgent, "wire.jsonl")
	r := sources.Receipt{ID: id, Path: path, Commands: [][]string{{"kimi", "-S", id}}}
	if model := defaultModel(home); model != "" {
		r.Commands[0] = append(r.Commands[0], "-m", model)
	} else {
		r.Warning = "add -m and a model to the command: Kimi Code does not take one from the session"
	}
	if err := w.file.Write(path); err != nil {
		return r, err
	}
	state, err := json.Marshal(map[string]any{
		"id": id, "version": 2, "cwd": c.Cwd, "archived": false, "custom": map[string]any{}, "createdAt": c.Time.UnixMilli(), "updatedAt": w.clock, "title": c.Title, "isCustomTitle": c.Title != "",
		"agents": map[string]any{mainAgent: map[string]any{"homedir": filepath.Dir(path), "type": mainAgent}},
	})
	if err == nil {
		err = sources.WriteNew(filepath.Join(dir, "state.json"), store.Bytes(state))
	}
	if err == nil {
		err = sources.AppendLine(filepath.Join(home, "session_index.jsonl"), map[string]any{"sessionId": id, "sessionDir": dir, "workDir": c.Cwd})
	}
	return r, err
}

// defaultModel returns the model that the user configured.
func defaultModel(home string) string {
	var config struct {
		Model string `toml:"default_model"`
	}
	if data, err := sources.ReadFile(filepath.Join(home, "config.toml")); err == nil {
		_ = toml.Unmarshal(data, &config) // without a model the user must name one
	}
	return config.Model
}

func (w *writer) user(t *sources.Turn) {
	w.turn, w.step = w.turn+1, 0
	content := []any{}
	for _, b := range t.User {
		switch b := b.(type) {
		case *format.TextBlock:
			content = append(content, map[string]any{"type": "text", "text": b.Text})
		case *format.ImageBlock:
			content = append(content, map[string]any{"type": "image_url", "imageUrl": map[string]any{"url": sources.DataURL(b)}})
		}
	}
	w.add(map[string]any{"type": "context.append_message", "message": map[string]any{"role": "user", "toolCalls": []any{}, "origin": map[string]any{"kind": "user"}, "content": content}})
}

func (w *writer) reply(t *sources.Turn) {
	w.step++
	at, turn := w.c.UUID(t.ID+"step"), fmt.Sprint(max(w.turn, 0))
	w.event(map[string]any{"type": "step.begin", "uuid": at, "turnId": turn, "step": w.step})
	reason := "end_turn"
	calls := map[string]string{}
	for i, b := range t.Reply.Content.Blocks {
		part := map[string]any{"uuid": w.c.UUID(fmt.Sprint(t.ID, i)), "turnId": turn, "step": w.step, "stepUuid": at}
		switch b := b.(type) {
		case *format.ThinkingBlock:
			part["type"], part["part"] = "content.part", map[string]any{"type": "think", "think": b.Thinking}
		case *format.TextBlock:
			part["type"], part["part"] = "content.part", map[string]any{"type": "text", "text": b.Text}
		case *format.ToolCallBlock:
			part["type"], part["toolCallId"], part["name"], part["args"] = "tool.call", b.ID, b.Name, sources.ArgumentsOf(b)
			calls[b.ID], reason = part["uuid"].(string), "tool_use"
		default:
			continue
		}
		w.event(part)
	}
	for _, b := range t.Reply.Content.Blocks {
		call, ok := b.(*format.ToolCallBlock)
		if !ok || t.Results[call.ID] == nil {
			continue
		}
		r := t.Results[call.ID]
		result := map[string]any{"output": r.Content.Joined()}
		if r.IsError {
			result["isError"] = true
		}
		w.event(map[string]any{"type": "tool.result", "parentUuid": calls[call.ID], "toolCallId": call.ID, "result": result})
	}
	u := &t.Reply.Usage
	w.event(map[string]any{
		"type": "step.end", "uuid": at, "turnId": turn, "step": w.step, "finishReason": reason,
		"usage": map[string]any{"inputOther": u.Input, "output": u.Output, "inputCacheRead": u.CacheRead, "inputCacheCreation": u.CacheWrite},
	})
}
