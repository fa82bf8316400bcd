package markdown_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/markdown"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// draw shows what a text looks like without colours.
func draw(source string, width int) string {
	theme := paint.New(true, paint.Monochrome)
	var b strings.Builder
	for _, line := range markdown.Lines(source, width) {
		text := theme.Line(width, line...)
		for {
			i := strings.Index(text, "\x1b[")
			if i < 0 {
				break
			}
			text = text[:i] + text[i+strings.IndexByte(text[i:], 'm')+1:]
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return b.String()
}

func TestLines(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"words", "some *words* and **more** of `them`", "some words and more of them\n"},
		{"line breaks stay", "one\ntwo", "one\ntwo\n"},
		{"paragraphs", "one\n\ntwo", "one\n\ntwo\n"},
		{"wrapping", "a text that is longer than the line is wide", "a text that is longer than the\nline is wide\n"},
		{"heading", "# Title\n\ntext", "Title\n\ntext\n"},
		{"list", "- one\n- two\n  - three\n", "• one\n• two\n  • three\n"},
		{"numbers", "3. one\n4. two", "3. one\n4. two\n"},
		{"tasks", "- [x] done\n- [ ] open", "• [x] done\n• [ ] open\n"},
		{"quote", "> said\n> again", "│ said\n│ again\n"},
		{"code", "```go\nfunc x() {\n\treturn\n}\n```", "  func x() {\n          return\n  }\n"},
		{"link", "[here](https://x.example)", "here (https://x.example)\n"},
		{"bare link", "<https://x.example>", "https://x.example\n"},
		{"picture", "![a cat](cat.png)", "[image: a cat]\n"},
		{"html", "<b>x</b>\n\n<div>\ny\n</div>", "<b>x</b>\n\n<div>\ny\n</div>\n"},
		{"rule", "a\n\n---\n\nb", "a\n\n──────────────────────────────\n\nb\n"},
		{"table", "| a | long one |\n|---|---|\n| b | c |", "a │ long one\n────────────\nb │ c\n"},
		{"escapes", `\*no\* \\`, "*no* \\\n"},
		{"wide", "日本語のテキストはとても長いので折り返します", "日本語のテキストはとても長いの\nで折り返します\n"},
		{"nothing", "", ""},
	} {
		if got := draw(c.source, 30); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

// M1, M2: every line fits, and every word is there.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"a **b** `c`", "- x\n\n  > y\n\n    z", "|a|b|\n|-|-|\n|c|d|", "\x1b[31m\u202e", strings.Repeat("> ", 200) + "deep", strings.Repeat("- ", 300), "```\n" + strings.Repeat("x", 300)} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, source string, width int) {
		width = 1 + max(width, -width)%200
		for _, line := range markdown.Lines(source, width) {
			if n := paint.Width(line); n > max(width, 2) { // a wide character needs two cells
				t.Fatalf("%d cells in a width of %d: %q", n, width, line)
			}
		}
	})
}

func BenchmarkLines(b *testing.B) {
	text := strings.Repeat("A paragraph with **bold** words and `code` in it, as answers have.\n\n- one\n- two\n\n", 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		markdown.Lines(text, 100)
	}
}
