package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"

	"github.com/pith-sessions/pith/internal/tui/look"
)

// inline collects the spans of what a block holds.
func (r *renderer) inline(n ast.Node, tone look.Tone, depth int) []look.Span {
	var spans []look.Span
	if depth > deepest {
		return append(spans, look.Span{Tone: tone, Text: r.rawText(n)})
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		spans = append(spans, r.piece(c, tone, depth)...)
	}
	return spans
}

func (r *renderer) piece(n ast.Node, tone look.Tone, depth int) []look.Span {
	switch n := n.(type) {
	case *ast.Text:
		text := string(n.Segment.Value(r.source))
		if !n.IsRaw() {
			text = unescape(text)
		}
		if n.SoftLineBreak() || n.HardLineBreak() {
			text += "\n"
		}
		return []look.Span{{Tone: tone, Text: text}}
	case *ast.String:
		return []look.Span{{Tone: tone, Text: string(n.Value)}}
	case *ast.CodeSpan:
		return []look.Span{{Tone: look.Code, Text: r.rawText(n)}}
	case *ast.Emphasis:
		inner := look.Strong
		if n.Level == 1 && tone != look.Strong {
			inner = look.Accent
		}
		return r.inline(n, inner, depth+1)
	case *ast.Link:
		return r.link(r.inline(n, look.Accent, depth+1), string(n.Destination))
	case *ast.AutoLink:
		return []look.Span{{Tone: look.Accent, Text: string(n.Label(r.source))}}
	case *ast.Image:
		return append(append([]look.Span{{Tone: look.Dim, Text: "[image: "}}, r.inline(n, look.Dim, depth+1)...), look.Span{Tone: look.Dim, Text: "]"})
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			b.Write(s.Value(r.source))
		}
		return []look.Span{{Tone: look.Dim, Text: b.String()}}
	case *extension.Strikethrough:
		return r.inline(n, look.Dim, depth+1)
	case *extension.TaskCheckBox:
		if n.IsChecked {
			return []look.Span{{Tone: look.Success, Text: "[x] "}}
		}
		return []look.Span{{Tone: tone, Text: "[ ] "}}
	}
	return r.inline(n, tone, depth+1)
}

// link shows where a link leads, unless its text says so.
func (r *renderer) link(text []look.Span, to string) []look.Span {
	said := ""
	for _, s := range text {
		said += s.Text
	}
	if to == "" || said == to || "mailto:"+said == to {
		return text
	}
	return append(text, look.Span{Tone: look.Dim, Text: " (" + to + ")"})
}

// rawText is the text of a node's children, as written.
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

// unescape takes the backslash off an escaped mark.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
