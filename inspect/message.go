package inspect

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

func (b *builder) message(m format.Message, e *pith.Envelope) {
	switch m := m.(type) {
	case *format.User:
		b.content(Item{Kind: User}, m.Content, e)
	case *format.Assistant:
		first := len(b.x.Items)
		b.content(Item{Kind: Response}, m.Content, e)
		if why := failureOf(m); why != "" {
			b.say(Item{Kind: Failure, Name: Text(m.StopReason)}, why, e)
		}
		if first == len(b.x.Items) {
			b.add(Item{Kind: Response}, e)
		}
		for i := first; i < len(b.x.Items); i++ {
			b.x.Items[i].Model = Text(m.Model)
		}
	case *format.ToolResult:
		b.result(m, e)
	case *format.BashExecution:
		it := Item{Kind: Shell, Hidden: m.ExcludeFromContext}
		it.Bash = &Bash{Text(m.Command), m.ExitCode, m.Cancelled, m.Truncated}
		b.say(it, m.Output, e)
	case *format.CustomRole:
		b.content(Item{Kind: Custom, Name: Text(m.CustomType), Hidden: !m.Display}, m.Content, e)
	case *format.System:
		b.say(Item{Kind: System}, systemText(m), e)
	case *format.BranchSummaryMessage:
		b.say(Item{Kind: BranchSummary, Target: Text(m.FromID)}, m.Summary, e)
	case *format.CompactionSummaryMessage:
		b.say(Item{Kind: Compaction, TokensBefore: m.TokensBefore}, m.Summary, e)
	case *format.UnknownMessage:
		if text := m.DisplayText(); text != "" {
			b.say(Item{Kind: Other, Name: Text(m.RoleName)}, text, e)
			return
		}
		b.content(Item{Kind: Other, Name: Text(cmp.Or(string(m.RoleName), "message without a role"))}, m.Content, e)
	}
}

// failureOf describes how a response failed, or returns "".
func failureOf(m *format.Assistant) string {
	switch {
	case m.ErrorMessage != "":
		return m.ErrorMessage
	case m.StopReason == "aborted":
		return "aborted"
	case m.StopReason == "length":
		return "cut off: the response was too long"
	case m.StopReason == "error":
		return "failed"
	}
	return ""
}

// systemText returns the prompt, followed by the sections and tools as JSON.
func systemText(m *format.System) string {
	parts := []string{}
	if text := m.Content.Joined(); text != "" {
		parts = append(parts, text)
	}
	for _, part := range []struct{ name, raw string }{
		{"sections", string(m.Sections)}, {"tools added", string(m.ToolsAdded)}, {"tools removed", string(m.ToolsRemoved)},
	} {
		if part.raw != "" && part.raw != "null" && part.raw != "[]" && part.raw != "{}" {
			parts = append(parts, part.name+": "+part.raw)
		}
	}
	return strings.Join(parts, "\n")
}

// content adds an item for each part of a message's content. like is the item
// for text.
func (b *builder) content(like Item, c format.Content, e *pith.Envelope) {
	if c.IsText {
		b.say(like, c.Text, e)
		return
	}
	if len(c.Blocks) == 0 && like.Kind != Response {
		b.add(like, e)
	}
	for _, block := range c.Blocks {
		switch block := block.(type) {
		case *format.TextBlock:
			b.say(like, block.Text, e)
		case *format.ThinkingBlock:
			b.thinking(block, e)
		case *format.ImageBlock:
			it := like
			it.Image = imageOf(block)
			b.add(it, e)
		case *format.ToolCallBlock:
			b.call(block, e)
		case *format.UnknownBlock:
			b.say(Item{Kind: Other, Name: Text(cmp.Or(block.Type, "unknown block"))}, string(block.Raw), e)
		}
	}
}

func (b *builder) thinking(block *format.ThinkingBlock, e *pith.Envelope) {
	if block.Redacted {
		b.add(Item{Kind: Thinking, Hidden: true}, e)
		return
	}
	b.say(Item{Kind: Thinking}, block.Thinking, e)
}

// imageOf describes the image of a block.
func imageOf(block *format.ImageBlock) *Image {
	image := &Image{MimeType: Text(block.MimeType)}
	if strings.HasPrefix(block.Data, "blob:") {
		image.Reference = Text(strings.Clone(block.Data))
		return image
	}
	image.Bytes = int64(len(strings.TrimRight(block.Data, "="))) * 3 / 4
	return image
}

// String describes an image by its type and size.
func (i *Image) String() string {
	kind := cmp.Or(string(i.MimeType), "unknown type")
	if i.Reference != "" {
		return fmt.Sprintf("image %s, %s", kind, string(i.Reference))
	}
	return fmt.Sprintf("image %s, %d bytes", kind, i.Bytes)
}
