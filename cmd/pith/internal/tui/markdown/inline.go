package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// inline collects the spans of a block.
func (r *renderer) inline(n ast.Node, tone paint.Tone, depth int) []paint.Span {
	var spans []paint.Span
	if depth > deepest {
		return append(spans, paint.Span{Tone: tone, Text: r.rawText(n)})
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		spans = append(spans, r.piece(c, tone, depth)...)
	}
	return spans
}

func (r *renderer) piece(n ast.Node, tone paint.Tone, depth int) []paint.Span {
	switch n := n.(type) {
	case *ast.Text:
		text := string(n.Segment.Value(r.source))
		if !n.IsRaw() {
			text = string(util.UnescapePunctuations([]byte(text)))
		}
		if n.SoftLineBreak() || n.HardLineBreak() {
			text += "\n"
		}
		return []paint.Span{{Tone: tone, Text: text}}
	case *ast.String:
		return []paint.Span{{Tone: tone, Text: string(n.Value)}}
	case *ast.CodeSpan:
		return []paint.Span{{Tone: paint.Code, Text: r.rawText(n)}}
	case *ast.Emphasis:
		inner := paint.Strong
		if n.Level == 1 && tone != paint.Strong {
			inner = paint.Accent
		}
		return r.inline(n, inner, depth+1)
	case *ast.Link:
		return r.link(r.inline(n, paint.Accent, depth+1), string(n.Destination))
	case *ast.AutoLink:
		return []paint.Span{{Tone: paint.Accent, Text: string(n.Label(r.source))}}
	case *ast.Image:
		return append(append([]paint.Span{{Tone: paint.Dim, Text: "[image: "}}, r.inline(n, paint.Dim, depth+1)...), paint.Span{Tone: paint.Dim, Text: "]"})
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			b.Write(s.Value(r.source))
		}
		return []paint.Span{{Tone: paint.Dim, Text: b.String()}}
	case *extension.Strikethrough:
		return r.inline(n, paint.Dim, depth+1)
	case *extension.TaskCheckBox:
		if n.IsChecked {
			return []paint.Span{{Tone: paint.Success, Text: "[x] "}}
		}
		return []paint.Span{{Tone: tone, Text: "[ ] "}}
	}
	return r.inline(n, tone, depth+1)
}

// link shows the target of a link, unless its text does.
func (r *renderer) link(text []paint.Span, to string) []paint.Span {
	value := ""
	for _, s := range text {
		value += s.Text
	}
	if to == "" || value == to || "mailto:"+value == to {
		return text
	}
	return append(text, paint.Span{Tone: paint.Dim, Text: " (" + to + ")"})
}

// rawText returns the text of a node's children as written.
func (r *renderer) rawText(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(r.source))
			if c.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		}
	}
	return b.String()
}
