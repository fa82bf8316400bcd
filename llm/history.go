package llm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/transcript"
)

// Texts that replace content that cannot be sent.
const (
	noUserImage   = "(image omitted: model does not support images)"
	noToolImage   = "(tool image omitted: model does not support images)"
	noImageData   = "(image omitted: its data is not in the session)"
	seeImage      = "(see attached image)"
	noToolOutput  = "(no tool output)"
	imagesOfTools = "Attached image(s) from tool result:"
)

// A turn is one message as sent to a model. Its blocks are nonblank text,
// images with their data, thinking and calls.
type turn struct {
	role   format.Role
	blocks []format.Block
	result *format.ToolResult // for a toolResult, which may have no blocks
	callID string             // for a toolResult
}

// A historian converts messages to turns for one model.
type historian struct {
	model Model
	// newID returns an id that the provider accepts for a call of another
	// model.
	newID func(string) string
	ids   map[string]string // call ids, from the session's to the provider's
	taken map[string]bool   // provider's ids in use
}

// turns makes a conversation valid for a provider: calls and results are
// paired, failed responses, empty blocks and empty messages are removed,
// thinking goes only to the model that produced it, and images only to a model
// that accepts them.
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
			if blocks := h.assistantBlocks(v); len(blocks) > 0 {
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

// repaired pairs calls and results, drops failed responses and replaces text
// that cannot be sent. A conversation from a repaired context, the usual case,
// is returned unchanged without decoding.
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
	fixed, changes := transcript.Repair(raw)
	if len(changes) == 0 {
		return kept
	}
	out := make([]format.Message, 0, len(fixed))
	for _, m := range fixed {
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

// seen converts user or tool content for the model. Consecutive images that
// cannot be sent become one placeholder.
func (h *historian) seen(c format.Content, placeholder string) []format.Block {
	if c.IsText {
		return textBlocks(c.Text)
	}
	var out []format.Block
	last := "" // the placeholder at the end of out
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

func (h *historian) assistantBlocks(m *format.Assistant) []format.Block {
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

// thought returns thinking to the model that produced it. For other models the
// signature is meaningless: they get it as text, or not at all if it has no
// text.
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

// calledTools returns the tools that a conversation calls, each once, by name
// only.
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

// Maximum lengths of a call id.
const (
	anthropicID = 64
	openAIID    = 40
)

// anthropicCallID returns an id that Anthropic accepts: letters, digits, '_'
// and '-', at most 64 of them. Ids of other providers have up to 450
// characters.
func anthropicCallID(id string) string { return callID(id, anthropicID) }

// openAICallID returns an id for Chat Completions. Ids of OpenAI's Responses
// have two parts; the second distinguishes the calls of one response.
func openAICallID(id string) string {
	if !strings.Contains(id, "|") && len(id) <= openAIID {
		return id
	}
	return callID(id, openAIID)
}

// callID keeps ids distinct that would be equal after truncation.
func callID(id string, most int) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, id)
	if clean != "" && len(clean) <= most {
		return clean
	}
	sum := sha256.Sum256([]byte(id))
	hash := hex.EncodeToString(sum[:4])
	return clean[:min(len(clean), most-len(hash)-1)] + "_" + hash
}

func numbered(id string, n int) string {
	suffix := fmt.Sprintf("_%d", n)
	return id[:min(len(id), openAIID-len(suffix))] + suffix
}
