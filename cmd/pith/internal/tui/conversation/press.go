package conversation

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/inspect"
)

// Copied is sent when an item was copied to the clipboard.
type Copied struct{}

func (m *Model) press(p tea.KeyPressMsg) tea.Cmd {
	if m.find.typing {
		return m.pressSearch(p)
	}
	action := m.o.Keys.First(p, keys.ScrollPageUp, keys.ScrollPageDown, keys.ScrollTop, keys.ScrollBottom, keys.PreviousPrompt,
		keys.NextPrompt, keys.SelectUp, keys.SelectDown, keys.ToolsExpand, keys.ThinkingToggle, keys.MessageCopy, keys.SearchOpen)
	switch cmp.Or(action, letters[p.Text]) {
	case keys.ScrollPageUp:
		return m.scroll(-max(1, m.room()-2))
	case keys.ScrollPageDown:
		return m.scroll(max(1, m.room()-2))
	case keys.ScrollTop:
		return m.toStart()
	case keys.ScrollBottom:
		return m.toEnd()
	case keys.PreviousPrompt:
		return m.toPrompt(-1)
	case keys.NextPrompt:
		return m.toPrompt(1)
	case keys.SelectUp:
		return m.scroll(-1)
	case keys.SelectDown:
		return m.scroll(1)
	case keys.ToolsExpand:
		return m.toggleAll(&m.document.openTools)
	case keys.ThinkingToggle:
		return m.toggleAll(&m.document.openThinking)
	case keys.MessageCopy:
		return m.copy()
	case keys.SearchOpen:
		return m.beginSearch()
	}
	return m.pressLetter(p)
}

// letters are other keys for actions. The app passes letters only while nothing
// is typed.
var letters = map[string]keys.Action{
	"j": keys.SelectDown, "k": keys.SelectUp, " ": keys.ScrollPageDown, "g": keys.ScrollTop, "G": keys.ScrollBottom,
	"{": keys.PreviousPrompt, "}": keys.NextPrompt, "/": keys.SearchOpen, "y": keys.MessageCopy,
}

// pressLetter handles the keys that are no actions.
func (m *Model) pressLetter(p tea.KeyPressMsg) tea.Cmd {
	r := &m.document.renderer
	switch p.Text {
	case "[":
		return m.moveCursor(-1)
	case "]":
		return m.moveCursor(1)
	case "n":
		return m.step(1)
	case "N":
		return m.step(-1)
	case "T":
		return m.redraw(&r.times)
	case "w":
		return m.redraw(&r.cut)
	}
	if m.o.Keys.Is(p, keys.SelectConfirm) {
		return m.enter()
	}
	return nil
}

// redraw toggles an option of the renderer.
func (m *Model) redraw(option *bool) tea.Cmd {
	*option = !*option
	m.document.redraw()
	m.findAgain()
	return m.want()
}

// enter unfolds the current item, or folds it.
func (m *Model) enter() tea.Cmd {
	if at, ok := m.current(); ok {
		m.document.toggle(at)
	}
	return nil
}

// toggleAll folds or unfolds every item of a kind.
func (m *Model) toggleAll(kind *bool) tea.Cmd {
	m.document.toggleAll(kind)
	m.live.drawn = nil
	return m.want()
}

func (m *Model) copy() tea.Cmd {
	at, ok := m.current()
	if !ok || m.document.part(at.part).exchange == nil {
		return nil
	}
	text := textOf(&m.document.part(at.part).exchange.Items[at.item])
	if text == "" {
		return nil
	}
	return tea.Batch(tea.SetClipboard(text), func() tea.Msg { return Copied{} })
}

// textOf returns the text that copying an item gives.
func textOf(it *inspect.Item) string {
	switch {
	case it.Tool != nil && it.Tool.Result != nil:
		return string(it.Tool.Result.Text)
	case it.Bash != nil:
		return string(it.Bash.Command)
	}
	return string(it.Text)
}

func (m *Model) wheel(w tea.MouseWheelMsg) tea.Cmd {
	if n := keys.WheelLines(w); n != 0 {
		return m.scroll(n)
	}
	return nil
}

// click selects the clicked item and folds or unfolds it.
func (m *Model) click(c tea.MouseClickMsg) tea.Cmd {
	if m.document.size == 0 || c.Y < 0 || c.Y >= m.room() || c.Button != tea.MouseLeft {
		return nil
	}
	top := m.place()
	at := m.document.by(top, c.Y)
	m.top, m.follow = top, false
	m.cursor, m.chosen = at.item, true
	m.document.toggle(at.item)
	return m.want()
}
