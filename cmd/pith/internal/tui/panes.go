package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/contents"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// besideFrom is the minimum width of a window with the contents next to the
// conversation; in a narrower one they take its place.
const besideFrom = 90

// paneWidth returns the width of the contents next to the conversation, or 0 if
// they are not shown there.
func (c *chat) paneWidth() int {
	if c.contents == nil || c.width < besideFrom {
		return 0
	}
	return min(48, c.width*2/5)
}

func (c *chat) pageWidth() int {
	if pane := c.paneWidth(); pane > 0 {
		return c.width - pane - 3
	}
	return c.width
}

// pageLines draws the conversation and the contents.
func (c *chat) pageLines(t *paint.Theme) []string {
	height := c.pageHeight()
	pane := c.paneWidth()
	if c.contents != nil && pane == 0 {
		return paint.Fill(c.contents.View(t, c.width, height), height)
	}
	lines := strings.Split(c.page.View(t, c.pageWidth(), height), "\n")
	if pane > 0 {
		lines = t.Beside(lines, c.pageWidth(), c.contents.View(t, pane, height))
	}
	return lines
}

func (c *chat) toggleContents() tea.Cmd {
	if c.contents != nil {
		c.contents = nil
		return c.resize(c.width, c.height)
	}
	c.editor.reading = true
	c.contents = contents.New(c.app.c.Keys, c.app.c.Home, c.page.CurrentTurn())
	return tea.Batch(c.resize(c.width, c.height), c.readContents())
}

// readContents reads the contents in the background, if they are shown.
func (c *chat) readContents() tea.Cmd {
	turns := c.turns
	if c.contents == nil || turns == nil {
		return nil
	}
	return c.app.background.command(func(ctx context.Context) transient.Then {
		rows, err := turns.Contents(ctx)
		return func() tea.Cmd {
			if c.contents != nil && turns == c.turns {
				c.contents.Set(rows, err)
			}
			return nil
		}
	})
}

// pressContents handles a key while the contents are shown. taken is false if
// they do not use it.
func (c *chat) pressContents(p tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	jump, taken := c.contents.Press(p)
	if jump < 0 {
		return nil, taken
	}
	if c.paneWidth() == 0 {
		c.contents = nil
		cmd = c.resize(c.width, c.height)
	}
	return tea.Batch(cmd, c.page.Show(conversation.Place{Turn: jump})), true
}
