package markdown

import (
	"fmt"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/syntax"
	"github.com/pith-sessions/pith/internal/page"
)

// deepest is the depth to which nesting is followed. Deeper nodes are shown as
// text.
const deepest = 40

// parsing returns the parser, made at the first use.
var parsing = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(page.Tables, extension.Strikethrough, extension.TaskList)).Parser()
})

// Lines renders a text as lines of at most width cells.
func Lines(source string, width int) [][]paint.Span {
	source = termsafe.Text(source)
	r := &renderer{source: []byte(source)}
	doc := parsing().Parse(text.NewReader(r.source))
	lines := r.blocks(doc, max(1, width), 0, false)
	for len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

type renderer struct{ source []byte }

// blocks returns the lines of a node's children, with a blank line between them
// unless they are in a tight list.
func (r *renderer) blocks(n ast.Node, width, depth int, tight bool) [][]paint.Span {
	var lines [][]paint.Span
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		block := r.block(c, width, depth)
		if len(block) == 0 {
			continue
		}
		if len(lines) > 0 && !tight {
			lines = append(lines, nil)
		}
		lines = append(lines, block...)
	}
	return lines
}

func (r *renderer) block(n ast.Node, width, depth int) [][]paint.Span {
	if depth > deepest || width < 4 {
		return paint.Wrap([]paint.Span{{Text: string(r.lines(n))}}, width)
	}
	switch n := n.(type) {
	case *ast.Heading:
		return paint.Wrap(r.inline(n, paint.Heading, 0), width)
	case *ast.List:
		return r.list(n, width, depth)
	case *ast.Blockquote:
		return prefixed(paint.Span{Tone: paint.Dim, Text: "│ "}, paint.Span{Tone: paint.Dim, Text: "│ "}, r.blocks(n, width-2, depth+1, false))
	case *ast.FencedCodeBlock:
		return r.code(n, string(n.Language(r.source)), width)
	case *ast.CodeBlock:
		return r.code(n, "", width)
	case *ast.ThematicBreak:
		return [][]paint.Span{{{Tone: paint.Dim, Text: strings.Repeat("─", width)}}}
	case *ast.HTMLBlock:
		text := r.lines(n)
		if n.HasClosure() {
			text = append(text, n.ClosureLine.Value(r.source)...)
		}
		return paint.Wrap([]paint.Span{{Tone: paint.Dim, Text: strings.TrimRight(string(text), "\n")}}, width)
	case *extast.Table:
		return r.table(n, width)
	}
	return paint.Wrap(r.inline(n, paint.Plain, 0), width)
}

// lines returns the raw text of a block.
func (r *renderer) lines(n ast.Node) []byte {
	if n.Type() != ast.TypeBlock {
		return nil
	}
	var out []byte
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		out = append(out, s.Value(r.source)...)
	}
	return out
}

// code shows code unformatted and indented; long lines are broken.
func (r *renderer) code(n ast.Node, language string, width int) [][]paint.Span {
	var out [][]paint.Span
	for _, line := range syntax.Lines(language, strings.TrimRight(string(r.lines(n)), "\n"), paint.Code) {
		for _, piece := range paint.Wrap(line, max(1, width-2)) {
			out = append(out, append([]paint.Span{{Text: "  "}}, piece...))
		}
	}
	return out
}

func (r *renderer) list(n *ast.List, width, depth int) [][]paint.Span {
	var lines [][]paint.Span
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d%c ", number, n.Marker)
			number++
		}
		if len(lines) > 0 && !n.IsTight {
			lines = append(lines, nil)
		}
		indent := min(len([]rune(mark)), width-2)
		body := r.blocks(item, width-indent, depth+1, n.IsTight)
		if len(body) == 0 {
			body = [][]paint.Span{nil}
		}
		lines = append(lines, prefixed(paint.Span{Tone: paint.Dim, Text: mark}, paint.Span{Text: strings.Repeat(" ", indent)}, body)...)
	}
	return lines
}

// prefixed puts one span before the first line and another before the others.
func prefixed(first, rest paint.Span, lines [][]paint.Span) [][]paint.Span {
	out := make([][]paint.Span, len(lines))
	for i, line := range lines {
		head := rest
		if i == 0 {
			head = first
		}
		out[i] = append([]paint.Span{head}, line...)
	}
	return out
}
