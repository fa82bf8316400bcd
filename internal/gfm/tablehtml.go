package gfm

import (
	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// tableHTML renders tables.
type tableHTML struct{}

func (t tableHTML) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extension.KindTable, t.table)
	r.Register(extension.KindTableHeader, t.header)
	r.Register(extension.KindTableRow, t.row)
	r.Register(extension.KindTableCell, t.cell)
}

func (tableHTML) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		return write(w, "<table>\n")
	}
	return write(w, "</table>\n")
}

// header renders the header row. The rows after it are the body.
func (tableHTML) header(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	switch {
	case entering:
		return write(w, "<thead>\n<tr>\n")
	case n.NextSibling() == nil:
		return write(w, "</tr>\n</thead>\n")
	}
	return write(w, "</tr>\n</thead>\n<tbody>\n")
}

func (tableHTML) row(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	switch {
	case entering:
		return write(w, "<tr>\n")
	case n.NextSibling() == nil:
		return write(w, "</tr>\n</tbody>\n")
	}
	return write(w, "</tr>\n")
}

func (tableHTML) cell(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "td"
	if n.Parent().Kind() == extension.KindTableHeader {
		tag = "th"
	}
	if !entering {
		return write(w, "</"+tag+">\n")
	}
	if alignment := n.(*extension.TableCell).Alignment; alignment != extension.AlignNone {
		return write(w, "<"+tag+` style="text-align:`+alignment.String()+`">`)
	}
	return write(w, "<"+tag+">")
}

func write(w util.BufWriter, s string) (ast.WalkStatus, error) {
	_, err := w.WriteString(s)
	return ast.WalkContinue, err
}
