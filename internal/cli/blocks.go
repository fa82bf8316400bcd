package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/plain"
)

// How much is shown of what is not the conversation itself.
const (
	thinkingLines = 3
	resultLines   = 8
	longestLine   = 240
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

// text prints text in full.
func (c *conversation) text(s string) {
	s = strings.Trim(plain.Text(s), "\n")
	if s == "" {
		return
	}
	for line := range strings.SplitSeq(s, "\n") {
		c.out.print(strings.TrimRight("  "+line, " ") + "\n")
	}
}

// line prints one line, cut to the width.
func (c *conversation) line(t tone, s string) {
	cells := longestLine
	if c.width > 0 {
		cells = max(1, c.width-2)
	}
	s = strings.TrimRight(plain.Fit(s, cells), " ")
	if s == "" {
		c.out.print("\n")
		return
	}
	c.out.print("  " + c.colors.paint(t, s) + "\n")
}

// shortened prints the first lines of a text and says how many follow.
func (c *conversation) shortened(t tone, lead, s string, most int) {
	s = strings.TrimRight(s, "\n\r\t ")
	if s == "" {
		return
	}
	total := strings.Count(s, "\n") + 1
	shown := 0
	for line := range strings.SplitSeq(s, "\n") {
		if shown == most {
			break
		}
		c.line(t, lead+plain.Text(firstPart(strings.TrimRight(line, "\r"))))
		lead = ""
		shown++
	}
	if total > shown {
		c.line(toneDim, "… "+counted(total-shown, "more line"))
	}
}

// firstPart bounds the work on a line of which the beginning is shown.
func firstPart(s string) string { return s[:min(len(s), 16*longestLine)] }
