package dialog

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// Low returns the lines of a dialog that fit into a window: if it is too low, without
// blank lines and rules; if it still is, the title and the lines around the one at an
// index.
func Low(lines []string, height, at int) []string {
	if len(lines) <= height {
		return lines
	}
	var kept []string
	selected := 0
	for i, line := range lines {
		if i == at {
			selected = len(kept)
		}
		if i == at || strings.Trim(paint.Bare(line), " ─") != "" {
			kept = append(kept, line)
		}
	}
	if len(kept) <= height || height < 1 {
		return kept
	}
	if height == 1 || selected == 0 {
		return kept[selected:]
	}
	room := height - 1
	from := max(1, min(selected-room/2, len(kept)-room))
	return append(kept[:1:1], kept[from:]...)
}

// below draws the lines of a dialog below a rule. The line at an index is visible also
// in a low window.
func below(t *paint.Theme, width, height int, lines []string, at int) string {
	lines = append([]string{t.Rule(width), ""}, lines...)
	return paint.Block(height, Low(lines, height, 2+at)...)
}
