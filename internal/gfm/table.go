package gfm

import (
	"bytes"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// mostMissing is the number of cells that are added to the short rows of a
// text. Without a limit, a table of many columns and many rows of one byte would
// take memory proportional to the square of its length.
const mostMissing = 1 << 16

// missing is the key of the number of cells that were added.
var missing = parser.NewContextKey()

// Tables is the extension for tables.
var Tables goldmark.Extender = tables{}

type tables struct{}

func (t tables) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(
		parser.WithParagraphTransformers(util.Prioritized(t, 200)),
		parser.WithASTTransformers(util.Prioritized(escapedPipes{}, 0)),
	)
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(tableHTML{}, 500)))
}

// Transform makes a table of the lines of a paragraph from the one before the
// first delimiter row. The lines above stay a paragraph.
func (tables) Transform(paragraph *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := paragraph.Lines()
	for i := 1; i < lines.Len(); i++ {
		delimiters := lines.At(i)
		alignments := columnAlignments(delimiters.Value(reader.Source()))
		if alignments == nil {
			continue
		}
		b := tableBuilder{source: reader.Source(), pc: pc, alignments: alignments}
		b.added, _ = pc.Get(missing).(int)
		if b.buildHeader(lines.At(i - 1)) {
			b.table.SetPos(paragraph.Pos())
			for j := i + 1; j < lines.Len(); j++ {
				b.buildRow(lines.At(j))
			}
			pc.Set(missing, b.added)
			replaceEnd(paragraph, i-1, b.table)
		}
		return
	}
}

// replaceEnd puts a table in place of the lines of a paragraph from number
// first on.
func replaceEnd(paragraph *ast.Paragraph, first int, table ast.Node) {
	parent, lines := paragraph.Parent(), paragraph.Lines()
	lines.SetSliced(0, first)
	parent.InsertAfter(parent, paragraph, table)
	if first == 0 {
		parent.RemoveChild(parent, paragraph)
		return
	}
	last := lines.At(first - 1)
	last.Stop-- // the line feed
	lines.Set(first-1, last)
}

// columnAlignments returns the alignments that a delimiter row states, or nil if
// the line is not one.
func columnAlignments(line []byte) []extension.Alignment {
	if indent, _ := util.IndentWidth(line, 0); indent > 3 {
		return nil
	}
	onlyHyphens := true
	for _, c := range line {
		if c != '-' && c != '|' && c != ':' && !util.IsSpace(c) {
			return nil
		}
		onlyHyphens = onlyHyphens && c == '-'
	}
	if onlyHyphens {
		return nil
	}
	columns := bytes.Split(line, []byte{'|'})
	if util.IsBlank(columns[0]) {
		columns = columns[1:]
	}
	if n := len(columns); n > 0 && util.IsBlank(columns[n-1]) {
		columns = columns[:n-1]
	}
	var alignments []extension.Alignment
	for _, column := range columns {
		alignment, ok := columnAlignment(column)
		if !ok {
			return nil
		}
		alignments = append(alignments, alignment)
	}
	return alignments
}

func columnAlignment(column []byte) (_ extension.Alignment, ok bool) {
	hyphens := bytes.TrimFunc(column, func(r rune) bool { return isSpace(byte(r)) })
	hyphens, left := bytes.CutPrefix(hyphens, []byte{':'})
	hyphens, right := bytes.CutSuffix(hyphens, []byte{':'})
	if len(hyphens) == 0 || len(bytes.Trim(hyphens, "-")) > 0 {
		return 0, false
	}
	switch {
	case left && right:
		return extension.AlignCenter, true
	case left:
		return extension.AlignLeft, true
	case right:
		return extension.AlignRight, true
	}
	return extension.AlignNone, true
}

type tableBuilder struct {
	source     []byte
	pc         parser.Context
	alignments []extension.Alignment
	table      *extension.Table
	added      int // cells that rows of the text lacked
}

// buildHeader makes the table unless its header has more cells than there are
// columns. Like goldmark, and unlike GitHub, it accepts a header that has fewer.
func (b *tableBuilder) buildHeader(line text.Segment) bool {
	row, cells := b.newRow(line, len(b.alignments)+1)
	if cells > len(b.alignments) {
		return false
	}
	for ; cells < len(b.alignments); cells++ {
		row.AppendChild(row, extension.NewTableCell())
	}
	b.table = extension.NewTable()
	b.table.Alignments = b.alignments
	b.table.AppendChild(b.table, extension.NewTableHeader(row))
	return true
}

// buildRow adds a row. Cells that the line lacks are empty.
func (b *tableBuilder) buildRow(line text.Segment) {
	row, cells := b.newRow(line, len(b.alignments))
	for ; cells < len(b.alignments) && b.added < mostMissing; cells++ {
		row.AppendChild(row, extension.NewTableCell())
		b.added++
	}
	b.table.AppendChild(b.table, row)
}

// newRow returns a row of the first cells of a line, at most limit, and their
// number.
func (b *tableBuilder) newRow(line text.Segment, limit int) (*extension.TableRow, int) {
	row := extension.NewTableRow(b.alignments)
	row.SetPos(line.Start)
	trimmed := line.TrimLeftSpace(b.source)
	trimmed = trimmed.TrimRightSpace(b.source)
	content := trimmed.Value(b.source)
	start, end := 0, len(content)
	if end > 0 && content[0] == '|' {
		start++
	}
	if end > 0 && content[end-1] == '|' {
		end--
	}
	cells := 0
	for start < end && cells < limit {
		width, escaped := cellWidth(content[start:end])
		cell := extension.NewTableCell()
		cell.SetPos(line.Start + start - line.Padding)
		if cells < len(b.alignments) {
			cell.Alignment = b.alignments[cells]
		}
		in := text.NewSegment(trimmed.Start+start, trimmed.Start+start+width)
		in = in.TrimLeftSpace(b.source)
		cell.Lines().Append(in.TrimRightSpace(b.source))
		row.AppendChild(row, cell)
		if escaped {
			noteEscapedPipe(b.pc, cell)
		}
		start += width + 1
		cells++
	}
	return row, cells
}

// cellWidth returns the length of the first cell of a line, and whether it has
// an escaped pipe.
func cellWidth(line []byte) (width int, escaped bool) {
	for width < len(line) {
		i := bytes.IndexByte(line[width:], '|')
		if i < 0 {
			break
		}
		width += i
		if width == 0 || line[width-1] != '\\' {
			return width, escaped
		}
		escaped = true
		width++
	}
	return len(line), escaped
}
