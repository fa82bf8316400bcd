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

// TaskLists is the extension for list items that begin with [ ] or [x].
var TaskLists goldmark.Extender = taskLists{}

type taskLists struct{}

// Extend gives the check boxes precedence over links, which begin the same.
func (t taskLists) Extend(m goldmark.Markdown) {
	m.Parser().AddOptions(parser.WithInlineParsers(util.Prioritized(t, 0)))
	m.Renderer().AddOptions(renderer.WithNodeRenderers(util.Prioritized(t, 500)))
}

func (taskLists) Trigger() []byte { return []byte{'['} }

// Parse accepts a check box only at the start of the first block of an item.
func (taskLists) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	if parent.HasChildren() || parent.PreviousSibling() != nil {
		return nil
	}
	if _, ok := parent.Parent().(*ast.ListItem); !ok {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 3 || line[0] != '[' || line[2] != ']' {
		return nil
	}
	checked := line[1] == 'x' || line[1] == 'X'
	if !checked && !isSpace(line[1]) {
		return nil
	}
	end := 3
	for end < len(line) && isSpace(line[end]) {
		end++
	}
	block.Advance(end)
	return extension.NewTaskCheckBox(checked)
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'
}

func (taskLists) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(extension.KindTaskCheckBox, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch {
		case !entering:
			return ast.WalkContinue, nil
		case n.(*extension.TaskCheckBox).IsChecked:
			return write(w, `<input checked="" disabled="" type="checkbox"> `)
		}
		return write(w, `<input disabled="" type="checkbox"> `)
	})
}
