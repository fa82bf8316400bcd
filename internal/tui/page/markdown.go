package page

import (
	"strings"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/styles"
	"github.com/charmbracelet/x/ansi"

	"github.com/pith-sessions/pith/internal/plain"
	"github.com/pith-sessions/pith/internal/tui/look"
)

// mostMarkdown is how long a text may be that is drawn as markdown: drawing
// costs milliseconds for each kilobyte.
const mostMarkdown = 24 << 10

// A markdown draws texts as markdown. It keeps the renderer, which is dear to
// make, for one width and theme.
type markdown struct {
	renderer *glamour.TermRenderer
	width    int
	theme    *look.Theme
}

// lines draws a text, which may be anything, in at most width cells.
func (md *markdown) lines(t *look.Theme, text string, width int) []string {
	text = plain.Text(text)
	if len(text) > mostMarkdown || width < 12 {
		return plainLines(t, look.Plain, text, width)
	}
	if md.renderer == nil || md.width != width || md.theme != t {
		r, err := glamour.NewTermRenderer(glamour.WithStandardStyle(styleOf(t)), glamour.WithWordWrap(width), glamour.WithPreservedNewLines())
		if err != nil {
			return plainLines(t, look.Plain, text, width)
		}
		md.renderer, md.width, md.theme = r, width, t
	}
	out, err := md.renderer.Render(text)
	if err != nil {
		return plainLines(t, look.Plain, text, width)
	}
	lines := strings.Split(strings.Trim(out, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(ansi.Truncate(coloursOnly(line), width, "…"), " ")
	}
	return trimBlank(lines)
}

func styleOf(t *look.Theme) string {
	switch {
	case !t.Colour:
		return styles.NoTTYStyle
	case t.Dark:
		return styles.DarkStyle
	}
	return styles.LightStyle
}

// trimBlank takes blank lines off the ends.
func trimBlank(lines []string) []string {
	blank := func(s string) bool { return strings.TrimSpace(bare(s)) == "" }
	for len(lines) > 1 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 1 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// plainLines wraps a text at its words.
func plainLines(t *look.Theme, tone look.Tone, text string, width int) []string {
	wrapped := strings.Split(ansi.Wrap(plain.Text(text), max(1, width), " "), "\n")
	for i, line := range wrapped {
		wrapped[i] = t.Line(width, look.Span{Tone: tone, Text: line})
	}
	return wrapped
}

// coloursOnly takes out every sequence that is not a colour, whoever made it: a
// link, a title, a movement of the cursor (S4).
func coloursOnly(line string) string {
	i := strings.IndexAny(line, "\x1b\u009b\u009d")
	if i < 0 {
		return line
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(line, '\x1b')
		if i < 0 {
			b.WriteString(plain.Line(line))
			return b.String()
		}
		b.WriteString(plain.Line(line[:i]))
		rest := line[i:]
		n := sequence(rest)
		if n >= 3 && rest[1] == '[' && rest[n-1] == 'm' {
			b.WriteString(rest[:n])
		}
		line = rest[n:]
	}
}

// sequence is how long the escape sequence is that a text begins with.
func sequence(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= '@' && s[i] <= '~' {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_': // up to the string terminator
		for i := 2; i < len(s); i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == '\x1b' && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	}
	return 2
}
