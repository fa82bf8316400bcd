package layout_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

func TestWrap(t *testing.T) {
	tests := map[string]struct {
		line          string
		cells, indent int
		want          string
	}{
		"fits":         {"a word", 10, 0, "a word"},
		"at a space":   {"one two three four", 9, 0, "one two|three|four"},
		"set in":       {"one two three four", 9, 2, "one two|  three|  four"},
		"no space":     {"abcdefghijkl", 5, 0, "abcde|fghij|kl"},
		"wide":         {"日本語の文章です", 6, 0, "日本語|の文章|です"},
		"a long word":  {"one abcdefghijkl", 6, 2, "one|  abcd|  efgh|  ijkl"},
		"many spaces":  {"one      two", 6, 0, "one|two"},
		"spaces first": {"    indented text here", 12, 4, "    indented|    text|    here"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := layout.Wrap(tt.line, tt.cells, tt.indent)
			if strings.Join(got, "|") != tt.want {
				t.Errorf("Wrap(%q, %d, %d) = %q, want %q", tt.line, tt.cells, tt.indent, strings.Join(got, "|"), tt.want)
			}
			for _, piece := range got {
				if termsafe.Width(piece) > tt.cells {
					t.Errorf("%q takes %d cells, want at most %d", piece, termsafe.Width(piece), tt.cells)
				}
			}
		})
	}
}
