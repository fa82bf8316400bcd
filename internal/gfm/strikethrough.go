package gfm

import (
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Strikethrough is the extension for ~text~ and ~~text~~.
var Strikethrough goldmark.Extender = strikethrough{}

// strikethrough parses and renders the nodes, and pairs their delimiters.
type strikethrough struct{}

func (s strikethrough) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(s, 500)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(s, 500)))
}

func (strikethrough) Trigger() []byte { return []byte{'~'} }

// Parse accepts one or two tildes. A longer run is text.
func (s strikethrough) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	if before == '~' {
		return nil
	}
	line, segment := block.PeekLine()
	run := parser.ScanDelimiter(line, before, 1, s)
	if run == nil || run.OriginalLength > 2 {
		return nil
	}
	run.Segment = segment.WithStop(segment.Start + run.OriginalLength)
	block.Advance(run.OriginalLength)
	pc.PushDelimiter(run)
	return run
}

func (strikethrough) IsDelimiter(c byte) bool { return c == '~' }

func (strikethrough) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

func (strikethrough) OnMatch(int) ast.Node { return extension.NewStrikethrough() }

func (strikethrough) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extension.KindStrikethrough, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			return write(w, "<del>")
		}
		return write(w, "</del>")
	})
}
