package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// footerLines are the news and the two lines of the footer.
const footerLines = 3

func (a *App) pageHeight() int { return max(1, a.height-footerLines-a.editor.height()) }

// View draws the screen.
func (a *App) View() tea.View {
	v := tea.NewView(a.draw())
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.WindowTitle = a.title()
	return v
}

func (a *App) draw() string {
	switch {
	case a.sheet != nil:
		return a.sheetView()
	case a.asking != nil:
		return a.asking.view(a.theme, a)
	case a.fork != nil:
		return a.fork.view(a.theme, a.c.Keys, a.width, a.height)
	case a.tree != nil:
		return a.tree.View(a.theme, a.width, a.height)
	case a.picker != nil:
		return a.picker.View(a.theme, a.width, a.height-1) + "\n" + a.news()
	case a.open == nil || a.page == nil:
		return paint.Block(a.height, a.news(), "", a.theme.Line(a.width, paint.Span{Tone: paint.Dim, Text: "opening…"}))
	}
	lines := strings.Split(a.page.View(a.theme, a.width, a.pageHeight()), "\n")
	lines = append(lines, a.news())
	lines = append(lines, a.editor.view(a.theme, a.width, a.agentName())...)
	return paint.Block(a.height, append(lines, a.footer()...)...)
}

func (a *App) news() string {
	return a.theme.Line(a.width, paint.Span{Tone: a.note.Tone, Text: a.note.Text})
}

// title is the window's: harmless, because a terminal obeys what stands in it.
func (a *App) title() string {
	if a.open == nil {
		return "pith"
	}
	name := a.open.session().Name()
	if name == "" {
		name = a.homely(a.open.session().Cwd())
	}
	return termsafe.Fit("pith - "+name, 80)
}
