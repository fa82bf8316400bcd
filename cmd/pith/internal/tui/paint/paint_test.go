package paint_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// pitfall 143: wide, combining, control and escape characters in a row.
func TestLineIsHarmlessAndFits(t *testing.T) {
	texts := []string{"plain", "日本語のとても長いテキスト", "a\x1b[31mred\x07", "e\u0301\u0301accents", "\u202eturned", "a\tb\nc", strings.Repeat("x", 300)}
	for _, dark := range []bool{true, false} {
		for _, colour := range []bool{true, false} {
			theme := paint.New(dark, map[bool]paint.Depth{true: paint.Full}[colour])
			for _, text := range texts {
				for width := range 40 {
					line := theme.Line(width, paint.Span{Tone: paint.Accent, Text: "› "}, paint.Span{Tone: paint.Error, Text: text}, paint.Span{Text: "end"})
					if got := paint.Shown(line); got > width {
						t.Errorf("Line(%d, %q) takes %d cells: %q", width, text, got, line)
					}
					if bare := strip(line); bare != termsafe.Line(bare) {
						t.Errorf("Line(%d, %q) = %q: holds a control character", width, text, line)
					}
					chosen := theme.Selected(width, paint.Span{Text: text})
					if got := paint.Shown(chosen); got != width {
						t.Errorf("Selected(%d, %q) takes %d cells, want the whole width", width, text, got)
					}
				}
			}
		}
	}
}

func TestLineShowsTheCut(t *testing.T) {
	theme := paint.New(true, paint.Monochrome)
	for _, c := range []struct {
		spans []paint.Span
		width int
		want  string
	}{
		{[]paint.Span{{Text: "abc"}, {Text: "def"}}, 6, "abcdef"},
		{[]paint.Span{{Text: "abc"}, {Text: "def"}}, 5, "abcd…"},
		{[]paint.Span{{Text: "abc"}, {Text: "def"}}, 3, "ab…"},
		{[]paint.Span{{Text: "abc"}, {Text: ""}}, 3, "abc"},
		{[]paint.Span{{Text: "日本"}, {Text: "x"}}, 4, "日…"},
		{[]paint.Span{{Text: "abc"}}, 0, ""},
	} {
		if got := theme.Line(c.width, c.spans...); got != c.want {
			t.Errorf("Line(%d, %v) = %q, want %q", c.width, c.spans, got, c.want)
		}
	}
}

func TestSides(t *testing.T) {
	theme := paint.New(true, paint.Monochrome)
	left, right := []paint.Span{{Text: "left"}}, []paint.Span{{Text: "and the right"}}
	for _, c := range []struct {
		width int
		want  string
	}{
		{20, "left   and the right"},
		{15, "left and the r…"},
		{8, "left"},
		{3, "le…"},
	} {
		if got := theme.Sides(c.width, left, right); got != c.want {
			t.Errorf("Sides(%d) = %q, want %q", c.width, got, c.want)
		}
	}
}

func TestBesideAlignsDrawnLines(t *testing.T) {
	theme := paint.New(true, paint.Full)
	left := []string{theme.Line(6, paint.Span{Tone: paint.Accent, Text: "日本"}), "ab"}
	lines := theme.Beside(left, 6, []string{"r", "r", "r"})
	if len(lines) != 3 {
		t.Errorf("Beside gave %d lines, want 3", len(lines))
	}
	for _, line := range lines {
		if got := paint.Shown(line); got != 10 {
			t.Errorf("Beside gave %q of %d cells, want 10", line, got)
		}
	}
}

func TestBlockHasTheHeight(t *testing.T) {
	for height := range 5 {
		got := paint.Block(height, "a", "b")
		if height == 0 {
			if got != "" {
				t.Errorf("Block(0) = %q, want nothing", got)
			}
			continue
		}
		if n := strings.Count(got, "\n") + 1; n != height {
			t.Errorf("Block(%d) has %d lines", height, n)
		}
	}
}

// strip takes the colours out of a drawn line.
func strip(line string) string {
	var b strings.Builder
	for line != "" {
		i := strings.Index(line, "\x1b[")
		if i < 0 {
			b.WriteString(line)
			break
		}
		b.WriteString(line[:i])
		line = line[i+strings.IndexByte(line[i:], 'm')+1:]
	}
	return b.String()
}

func BenchmarkLine(b *testing.B) {
	theme := paint.New(true, paint.Full)
	text := strings.Repeat("what was said in a message, ", 1000)
	b.ReportAllocs()
	for b.Loop() {
		theme.Selected(120, paint.Span{Tone: paint.Accent, Text: "› "}, paint.Span{Text: text}, paint.Span{Tone: paint.Dim, Text: "12 3h"})
	}
}

// The words of a search are highlighted, not the line, and its colors stay.
func TestMark(t *testing.T) {
	theme := paint.New(true, paint.Full)
	line := theme.Line(40, paint.Span{Tone: paint.Error, Text: "Lease is "}, paint.Span{Text: "leased"}, paint.Span{Tone: paint.Code, Text: " ağLEAse"})
	got := theme.Mark(line, paint.Terms([]string{"lease"}), 1)
	if paint.Bare(got) != paint.Bare(line) {
		t.Errorf("the text became %q; want %q", paint.Bare(got), paint.Bare(line))
	}
	match, current := "\x1b[4;48;2;107;85;16m", "\x1b[1;4;48;2;217;138;0m"
	want := match + "Lease\x1b[0m\x1b[38;2;255;141;133m is \x1b[0m" + current + "lease\x1b[0md\x1b[38;2;52;184;162m ağ\x1b[0m" + match + "LEAse\x1b[0m"
	if got != want {
		t.Errorf("Mark = %q; want %q", got, want)
	}
	if got := theme.Mark(line, nil, 0); got != line {
		t.Errorf("without words the line became %q", got)
	}
}
