package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/plain"
)

// content prints what a message holds.
func (c *conversation) content(content format.Content) {
	for _, b := range blocksOf(content) {
		c.block(b)
	}
}

// blocksOf is content as blocks, whatever form it has.
func blocksOf(content format.Content) []format.Block {
	if content.IsText {
		return []format.Block{&format.TextBlock{Text: content.Text}}
	}
	return content.Blocks
}

func (c *conversation) block(b format.Block) {
	switch b := b.(type) {
	case *format.TextBlock:
		c.text(b.Text)
	case *format.ThinkingBlock:
		if b.Redacted {
			c.line(toneDim, "(thinking, encrypted)")
			return
		}
		c.shortened(toneDim, "thinking: ", b.Thinking, thinkingLines)
	case *format.ImageBlock:
		c.line(toneNote, imageText(b))
	case *format.ToolCallBlock:
		c.line(toneNone, "→ "+oneLine(b.Name)+" "+plain.Fit(string(b.Arguments), longestLine))
	case *format.UnknownBlock:
		c.line(toneDim, fmt.Sprintf("[%s, %s]", oneLine(cmp.Or(b.Type, "unknown block")), byteSize(int64(len(b.Raw)))))
	}
}

// imageText stands for a picture.
func imageText(b *format.ImageBlock) string {
	kind := oneLine(cmp.Or(b.MimeType, "unknown type"))
	if strings.HasPrefix(b.Data, "blob:") {
		return fmt.Sprintf("[image %s, %s]", kind, plain.Fit(b.Data, 40))
	}
	return fmt.Sprintf("[image %s, %s]", kind, byteSize(int64(len(b.Data))*3/4))
}
