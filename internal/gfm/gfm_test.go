package gfm_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/pith-sessions/pith/internal/gfm"
)

var (
	original = goldmark.New(goldmark.WithExtensions(extension.GFM))
	own      = goldmark.New(goldmark.WithExtensions(gfm.Autolinks, gfm.Tables, gfm.Strikethrough, gfm.TaskLists))
)

var samples = []string{
	"",
	"~~gone~~ ~one~ ~~~three~~~ a~~b~~c ~~ no ~~ **~~both~~**",
	"- [ ] open\n- [x] done\n- [X]done\n- [y] no\n- a [x] no\n- [x]\n\n  [x] second\n",
	"1. [ ]\ttab\n2. [\t] tab\n3. [x\n",
	"[x] no item",
	"- > [x] quoted\n",
	"see https://example.com, http://a.b.c/d?e=f#g. ftp://h.example/i; (https://j.example/k(l)) https://m.example/n)o)",
	"https://localhost http://localhost:80/ http://1.2.3.4 http://a.example:8080/p http://a.example:/p http://a.example:8x",
	"www.example.com www.example www.a.b/$x http://a.b/$x WWW.a.b HTTP://a.b xhttp://a.b",
	"a@example.com. b@c d@e.f- g@h.i_ .j@k.l m@n..o p+q@r-s.t,u _v@w.x_ (y@z.aa)",
	"*https://a.b/c* _https://a.b/c_ ~https://a.b~ **www.a.b** https://a.b/&amp; https://a.b/x; https://a.b/&lt;&gt;",
	"[https://a.b](https://c.d) <https://a.b> [www.a.b] ![www.a.b](x)",
	"http://" + strings.Repeat("a", 255) + ".com http://" + strings.Repeat("a", 256) + ".com http://" + strings.Repeat("a", 257) + ".com/x",
	"http://" + strings.Repeat("a.", 127) + "a.b.c.d.e",
	"http://a.é http://é.a http://a.b/é http://a..b http://.a http://a.B www..a www.a.",
	"https://a.b/c\nhttps://d.e\thttps://f.g",
	"| a | b |\n|---|:-:|\n| c | d |\n| e |\n| f | g | h |\n",
	"a|b\n-|-\nc|d\n\nafter",
	"|\n|-", "a\n-|-\nb|c\n",
	"text above\n| a | b |\n| :-- | --: |\n| `c \\| d` | e \\| f |\n",
	"| a |\n| - |\n|\n||\n| |\n|x\n",
	"| a | b |\n|---|\n| c |\n",
	"| a \\| b |\n| --- |\n| \\|\n| c\\|\n",
	"| `a \\| b \\| c` `d\\|` |\n|--|\n| ``\\|`` **`e\\|f`** |\n",
	"| a | b |\n|:|-|\n", "| a |\n|--\n", "a\n:-\n", "a\n-:\n", "a\n--\n", "|\n|\n", "a\n    |-|\n", "a|b\n-|-",
	"> | a |\n> | - |\n> | b |\n\n- | c |\n  | - |\n  | d |\n",
	"| a | b\r\n|---|---\r\n| c | d\r\n",
	"a\n| b |\n|--x|\n| c |\n|---|\n| d |\n",
	"| a |\n|---|\n| [b](c \"d|e\") |\n| <i>f</i> ~~g~~ https://h.i |\n\t| j |\n# k\n",
}

// render returns the HTML of a text.
func render(t testing.TB, m goldmark.Markdown, source string) string {
	t.Helper()
	var out bytes.Buffer
	if err := m.Convert([]byte(source), &out); err != nil {
		t.Fatalf("Convert(%q): %v", source, err)
	}
	return out.String()
}

// The extensions render like those of goldmark, wherever a text begins and ends.
func TestRendersLikeGoldmark(t *testing.T) {
	same := func(source string) {
		if got, want := render(t, own, source), render(t, original, source); got != want {
			t.Errorf("%q\n got %s\nwant %s", source, got, want)
		}
	}
	for _, source := range samples {
		same(source)
		for i := 1; i < len(source) && len(source) < 200; i++ {
			same(source[:i])
			same(source[i:])
		}
	}
}

func FuzzRendersLikeGoldmark(f *testing.F) {
	for _, source := range samples {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 1<<10 {
			t.Skip("a table may have more empty cells than are added")
		}
		if got, want := render(t, own, source), render(t, original, source); got != want {
			t.Errorf("%q\n got %s\nwant %s", source, got, want)
		}
	})
}

// Tables of many columns and many short rows have few cells.
func TestShortRowsTakeLittleMemory(t *testing.T) {
	const columns, rows = 10_000, 10_000
	table := func(columns, rows int) string {
		return strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n" + strings.Repeat("b\n", rows) + "\n"
	}
	source := table(columns, rows) + strings.Repeat(table(columns/100, rows/100), 100)
	cells := 0
	document := own.Parser().Parse(text.NewReader([]byte(source)))
	err := ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Kind() == extast.KindTableCell {
			cells++
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cells < 2*(columns+rows) || cells > len(source) {
		t.Errorf("%d bytes have %d cells, want at least %d and at most one for each byte", len(source), cells, 2*(columns+rows))
	}
}
