package cli_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// Matches fit the terminal too, and are highlighted there (pitfalls 143, 146).
func TestSearchOnATerminal(t *testing.T) {
	dir := sessionsCopy(t)
	for _, width := range []int{1, 20, 33, 60, 80, 200} {
		d := desk{terminal: true, width: width}
		for _, query := range []string{"linker", "31mred", "the", "re:."} {
			code, stdout, _ := d.run(t, "search", query, "--session-dir", dir)
			if code != 0 || stdout == "" {
				t.Errorf("pith search %q at %d columns ended with %d, %q", query, width, code, stdout)
			}
			for line := range strings.Lines(stdout) {
				line = withoutColours(strings.TrimSuffix(line, "\n"))
				if w := termsafe.Width(line); width >= 20 && w > width {
					t.Errorf("pith search %q at %d columns: a line of %d cells: %q", query, width, w, line)
				}
			}
		}
	}
	d := desk{terminal: true, width: 80}
	if _, stdout, _ := d.run(t, "search", "linker", "--session-dir", dir); !strings.Contains(stdout, "\x1b[1;33mlinker\x1b[0m") {
		t.Errorf("pith search on a terminal does not mark what it found: %q", stdout)
	}
}
