package page_test

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/pith-sessions/pith/internal/page"
)

// An aligned column has no style attribute: the policy of pages forbids it, and a browser
// reports it.
func TestAlignedTable(t *testing.T) {
	got := page.Markdown("| a | b |\n|:-:|--:|\n| c | d |\n")
	if !strings.Contains(got, `<td align="center">c</td>`) || !strings.Contains(got, `<th align="right">b</th>`) || strings.Contains(got, "style") {
		t.Errorf("an aligned table is %s", got)
	}
}

// Tables of many columns and many short rows do not take memory for the cells that the
// rows lack.
func TestShortRowsTakeLittleMemory(t *testing.T) {
	table := func(columns, rows int) string {
		return strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n" + strings.Repeat("b\n", rows) + "\n"
	}
	for name, source := range map[string]string{
		"one":     table(10_000, 10_000),
		"several": strings.Repeat(table(100, 100), 1000),
	} {
		cells := 0
		document := goldmark.New(goldmark.WithExtensions(page.Tables)).Parser().Parse(text.NewReader([]byte(source)))
		err := ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && n.Kind() == extension.KindTableCell {
				cells++
			}
			return ast.WalkContinue, nil
		})
		if err != nil || cells > 1<<16 {
			t.Errorf("%s: %d bytes have %d cells, %v; want at most 65,536", name, len(source), cells, err)
		}
	}
	if got := page.Markdown(table(100, 100)); !strings.Contains(got, "<table>") {
		t.Errorf("an ordinary table is %.100s", got)
	}
}
