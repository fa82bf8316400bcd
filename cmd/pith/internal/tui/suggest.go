package tui

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/list"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// suggestions are the commands that fit while one is typed.
type suggestions struct {
	list   list.Model
	closed string // the text for which they were closed
}

// fitting returns the commands that fit the text in the input.
func (s *suggestions) fitting(c *chat) []slashCommand {
	text := c.editor.value()
	if c.editor.reading || s.closed != "" && s.closed == text {
		return nil
	}
	fit := fitting(commandTable(), text)
	s.list.Len = len(fit)
	s.list.Select(s.list.At)
	return fit
}

// height returns the number of lines of the list.
func (s *suggestions) height(c *chat) int {
	return min(len(s.fitting(c)), max(0, paint.Room(c.height)/2))
}

// lines draws the commands around the selected one.
func (s *suggestions) lines(c *chat, t *paint.Theme) []string {
	n, fit := s.height(c), s.fitting(c)
	if n == 0 {
		return nil
	}
	s.list.Resize(n)
	return s.list.View(func(i int) []string {
		spans := []paint.Span{{Text: "  "}, {Tone: paint.Accent, Text: termsafe.Pad("/"+fit[i].Name, 12)}, paint.Faint(termsafe.Pad(fit[i].Arguments, 16)), {Text: fit[i].About}}
		if i == s.list.At {
			spans[0] = paint.Span{Tone: paint.Accent, Text: "› "}
			return []string{t.Selected(c.width, spans...)}
		}
		return []string{t.Line(c.width, spans...)}
	})
}

// move selects another command; after the last comes the first. It reports whether there
// are any.
func (s *suggestions) move(c *chat, action keys.Action) bool {
	n := len(s.fitting(c))
	if n == 0 {
		return false
	}
	by := 1
	if action == keys.SelectUp {
		by = n - 1
	}
	s.list.Select((s.list.At + by) % n)
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
	return "/" + fit[s.list.At].Name
}

// complete writes out the selected command.
func (s *suggestions) complete(c *chat) {
	if fit := s.fitting(c); len(fit) > 0 {
		c.editor.set("/" + fit[s.list.At].Name + strings.Repeat(" ", min(1, len(fit[s.list.At].Arguments))))
		s.list.At = 0
	}
}
