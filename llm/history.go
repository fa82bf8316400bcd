package llm

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/transcript"
)

// Words that stand for what a model cannot be sent.
const (
	noUserImage   = "(image omitted: model does not support images)"
	noToolImage   = "(tool image omitted: model does not support images)"
	noImageData   = "(image omitted: its data is not in the session)"
	seeImage      = "(see attached image)"
	noToolOutput  = "(no tool output)"
	imagesOfTools = "Attached image(s) from tool result:"
)

// A turn is one message as a model is sent it. Its blocks are text that is not
// blank, pictures with their data, thoughts and calls.
type turn struct {
	role   format.Role
	blocks []format.Block
	result *format.ToolResult // for a toolResult, whose blocks may be none
	callID string             // for a toolResult
}

// A historian makes turns of messages for one model.
type historian struct {
	model Model
	// newID gives an id that the provider accepts to a call of another model.
	newID func(string) string
	ids   map[string]string // of calls, from the session's to the provider's
	taken map[string]bool   // the provider's
}

// turns makes a conversation valid for a provider: calls and results in pairs,
// no failed answers, no empty blocks and no empty messages, thoughts only to the
// model that thought them, pictures only to a model that can see.
func turns(messages []format.Message, m Model, newID func(string) string) []turn {
	h := &historian{model: m, newID: newID, ids: map[string]string{}, taken: map[string]bool{}}
	var out []turn
	for _, message := range repaired(messages) {
		switch v := message.(type) {
		case *format.User:
			if blocks := h.seen(v.Content, noUserImage); len(blocks) > 0 {
				out = append(out, turn{role: format.RoleUser, blocks: blocks})
			}
		case *format.Assistant:
			if blocks := h.said(v); len(blocks) > 0 {
				out = append(out, turn{role: format.RoleAssistant, blocks: blocks})
			}
		case *format.ToolResult:
			out = append(out, turn{
				role: format.RoleToolResult, result: v, callID: h.id(v.ToolCallID),
				blocks: h.seen(v.Content, noToolImage),
			})
		}
	}
	return out
}

// repaired pairs calls and results, drops failed answers and replaces text that
// cannot be sent. A conversation that came from a repaired context stays as it
// is; that is the rule, and costs no decoding.
func repaired(messages []format.Message) []format.Message {
	raw := make([]transcript.Message, 0, len(messages))
	kept := make([]format.Message, 0, len(messages))
	for _, m := range messages {
		switch m.(type) {
		case *format.User, *format.Assistant, *format.ToolResult:
			raw = append(raw, transcript.Message{Pos: len(kept), Raw: m.Raw()})
			kept = append(kept, m)
		}
	}
	mended, changes := transcript.Repair(raw)
	if len(changes) == 0 {
		return kept
	}
	out := make([]format.Message, 0, len(mended))
	for _, m := range mended {
		if m.Pos < len(kept) && bytes.Equal(m.Raw, raw[m.Pos].Raw) {
			out = append(out, kept[m.Pos])
			continue
		}
		decoded, err := format.DecodeMessage(m.Raw)
		if err == nil {
			out = append(out, decoded)
		}
	}
	return out
}

// seen is content of a user or a tool as the model can take it. Of pictures in a
// row that cannot be sent one placeholder is left.
func (h *historian) seen(c format.Content, placeholder string) []format.Block {
	if c.IsText {
		return textBlocks(c.Text)
	}
	var out []format.Block
	last := "" // the placeholder that out ends in
	for _, b := range c.Blocks {
		switch v := b.(type) {
		case *format.TextBlock:
			out, last = append(out, textBlocks(v.Text)...), ""
		case *format.ImageBlock:
			instead := ""
			switch {
			case !h.model.Images:
				instead = placeholder
			case v.MimeType == "" || v.Data == "" || strings.Contains(v.Data, ":"):
				instead = noImageData
			default:
				out, last = append(out, v), ""
				continue
			}
			if instead != last {
				out = append(out, &format.TextBlock{Text: instead})
			}
			last = instead
		}
	}
	return out
}

// said is what an assistant said as the model can take it back.
func (h *historian) said(m *format.Assistant) []format.Block {
	if m.Content.IsText {
		return textBlocks(m.Content.Text)
	}
	own := m.Provider == h.model.Provider && m.API == h.model.API && m.Model == h.model.ID
	var out []format.Block
	for _, b := range m.Content.Blocks {
		switch v := b.(type) {
		case *format.TextBlock:
			out = append(out, textBlocks(v.Text)...)
		case *format.ThinkingBlock:
			out = append(out, thought(v, own)...)
		case *format.ToolCallBlock:
			out = append(out, h.call(v, own))
		}
	}
	return out
}

// thought gives a thought back to the model that thought it. To others the
// signature means nothing: they get it as text, or not at all when there is none
// to read.
func thought(b *format.ThinkingBlock, own bool) []format.Block {
	switch {
	case own && b.ThinkingSignature != "":
		return []format.Block{b}
	case b.Redacted || strings.TrimSpace(b.Thinking) == "":
		return nil
	case own:
		return []format.Block{b}
	}
	return textBlocks(b.Thinking)
}

func (h *historian) call(b *format.ToolCallBlock, own bool) format.Block {
	id := b.ID
	if !own {
		id = h.newID(id)
	}
	for n := 2; h.taken[id]; n++ {
		id = numbered(h.newID(b.ID), n)
	}
	h.taken[id], h.ids[b.ID] = true, id
	call := &format.ToolCallBlock{ID: id, Name: b.Name, Arguments: b.Arguments}
	if own {
		call.ThoughtSignature = b.ThoughtSignature
	}
	if len(call.Arguments) == 0 || !isObject(string(bytes.TrimSpace(call.Arguments))) {
		call.Arguments = json.RawMessage("{}")
	}
	return call
}

func (h *historian) id(call string) string {
	if id, ok := h.ids[call]; ok {
		return id
	}
	return h.newID(call)
}

func textBlocks(s string) []format.Block {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	return []format.Block{&format.TextBlock{Text: strings.ToValidUTF8(s, "\uFFFD")}}
}

// calledTools are the tools that a conversation calls, each once, by name alone.
func calledTools(history []turn) []Tool {
	var out []Tool
	seen := map[string]bool{}
	for _, t := range history {
		for _, b := range t.blocks {
			if call, ok := b.(*format.ToolCallBlock); ok && !seen[call.Name] {
				seen[call.Name] = true
				out = append(out, Tool{Name: call.Name})
			}
		}
	}
	return out
}
