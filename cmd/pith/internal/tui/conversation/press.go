package conversation

import (
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
)

// press handles a key. The app passes letters only while nothing is typed.
func (m *Model) press(p tea.KeyPressMsg) tea.Cmd {
	if m.find.typing {
		return finder{m}.pressSearch(p)
	}
	switch m.o.Keys.First(p, keys.ScrollPageUp, keys.ScrollPageDown, keys.ScrollTop, keys.ScrollBottom, keys.PreviousPrompt, keys.NextPrompt,
		keys.SelectUp, keys.SelectDown, keys.TreeFoldOrUp, keys.TreeUnfoldOrDown, keys.SelectConfirm, keys.ToolsExpand, keys.ThinkingToggle,
		keys.MessageCopy, keys.SearchOpen, keys.SearchNext, keys.SearchPrevious, keys.NextBranch, keys.PreviousBranch) {
	case keys.ScrollPageUp:
		return mover{m}.scroll(-max(1, m.room()-2))
	case keys.ScrollPageDown:
		return mover{m}.scroll(max(1, m.room()-2))
	case keys.ScrollTop:
		return mover{m}.toStart()
	case keys.ScrollBottom:
		return mover{m}.toEnd()
	case keys.PreviousPrompt:
		return mover{m}.toPrompt(-1)
	case keys.NextPrompt:
		return mover{m}.toPrompt(1)
	case keys.SelectUp:
		return mover{m}.moveCursor(-1, true)
	case keys.SelectDown:
		return mover{m}.moveCursor(1, true)
	case keys.TreeFoldOrUp:
		return mover{m}.moveCursor(-1, false)
	case keys.TreeUnfoldOrDown:
		return mover{m}.moveCursor(1, false)
	case keys.SelectConfirm:
		if at, ok := m.current(); ok {
			m.cursor, m.chosen = at, true
			m.document.toggle(at)
		}
		return m.want()
	case keys.ToolsExpand:
		m.document.refold()
		return m.redrawn()
	case keys.ThinkingToggle:
		m.document.openThinking = !m.document.openThinking
		m.document.foldAgain()
		return m.redrawn()
	case keys.MessageCopy:
		return m.copy()
	case keys.SearchOpen:
		return finder{m}.beginSearch()
	case keys.SearchNext:
		return finder{m}.step(1)
	case keys.SearchPrevious:
		return finder{m}.step(-1)
	case keys.NextBranch:
		return mover{m}.branch(1)
	case keys.PreviousBranch:
		return mover{m}.branch(-1)
	}
	return nil
}

// redrawn follows a change of every block.
func (m *Model) redrawn() tea.Cmd {
	m.live.drawn = nil
	finder{m}.findAgain()
	return m.want()
}

// branch goes to the next or the previous fork, in parts that are not read too.
func (m mover) branch(by int) tea.Cmd {
	if m.toFork(by) {
		return m.want()
	}
	at, ok := m.current()
	best, entry := -1, ""
	for id := range m.document.forks {
		if i, found := m.source.Holding(id); found && ok && (i-at.part)*by > 0 && (best < 0 || (best-i)*by > 0) {
			best, entry = i, id
		}
	}
	if best < 0 {
		return transient.Say(paint.Dim, "no more branches")
	}
	m.follow, m.chosen = false, true
	m.find.aim = &aim{Place: Place{best, entry}, fork: true}
	m.top = spot{item: item{best, 0}}
	m.cursor = m.top.item
	return tea.Batch(m.settleAim(), m.want())
}

func (m *Model) copy() tea.Cmd {
	b := m.Block()
	if b == nil || b.Copied() == "" {
		return transient.Say(paint.Dim, "nothing to copy here")
	}
	return tea.Batch(tea.SetClipboard(b.Copied()), transient.Say(paint.Plain, "Copied"))
}

func (m mover) wheel(w tea.MouseWheelMsg) tea.Cmd {
	if n := keys.WheelLines(w); n != 0 {
		return m.scroll(n)
	}
	return nil
}

// click selects the clicked block; a click on the selected one folds or unfolds it.
func (m mover) click(c tea.MouseClickMsg) tea.Cmd {
	if m.document.size == 0 || c.Y < 0 || c.Y >= m.room() || c.Button != tea.MouseLeft {
		return nil
	}
	top := m.place()
	at := m.document.by(top, c.Y)
	m.top, m.follow = top, false
	if m.chosen && m.cursor == at.item {
		m.document.toggle(at.item)
	}
	m.cursor, m.chosen = at.item, true
	return m.want()
}
