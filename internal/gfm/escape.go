package gfm

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// escapedCells is the key of the cells that contain an escaped pipe.
var escapedCells = parser.NewContextKey()

func noteEscapedPipe(pc parser.Context, cell *extension.TableCell) {
	cells, _ := pc.Get(escapedCells).([]*extension.TableCell)
	pc.Set(escapedCells, append(cells, cell))
}

// escapedPipes removes the backslash before a pipe in the code of table cells.
// Code has no escapes otherwise, but a pipe would end the cell.
type escapedPipes struct{}

func (escapedPipes) Transform(_ *ast.Document, reader text.Reader, pc parser.Context) {
	cells, _ := pc.Get(escapedCells).([]*extension.TableCell)
	pc.Set(escapedCells, nil)
	for _, cell := range cells {
		// Walk returns only errors of the function.
		_ = ast.Walk(cell, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && n.Kind() == ast.KindCodeSpan {
				unescapePipes(n, reader.Source())
			}
			return ast.WalkContinue, nil
		})
	}
}

// unescapePipes splits the texts of a code span around backslashes before pipes.
func unescapePipes(code ast.Node, source []byte) {
	for c := code.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			continue
		}
		i := bytes.Index(source[t.Segment.Start:t.Segment.Stop], []byte(`\|`))
		if i < 0 {
			continue
		}
		backslash := t.Segment.Start + i
		head := ast.NewRawTextSegment(t.Segment.WithStop(backslash))
		tail := ast.NewRawTextSegment(t.Segment.WithStart(backslash + 1))
		code.InsertAfter(code, c, head)
		code.InsertAfter(code, head, tail)
		code.RemoveChild(code, c)
		c = head // the next is the tail
	}
}
