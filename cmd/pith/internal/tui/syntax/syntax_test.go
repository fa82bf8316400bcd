package syntax_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/syntax"
)

// marked writes tones as letters around a text, for comparing.
func marked(lines [][]paint.Span) string {
	var out strings.Builder
	for i, line := range lines {
		if i > 0 {
			out.WriteByte('\n')
		}
		for _, s := range line {
			switch s.Tone {
			case paint.Comment:
				fmt.Fprintf(&out, "c[%s]", s.Text)
			case paint.Literal:
				fmt.Fprintf(&out, "l[%s]", s.Text)
			case paint.Keyword:
				fmt.Fprintf(&out, "k[%s]", s.Text)
			default:
				out.WriteString(s.Text)
			}
		}
	}
	return out.String()
}

func TestLines(t *testing.T) {
	for name, tt := range map[string]struct{ language, text, want string }{
		"words, strings, numbers": {"go", "return f(\"a b\", 0x1F) // done", "k[return] f(l[\"a b\"], l[0x1F]) c[// done]"},
		"words inside others":     {"go", "forward := returned", "forward := returned"},
		"over lines":              {"go", "x := `a\nb` /* c\nd */ + 1", "x := l[`a]\nl[b`] c[/* c]\nc[d */] + l[1]"},
		"escapes":                 {"ts", `const a = 'it\'s'`, `k[const] a = l['it\'s']`},
		"docstring":               {"py", "def f():\n\"\"\"one\ntwo\"\"\"", "k[def] f():\nl[\"\"\"one]\nl[two\"\"\"]"},
		"lifetimes":               {"rust", "fn f<'a>(x: &'a str)", "k[fn] f<'a>(x: &'a k[str])"},
		"a hash in a word":        {"sh", "echo $# a#b # c", "echo $# a#b c[# c]"},
		"any case":                {"SQL", "Select 1 FROM t -- x", "k[Select] l[1] k[FROM] t c[-- x]"},
		"unfinished string":       {"sh", "echo don't if\nif x", "echo don't if\nk[if] x"},
		"unfinished comment":      {"c", "/* a\nb", "c[/* a]\nc[b]"},
		"unknown language":        {"klingon", "return 1 // x", "return 1 // x"},
		"no language":             {"", "if 1", "if 1"},
		"empty lines":             {"go", "\n\nfunc", "\n\nk[func]"},
		"other letters":           {"go", "größe := ifé", "größe := ifé"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := marked(syntax.Lines(tt.language, tt.text, paint.Code)); got != tt.want {
				t.Errorf("Lines(%q, %q)\n%s\nwant\n%s", tt.language, tt.text, got, tt.want)
			}
		})
	}
}

// For any text, the concatenation of its lines is the text.
func FuzzLines(f *testing.F) {
	f.Add("go", "x := `a\nb` /* \"c\\\"\nd */ 1e9 // é")
	f.Add("py", "'''a\"\"\"\n\xff'\\")
	f.Add("html", "<!-- a --><b c=\"d\">")
	f.Fuzz(func(t *testing.T, language, text string) {
		var rows []string
		for _, line := range syntax.Lines(language, text, paint.Plain) {
			row := ""
			for _, s := range line {
				row += s.Text
			}
			rows = append(rows, row)
		}
		if got := strings.Join(rows, "\n"); got != text {
			t.Errorf("Lines(%q, %q) make %q", language, text, got)
		}
	})
}

func BenchmarkLines(b *testing.B) {
	text := strings.Repeat("func f(a int) string { return fmt.Sprintf(\"%d\", a) } // one\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		syntax.Lines("go", text, paint.Code)
	}
}
