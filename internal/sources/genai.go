package sources

import (
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A GenAIContent is the content of a message in the form of Google's API, which
// Gemini CLI and Qwen Code store.
type GenAIContent struct {
	Blocks  []format.Block // texts, thinking, images and calls
	Results []GenAIResult
}

// A GenAIResult is the result of a call.
type GenAIResult struct {
	ID, Name string
	Text     string
	Failed   bool
	Images   []format.Block
}

// ReadGenAI reads a string, a part or a list of parts.
func ReadGenAI(raw []byte) (c GenAIContent) {
	if text, _ := jsonl.String(raw); text != "" {
		c.Blocks = append(c.Blocks, &format.TextBlock{Text: text})
	}
	if jsonl.KindOf(raw) == '{' {
		c.part(Object(raw))
	}
	for part := range jsonl.Elements(raw) {
		if text, ok := jsonl.String(part); ok {
			c.Blocks = append(c.Blocks, &format.TextBlock{Text: text})
		} else if jsonl.KindOf(part) == '{' {
			c.part(Object(part))
		}
	}
	return c
}

func (c *GenAIContent) part(p Object) {
	switch {
	case p.Raw("functionCall") != nil:
		call := p.Object("functionCall")
		c.Blocks = append(c.Blocks, &format.ToolCallBlock{
			ID: call.Text("id"), Name: call.Text("name"), Arguments: call.RawObject("args"), ThoughtSignature: p.Text("thoughtSignature"),
		})
	case p.Raw("functionResponse") != nil:
		c.Results = append(c.Results, readResult(p.Object("functionResponse")))
	case p.Raw("inlineData") != nil:
		data := p.Object("inlineData")
		if image := image(data); image != nil {
			c.Blocks = append(c.Blocks, image)
			return
		}
		c.Blocks = append(c.Blocks, &format.TextBlock{Text: "[file " + data.Text("mimeType") + "]"})
	case p.Bool("thought"):
		c.Blocks = append(c.Blocks, &format.ThinkingBlock{Thinking: p.Text("text"), ThinkingSignature: p.Text("thoughtSignature")})
	case p.Raw("text") != nil:
		c.Blocks = append(c.Blocks, &format.TextBlock{Text: p.Text("text")})
	default:
		c.Blocks = append(c.Blocks, &format.UnknownBlock{Raw: []byte(p)})
	}
}

func image(data Object) format.Block {
	if mime := data.Text("mimeType"); strings.HasPrefix(mime, "image/") {
		return &format.ImageBlock{Data: data.Text("data"), MimeType: mime}
	}
	return nil
}

func readResult(r Object) GenAIResult {
	out := GenAIResult{ID: r.Text("id"), Name: r.Text("name")}
	response := r.Object("response")
	switch {
	case response.Raw("error") != nil:
		out.Text, out.Failed = response.Text("error"), true
	case response.Raw("output") != nil:
		out.Text = response.Text("output")
	default:
		out.Text = string(response)
	}
	for _, part := range r.List("parts") {
		if b := image(Object(part).Object("inlineData")); b != nil {
			out.Images = append(out.Images, b)
		}
	}
	return out
}

// Message returns the result as a message.
func (r *GenAIResult) Message(ms int64) *format.ToolResult {
	return &format.ToolResult{
		ToolCallID: r.ID, ToolName: r.Name, IsError: r.Failed, Timestamp: ms,
		Content: format.BlockContent(append([]format.Block{&format.TextBlock{Text: r.Text}}, r.Images...)...),
	}
}
