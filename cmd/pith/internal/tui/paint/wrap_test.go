package paint_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// clusters are pieces of text that belong together, and text that does not.
var clusters = []string{
	"👩‍💻", "🏳️‍🌈", "👨‍👩‍👧‍👦", "❤️", "👍🏽", "🇩🇪", "1️⃣", "e\u0301", "न\u093f", "각", " \u0301", "漢", "한", "a", "b", "-", " ", "   ", "\n", "\t", "\x1b[31m", "\u200d", "word",
}

func clustersOf(text string) (list []string) {
	for c := range termsafe.Clusters(text) {
		list = append(list, c)
	}
	return list
}

func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(clusters), 0, 40).Draw(t, "text"), "")
}

// measured runs a property for both ways in which terminals measure clusters.
func measured(t *testing.T, property func(*rapid.T)) {
	t.Cleanup(func() { termsafe.MeasureClusters(true) })
	for name, whole := range map[string]bool{"clusters": true, "characters": false} {
		t.Run(name, func(t *testing.T) {
			termsafe.MeasureClusters(whole)
			rapid.Check(t, property)
		})
	}
}

// Wrapping drops spaces and nothing else, never breaks a cluster, and no line is wider
// than the window unless it shows a single cluster.
func TestWrapKeepsClusters(t *testing.T) {
	measured(t, func(t *rapid.T) {
		text, width := drawText(t), rapid.IntRange(1, 20).Draw(t, "width")
		var want, got []string
		for part := range strings.SplitSeq(text, "\n") {
			want = append(want, clustersOf(termsafe.Line(part))...)
		}
		for _, line := range paint.Wrap([]paint.Span{{Text: text}}, width) {
			whole := ""
			for _, s := range line {
				whole += s.Text
			}
			all := clustersOf(whole)
			if shown := slices.DeleteFunc(slices.Clone(all), func(c string) bool { return termsafe.Width(c) == 0 }); paint.Width(line) > width && len(shown) > 1 {
				t.Fatalf("a line of %d cells: %q", paint.Width(line), whole)
			}
			got = append(got, all...)
		}
		space := func(c string) bool { return c == " " }
		if want, got = slices.DeleteFunc(want, space), slices.DeleteFunc(got, space); !slices.Equal(got, want) {
			t.Fatalf("Wrap(%q, %d) has\n%q, want\n%q", text, width, got, want)
		}
	})
}

// A text that is cut ends between clusters, and its parts take the cells of the whole;
// padding fills exactly.
func TestCutsBetweenClusters(t *testing.T) {
	measured(t, func(t *rapid.T) {
		line, cells := termsafe.Line(drawText(t)), rapid.IntRange(0, 30).Draw(t, "cells")
		all := clustersOf(line)
		sum := 0
		for _, c := range all {
			sum += termsafe.Width(c)
		}
		if sum != termsafe.Width(line) {
			t.Fatalf("%q takes %d cells, its clusters %d", line, termsafe.Width(line), sum)
		}
		theme := paint.New(true, paint.Full)
		for name, got := range map[string]string{
			"Fit": termsafe.Fit(line, cells), "FitEnd": termsafe.FitEnd(line, cells), "Cut": termsafe.Cut(line, cells),
			"drawn": paint.Bare(paint.Cut(theme.Line(100, paint.Span{Tone: paint.Accent, Text: line}), cells)),
		} {
			if termsafe.Width(got) > cells {
				t.Fatalf("%s(%q, %d) = %q of %d cells", name, line, cells, got, termsafe.Width(got))
			}
			if rest := clustersOf(strings.Trim(got, "…")); !slices.Equal(rest, all[:min(len(rest), len(all))]) && !slices.Equal(rest, all[max(0, len(all)-len(rest)):]) {
				t.Fatalf("%s(%q, %d) = %q", name, line, cells, got)
			}
		}
		if got := termsafe.Width(termsafe.Pad(termsafe.Fit(line, cells), cells)); got != cells {
			t.Fatalf("Pad(%q, %d) takes %d", line, cells, got)
		}
	})
}

var colors = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// A word that is searched for colors whole clusters.
func TestMarkKeepsClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := termsafe.Line(drawText(t))
		word := strings.ToLower(string(rapid.SampledFrom([]rune("👩💻🏳🌈❤1eaw漢🇩🇪")).Draw(t, "word")))
		marked := paint.New(true, paint.Full).Mark(line, paint.Terms([]string{word}), -1)
		var got []string
		for _, piece := range colors.Split(marked, -1) {
			got = append(got, clustersOf(piece)...)
		}
		if want := clustersOf(line); !slices.Equal(got, want) {
			t.Fatalf("Mark(%q, %q) = %q", line, word, marked)
		}
	})
}
