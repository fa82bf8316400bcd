package termsafe

import (
	"iter"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

// perRune means that a cluster takes as many cells as its characters together.
var perRune atomic.Bool

// MeasureClusters sets how the terminal measures a grapheme cluster such as a
// family emoji: as a whole, which is the default, or character by character.
func MeasureClusters(whole bool) { perRune.Store(!whole) }

// Width returns the number of terminal cells of s, which must have passed
// through Line: a Chinese character takes two, a combining accent none.
func Width(s string) int {
	if perRune.Load() {
		return ansi.StringWidthWc(s)
	}
	return displaywidth.String(s)
}

// Clusters yields the grapheme clusters of s and their numbers of cells. s must
// have passed through Line. A text is cut only between clusters.
func Clusters(s string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		g := displaywidth.StringGraphemes(s)
		for g.Next() {
			if c := g.Value(); !yield(c, Width(c)) {
				return
			}
		}
	}
}

// Cut returns as much of the start of s as fits into cells. s must have passed
// through Line.
func Cut(s string, cells int) string {
	n := 0
	for c, width := range Clusters(s) {
		if cells -= width; cells < 0 {
			break
		}
		n += len(c)
	}
	return s[:n]
}

// Fit is like Line, but cuts the result to at most cells cells, with an
// ellipsis for the cut. The cost does not depend on the length of s.
func Fit(s string, cells int) string {
	if cells <= 0 {
		return ""
	}
	if line, ok := fitASCII(s, cells); ok {
		return line
	}
	return fitAny(s, cells)
}

// FitEnd returns as much of the end of s as fits, after an ellipsis if
// something is cut off, or "" if too little fits. s must have passed through
// Line.
func FitEnd(s string, cells int) string {
	if Width(s) <= cells {
		return s
	}
	if cells < 6 {
		return ""
	}
	at, left := 0, Width(s)
	for c, width := range Clusters(s) {
		if left <= cells-1 {
			break
		}
		at, left = at+len(c), left-width
	}
	return "…" + strings.TrimPrefix(s[at:], "…")
}

// fitASCII is like Fit for the usual start of texts: one-cell letters and line
// breaks. A tree has tens of thousands of them.
func fitASCII(s string, cells int) (string, bool) {
	n := 0 // letters before the first break
	for n < len(s) && n <= cells && ' ' <= s[n] && s[n] < 0x7f {
		n++
	}
	switch {
	case n > cells:
		return s[:cells-1] + "…", true
	case n == len(s):
		return s, true
	}
	var room [256]byte
	line := append(room[:0], s[:n]...)
	for i := n; i < len(s) && len(line) <= cells; i++ {
		c := s[i]
		switch {
		case c == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			continue // the line feed is the break
		case c == '\n' || c == '\r' || c == '\t':
			c = ' '
		case c < ' ' || c >= 0x7f:
			return "", false
		}
		line = append(line, c)
	}
	if len(line) > cells {
		line = append(line[:cells-1], "…"...)
	}
	return string(line), true
}

// fitAny is like Fit for any text.
func fitAny(s string, cells int) string {
	head := firstBytes(s, cells)
	line := Line(head)
	if len(head) < len(s) {
		line += "…" // more follows, even if this part takes no cells
	}
	if len(line) <= cells || Width(line) <= cells { // no character takes more cells than it has bytes
		return line
	}
	return strings.TrimSuffix(Cut(line, cells-1), "…") + "…"
}

// Pad returns s, padded with spaces to the given number of cells.
func Pad(s string, cells int) string {
	if n := cells - Width(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// PadLeft returns s with spaces before it, up to the given number of cells.
func PadLeft(s string, cells int) string {
	if n := cells - Width(s); n > 0 {
		return strings.Repeat(" ", n) + s
	}
	return s
}

// bytesPerCell bounds the part of a text that Fit reads. Letters need at most
// four bytes per cell; the rest is for combining accents.
const bytesPerCell = 32

// firstBytes returns the start of s that Fit reads, ending at a character
// boundary.
func firstBytes(s string, cells int) string {
	n := cells*bytesPerCell + bytesPerCell
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
