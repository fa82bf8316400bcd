package page

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Tables is the table extension of goldmark for untrusted text. A text has at most
// mostCells cells, since goldmark fills up short rows: otherwise a table of many columns
// and many short rows would take memory proportional to the square of its length. A
// table beyond that is shown as text. Cells have no style attributes, which the
// policy of pages forbids.
var Tables goldmark.Extender = tables{}

const mostCells = 1 << 16

type tables struct{}

func (tables) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithParagraphTransformers(util.Prioritized(limited{extension.NewTableParagraphTransformer()}, 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)))
	html := extension.NewTableHTMLRenderer(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(html, 500)))
}

// limited makes tables until a text has mostCells cells.
type limited struct{ parser.ParagraphTransformer }

// cellsKey is the key of the number of cells that a text may have so far.
var cellsKey = parser.NewContextKey()

func (l limited) Transform(p *ast.Paragraph, reader text.Reader, pc parser.Context) {
	columns, lines := 0, p.Lines()
	for i := range lines.Len() {
		s := lines.At(i)
		columns = max(columns, bytes.Count(s.Value(reader.Source()), []byte{'|'}))
	}
	cells, _ := pc.Get(cellsKey).(int)
	if cells += columns * lines.Len(); cells <= mostCells {
		pc.Set(cellsKey, cells)
		l.ParagraphTransformer.Transform(p, reader, pc)
	}
}
