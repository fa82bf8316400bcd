// Package input implements the line of text that is typed in a search or a dialog:
// the text input of package bubbles with pi's keys, drawn in the tones of the app.
package input

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A Line is a line of text that is being typed. Use [New].
type Line struct{ text textinput.Model }

// New returns a line with a text, the cursor after it.
func New(k *keys.Map, text string) Line {
	t := textinput.New()
	t.KeyMap = textinput.KeyMap{
		CharacterForward: k.Binding(keys.CursorRight), CharacterBackward: k.Binding(keys.CursorLeft),
		WordForward: k.Binding(keys.CursorWordEnd), WordBackward: k.Binding(keys.CursorWordLeft),
		DeleteWordBackward: k.Binding(keys.DeleteWord), DeleteAfterCursor: k.Binding(keys.DeleteToEnd), DeleteBeforeCursor: k.Binding(keys.DeleteToStart),
		DeleteCharacterBackward: k.Binding(keys.DeleteBackward), DeleteCharacterForward: k.Binding(keys.DeleteForward),
		LineStart: k.Binding(keys.LineStart), LineEnd: k.Binding(keys.LineEnd),
	}
	t.Focus()
	l := Line{t}
	l.Set(text)
	return l
}

// Value returns the text.
func (l *Line) Value() string { return l.text.Value() }

// Set replaces the text.
func (l *Line) Set(text string) {
	l.text.SetValue(termsafe.Line(text))
	l.text.CursorEnd()
}

// Press handles a key. It reports whether the text or the cursor changed.
func (l *Line) Press(p tea.KeyPressMsg) bool {
	text, at := l.text.Value(), l.text.Position()
	l.text, _ = l.text.Update(p)
	return l.text.Value() != text || l.text.Position() != at
}

// Insert inserts text at the cursor, as a paste does: on one line, escaped.
func (l *Line) Insert(text string) {
	l.text, _ = l.text.Update(tea.PasteMsg{Content: termsafe.Line(text)})
}

// View draws the text after a prompt, with the cursor if focused. A text that is too
// long is scrolled so that the cursor is visible.
func (l *Line) View(t *paint.Theme, width int, prompt string, focused bool) string {
	room := width - termsafe.Width(prompt) - 1
	text := []rune(l.text.Value())
	at := min(l.text.Position(), len(text))
	from := at
	for used := 0; from > 0; from-- {
		if used += termsafe.Width(string(text[from-1])); used > room {
			break
		}
	}
	spans := []paint.Span{{Tone: paint.Dim, Text: prompt}, {Text: string(text[from:at])}}
	switch {
	case !focused:
		spans = append(spans, paint.Span{Text: string(text[at:])})
	case at == len(text):
		spans = append(spans, paint.Span{Tone: paint.Accent, Text: "▏"})
	default:
		spans = append(spans, paint.Span{Tone: paint.Cursor, Text: string(text[at])}, paint.Span{Text: string(text[at+1:])})
	}
	return t.Line(width, spans...)
}

// Blank reports whether nothing is typed but spaces.
func (l *Line) Blank() bool { return strings.TrimSpace(l.text.Value()) == "" }
