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
	e.text.SetWidth(max(4, width-2))
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

// height returns the number of lines of the editor, including its rules and the
// queued messages.
func (e *editor) height() int { return e.text.Height() + 2 + len(e.queued) }

// view draws the editor between two rules. agent is the name of the other
// agent.
func (e *editor) view(t *paint.Theme, width int, agent string) []string {
	var lines []string
	for _, q := range e.queued {
		lines = append(lines, t.Line(width, paint.Span{Tone: paint.Dim, Text: "queued: " + q}))
	}
	lines = append(lines, t.Rule(width))
	if e.reading {
		lines = append(lines, e.hint(t, width, agent))
		for i := 1; i < e.text.Height(); i++ {
			lines = append(lines, "")
		}
	} else {
		lines = append(lines, e.lines()...)
	}
	return append(lines, t.Rule(width))
}

const writingHint = "esc to read · / commands"

// hint names the keys while the conversation is read, and how to read it while text
// is typed.
func (e *editor) hint(t *paint.Theme, width int, agent string) string {
	text := "  i write · / search · t tree · c contents · o open in " + agent + " · ? more"
	if !e.blank() {
		text = "  i write (unsent text) · / search · t tree · o open in " + agent + " · ? more"
	}
	if !e.reading {
		text = "  " + writingHint
	}
	return t.Line(width, paint.Span{Tone: paint.Dim, Text: text})
}

// lines draws the text.
func (e *editor) lines() (lines []string) {
	for line := range strings.SplitSeq(e.text.View(), "\n") {
		lines = append(lines, " "+line)
	}
	return lines
}
