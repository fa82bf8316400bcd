package qwen

import (
	"context"
	"maps"
	"path/filepath"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

var _ sources.Receiver = Program{}

func (Program) KnownVersion() string { return "0.24.4" }

func (Program) Losses(c *sources.Conversation) []string {
	left := 0
	for _, s := range c.Others {
		if atEnd(c, s.After) {
			left++
		}
	}
	if left == 0 {
		return nil
	}
	return []string{"entries after it"}
}

// atEnd reports whether an entry is the last message of the context. Qwen Code resumes
// at the last line, so that nothing can follow it.
func atEnd(c *sources.Conversation, entry string) bool {
	return len(c.Messages) == 0 || entry == c.Messages[len(c.Messages)-1].ID
}

func (p Program) Receive(_ context.Context, e sources.Environment, c *sources.Conversation) (sources.Receipt, error) {
	id := c.SessionUUID(p.Name())
	w := &lineWriter{c: c, session: id, ends: map[string]string{}}
	w.branches("")
	turns, last := c.Turns(), ""
	for i := range turns {
		w.parent = last
		w.turn(&turns[i])
		last = w.parent
		if i < len(turns)-1 {
			w.branches(turns[i].Entries()...)
		}
	}
	path := filepath.Join(p.Roots(e)[0], sources.Mangled(c.Cwd), "chats", id+format.FileSuffix)
	return sources.Receipt{ID: id, Path: path, Commands: [][]string{{"qwen", "-r", id}}}, w.file.Write(path)
}

// A lineWriter writes the lines of a chat.
type lineWriter struct {
	c       *sources.Conversation
	session string
	file    sources.LineFile
	parent  string            // UUID of the line that the next one follows
	ends    map[string]string // UUID of the last line of each entry
}

// branches writes the branches that continue some entries.
func (w *lineWriter) branches(entries ...string) {
	for todo := entries; len(todo) > 0; {
		after := todo[0]
		todo = todo[1:]
		for i := range w.c.Others {
			s := &w.c.Others[i]
			if s.After != after {
				continue
			}
			w.parent = w.ends[after]
			turns := s.Turns()
			for n := range turns {
				w.turn(&turns[n])
				todo = append(todo, turns[n].Entries()...)
			}
		}
	}
}

func (w *lineWriter) turn(t *sources.Turn) {
	if t.Reply == nil {
		w.line(&t.Handed, "", "user", map[string]any{"message": map[string]any{"role": "user", "parts": sources.GenAIParts(t.User)}})
	} else {
		w.response(t)
	}
	for _, entry := range t.Entries() {
		w.ends[entry] = w.parent
	}
}

func (w *lineWriter) response(t *sources.Turn) {
	u := &t.Reply.Usage
	w.line(&t.Handed, "", "assistant", map[string]any{
		"model": t.Reply.Model, "message": map[string]any{"role": "model", "parts": sources.GenAIParts(t.Reply.Content.Blocks)},
		"usageMetadata": map[string]any{"promptTokenCount": u.Input, "candidatesTokenCount": u.Output, "totalTokenCount": u.TotalTokens},
	})
	for _, b := range t.Reply.Content.Blocks {
		if call, ok := b.(*format.ToolCallBlock); ok && t.Results[call.ID] != nil {
			w.line(&t.Handed, "/"+call.ID, "tool_result", map[string]any{"message": map[string]any{"role": "user", "parts": []any{sources.GenAIResponse(t.Results[call.ID], call.Name)}}})
		}
	}
}

func (w *lineWriter) line(h *sources.Handed, key, kind string, more map[string]any) {
	uuid := w.c.UUID(h.ID + key)
	l := map[string]any{"uuid": uuid, "parentUuid": nil, "sessionId": w.session, "timestamp": format.FormatTime(h.Time), "type": kind, "cwd": w.c.Cwd, "version": Program{}.KnownVersion()}
	if w.parent != "" {
		l["parentUuid"] = w.parent
	}
	maps.Copy(l, more)
	w.file.Add(l)
	w.parent = uuid
}
