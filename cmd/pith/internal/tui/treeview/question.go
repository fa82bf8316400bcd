package treeview

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"charm.land/bubbles/v2/textarea"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A summaryQuestion asks whether to summarize the branch that is being left.
type summaryQuestion struct {
	entry  *Entry
	choice dialog.Choice
	text   *textarea.Model // the instructions, while they are typed
}

// The answers, in pi's order.
const (
	noSummary = iota
	summary
	customSummary
)

// choose goes to the entry under the cursor, after asking about a summary.
func (m *Model) choose() tea.Cmd {
	n := m.Selected()
	switch {
	case n == nil:
		return nil
	case n.ID == m.o.LeafID:
		return send(AlreadyThere{})
	case m.o.SkipSummary:
		return send(Navigate{EntryID: n.ID})
	}
	m.question = &summaryQuestion{entry: n, choice: dialog.Choice{
		Title:   "Summarize branch?",
		Answers: []string{"No summary", "Summarize", "Summarize with custom prompt"},
	}}
	return nil
}

func (m *Model) pressQuestion(p tea.KeyPressMsg) tea.Cmd {
	q := m.question
	if q.text != nil {
		return m.pressInstructions(p)
	}
	switch q.choice.Press(p, m.o.Keys, m.width, m.height) {
	case dialog.Cancelled:
		m.question = nil
	case dialog.Chosen:
		if q.choice.At == customSummary {
			return q.beginText(m.width, m.height)
		}
		m.question = nil
		return send(Navigate{EntryID: q.entry.ID, Summarize: q.choice.At == summary})
	}
	return nil
}

func (q *summaryQuestion) beginText(width, height int) tea.Cmd {
	text := textarea.New()
	text.ShowLineNumbers = false
	text.Placeholder = "instructions for the summary"
	q.text = &text
	q.resize(width, height)
	return q.text.Focus()
}

// resize sets the size of the window.
func (q *summaryQuestion) resize(width, height int) {
	q.text.SetWidth(max(10, width-2))
	q.text.SetHeight(max(1, min(6, height-2)))
}

// line returns the index of the selected line of view.
func (q *summaryQuestion) line() int {
	if q.text == nil {
		return q.choice.Line()
	}
	return 2 + q.text.Line()
}

// pressInstructions handles a key while the instructions are typed. Esc returns
// to the three answers.
func (m *Model) pressInstructions(p tea.KeyPressMsg) tea.Cmd {
	q := m.question
	switch {
	case m.o.Keys.Is(p, keys.SelectCancel):
		q.text = nil
		return nil
	case m.o.Keys.Is(p, keys.InputNewLine):
		q.text.InsertString("\n")
		return nil
	case m.o.Keys.Is(p, keys.InputSubmit):
		m.question = nil
		return send(Navigate{EntryID: q.entry.ID, Summarize: true, Instructions: q.text.Value()})
	}
	return q.update(p)
}

// update passes a message to the text.
func (q *summaryQuestion) update(msg tea.Msg) tea.Cmd {
	if q.text == nil {
		return nil
	}
	text, cmd := q.text.Update(msg)
	q.text = &text
	return cmd
}

func (q *summaryQuestion) view(t *paint.Theme, k *keys.Map, width int) []string {
	if q.text == nil {
		return q.choice.Lines(t, k, width)
	}
	hint := k.Label(keys.InputSubmit) + " summarize · " + k.Label(keys.InputNewLine) + " new line · " + k.Label(keys.SelectCancel) + " back"
	lines := []string{t.Line(width, paint.Span{Tone: paint.Strong, Text: "Custom summarization instructions"}), ""}
	lines = append(lines, strings.Split(q.text.View(), "\n")...)
	return append(lines, "", t.Line(width, paint.Span{Tone: paint.Dim, Text: hint}))
}
