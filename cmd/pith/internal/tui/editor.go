package tui

import (
	"strings"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// An editor is the input for messages and commands.
type editor struct {
	text textarea.Model
	// reading means that keys go to the page.
	reading bool
	// queued are the messages waiting for the model.
	queued []string
}

const mostEditorLines = 8

func newEditor() editor {
	t := textarea.New()
	t.ShowLineNumbers = false
	t.Prompt = ""
	t.Placeholder = ""
	t.DynamicHeight = true
	t.MinHeight, t.MaxHeight = 1, mostEditorLines
	t.MaxContentHeight = 10_000
	t.SetVirtualCursor(true)
	t.Focus()
	return editor{text: t}
}

// resize sets the size of the window. In a low one, the editor takes at most a
// third of it.
func (e *editor) resize(width int, low bool, height int) {
	e.text.MaxHeight = mostEditorLines
	if low {
		e.text.MaxHeight = max(1, height/3)
	}
	e.text.SetWidth(max(4, width-4))
}

func (e *editor) value() string { return e.text.Value() }

func (e *editor) blank() bool { return strings.TrimSpace(e.text.Value()) == "" }

// set replaces the text and switches to writing.
func (e *editor) set(text string) {
	e.text.SetValue(termsafe.Text(text))
	e.text.MoveToEnd()
	e.reading = false
}

func (e *editor) clear() { e.text.Reset() }

// update passes a message to the text.
func (e *editor) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	e.text, cmd = e.text.Update(msg)
	return cmd
}

// paste inserts escaped text at the cursor.
func (e *editor) paste(text string) tea.Cmd {
	return e.update(tea.PasteMsg{Content: termsafe.Text(text)})
}

// lines draws the queued messages and the text.
func (e *editor) lines(t *paint.Theme, width int) (lines []string) {
	for _, q := range e.queued {
		lines = append(lines, t.Line(width, paint.Span{Tone: paint.Dim, Text: "  queued: " + q}))
	}
	prompt := " > "
	for line := range strings.SplitSeq(e.text.View(), "\n") {
		lines = append(lines, t.Line(3, paint.Faint(prompt))+line)
		prompt = "   "
	}
	return lines
}
