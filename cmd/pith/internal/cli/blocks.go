package cli

import (
	"cmp"
	"fmt"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
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
		c.line(toneNote, "["+describeImage(inspect.ImageOf(b))+"]")
	case *format.ToolCallBlock:
		c.line(toneNone, "→ "+oneLine(b.Name)+" "+termsafe.Fit(string(b.Arguments), longestLine))
	case *format.UnknownBlock:
		c.line(toneDim, fmt.Sprintf("[%s, %s]", oneLine(cmp.Or(b.Type, "unknown block")), humanize.Bytes(int64(len(b.Raw)))))
	}
}
