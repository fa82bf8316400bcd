package tui

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// suggestions are the commands that fit while one is typed.
type suggestions struct {
	at     int
	closed string // the text for which they were closed
}

// fitting returns the commands that fit the text in the input.
func (s *suggestions) fitting(c *chat) []slashCommand {
	text := c.editor.value()
	if c.editor.reading || s.closed != "" && s.closed == text {
		return nil
	}
	fit := fitting(commandTable(), text)
	s.at = max(0, min(s.at, len(fit)-1))
	return fit
}

// height returns the number of lines of the list.
func (s *suggestions) height(c *chat) int {
	return min(len(s.fitting(c)), max(0, paint.Room(c.height)/2))
}

// lines draws the commands around the selected one.
func (s *suggestions) lines(c *chat, t *paint.Theme) (lines []string) {
	fit, n := s.fitting(c), s.height(c)
	top := max(0, min(s.at-n/2, len(fit)-n))
	for i := top; i < top+n; i++ {
		name, arguments := "/"+fit[i].Name, fit[i].Arguments
		spans := []paint.Span{{Text: "  "}, {Tone: paint.Accent, Text: termsafe.Pad(name, 12)}, paint.Faint(termsafe.Pad(arguments, 16)), {Text: fit[i].About}}
		if i == s.at {
			spans[0] = paint.Span{Tone: paint.Accent, Text: "› "}
			lines = append(lines, t.Selected(c.width, spans...))
			continue
		}
		lines = append(lines, t.Line(c.width, spans...))
	}
	return lines
}

// move selects another command. It reports whether there are any.
func (s *suggestions) move(c *chat, action keys.Action) bool {
	n := len(s.fitting(c))
	if n == 0 {
		return false
	}
	if action == keys.SelectUp {
		s.at = (s.at + n - 1) % n
	} else {
		s.at = (s.at + 1) % n
	}
	return true
}

// close closes the list. It reports whether it was shown.
func (s *suggestions) close(c *chat) bool {
	shown := len(s.fitting(c)) > 0
	if shown {
		s.closed = c.editor.value()
	}
	return shown
}

// chosen returns the command that Enter runs, or "" if none is being chosen.
func (s *suggestions) chosen(c *chat) string {
	fit := s.fitting(c)
	if len(fit) == 0 {
		return ""
	}
	return "/" + fit[s.at].Name
}

// complete writes out the selected command.
func (s *suggestions) complete(c *chat) {
	if fit := s.fitting(c); len(fit) > 0 {
		c.editor.set("/" + fit[s.at].Name + strings.Repeat(" ", min(1, len(fit[s.at].Arguments))))
		s.at = 0
	}
}
