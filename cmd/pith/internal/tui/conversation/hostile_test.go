package conversation_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
)

var colour = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// S4 and pitfall 143: whatever a session says, the screen holds colours alone, and
// every line fits.
func TestHostileTexts(t *testing.T) {
	texts := []string{
		"\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m",
		"[link](javascript:alert(1)) and [other](https://x.example/\x1b]8;;https://evil\x07y)",
		"<script>alert(1)</script> <b>bold</b>\n\n```ansi\n\x1b[31mcode\x1b]52;c;aGVsbG8=\x07\n```",
		"\u202eturned\u2066 \u009b31m c1 \u009d0;x\u009c",
		"| a | b |\n|---|---|\n| \x1b[5m | " + strings.Repeat("long ", 50) + " |",
		strings.Repeat("日本語テキスト", 60),
		strings.Repeat("nospaces", 100),
		"# " + strings.Repeat("heading ", 30) + "\n\n1. one\n   - two\n      > quote\n\n![img](data:image/png;base64,xx)",
		"\x00\x01\x7f tabs\tand\rreturns\r\n",
		"",
	}
	var items []inspect.Item
	for _, text := range texts {
		raw := inspect.Text(text)
		items = append(items, ask(text), answer(text), inspect.Item{Kind: inspect.Thinking, Text: raw}, call(text, `{"command":"`+strings.Repeat("x", 300)+`"}`, text, true),
			inspect.Item{Kind: inspect.Compaction, Text: raw, Label: raw}, inspect.Item{Kind: inspect.Custom, Name: raw, Text: raw},
			inspect.Item{Kind: inspect.Failure, Name: raw, Text: raw}, inspect.Item{Kind: inspect.ModelChange, Name: raw}, inspect.Item{Kind: inspect.System, Text: raw})
	}
	for _, width := range []int{1, 3, 12, 20, 60, 130, 220} {
		for _, theme := range []*paint.Theme{paint.New(true, paint.Full), paint.New(false, paint.Full), paint.New(true, paint.Monochrome)} {
			d := start(t, width, 30, exchange(1, items...))
			d.m.Begin(conversation.LiveText, "")
			d.m.Grow(texts[0] + texts[1])
			d.press("e home")
			for range 60 {
				lines := strings.Split(strings.Join(d.m.Lines(theme, width, 30), "\n"), "\n")
				if len(lines) != 30 {
					t.Fatalf("width %d: %d lines", width, len(lines))
				}
				for _, line := range lines {
					if got := paint.Shown(line); got > width {
						t.Errorf("width %d: %d cells: %q", width, got, line)
					}
					if rest := colour.ReplaceAllString(line, ""); strings.ContainsAny(rest, "\x1b\x07\x00\u202e\u2066\u009b\u009d\u009c\t\r") {
						t.Fatalf("width %d: %q", width, line)
					}
				}
				d.press("pgdn")
			}
		}
	}
}

func BenchmarkScrolling(b *testing.B) {
	long := strings.Repeat("A paragraph with **bold** words and `code` in it, as answers have.\n\n", 12)
	exchanges := make([]*inspect.Turn, 50_000)
	for i := range exchanges {
		exchanges[i] = exchange(i, ask("question"), call("bash", `{"command":"npm test"}`, long, false), answer(long))
	}
	d := start(b, 100, 50, exchanges...)
	theme := paint.New(true, paint.Full)
	b.ReportAllocs()
	for b.Loop() {
		d.press("up")
		strings.Join(d.m.Lines(theme, 100, 50), "\n")
	}
}
