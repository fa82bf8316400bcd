package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// An Input is a line of text that is being typed. The zero Input is empty.
type Input struct {
	text []string // its grapheme clusters
	at   int      // the cursor, before text[at]
}

// NewInput returns an input with text, the cursor after it.
func NewInput(text string) Input {
	clusters := clustersOf(termsafe.Line(text))
	return Input{clusters, len(clusters)}
}

// Value returns the text.
func (in *Input) Value() string { return strings.Join(in.text, "") }

// Set replaces the text.
func (in *Input) Set(text string) { *in = NewInput(text) }

// Press handles a key and reports whether it is an editing key.
func (in *Input) Press(press tea.KeyPressMsg, m *keys.Map) bool {
	switch m.First(press, keys.DeleteBackward, keys.DeleteForward, keys.DeleteWord, keys.DeleteToStart, keys.DeleteToEnd,
		keys.CursorWordLeft, keys.CursorWordEnd, keys.CursorLeft, keys.CursorRight, keys.LineStart, keys.LineEnd) {
	case keys.DeleteBackward:
		in.cut(in.at-1, in.at)
	case keys.DeleteForward:
		in.cut(in.at, in.at+1)
	case keys.DeleteWord:
		in.cut(in.wordStart(), in.at)
	case keys.DeleteToStart:
		in.cut(0, in.at)
	case keys.DeleteToEnd:
		in.cut(in.at, len(in.text))
	case keys.CursorWordLeft:
		in.at = in.wordStart()
	case keys.CursorWordEnd:
		in.at = in.wordEnd()
	case keys.CursorLeft:
		in.at = max(in.at-1, 0)
	case keys.CursorRight:
		in.at = min(in.at+1, len(in.text))
	case keys.LineStart:
		in.at = 0
	case keys.LineEnd:
		in.at = len(in.text)
	default:
		if press.Text == "" || press.Mod&(tea.ModCtrl|tea.ModAlt) != 0 {
			return false
		}
		in.Insert(press.Text)
	}
	return true
}

// Insert inserts text at the cursor, as a paste does: on one line, escaped.
func (in *Input) Insert(text string) {
	before := strings.Join(in.text[:in.at], "") + termsafe.Line(text)
	after := strings.Join(in.text[in.at:], "")
	in.text = clustersOf(before + after)
	in.at = min(len(clustersOf(before)), len(in.text)) // text may join what is around it
}

func clustersOf(text string) (list []string) {
	for c := range termsafe.Clusters(text) {
		list = append(list, c)
	}
	return list
}

// cut removes [from, to), as far as it exists.
func (in *Input) cut(from, to int) {
	from, to = max(from, 0), min(to, len(in.text))
	if from >= to {
		return
	}
	after := strings.Join(in.text[to:], "")
	in.Set(strings.Join(in.text[:from], ""))
	in.text = clustersOf(in.Value() + after)
}

func (in *Input) wordStart() int {
	i := in.at
	for i > 0 && isSpace(in.text[i-1]) {
		i--
	}
	for i > 0 && !isSpace(in.text[i-1]) {
		i--
	}
	return i
}

func isSpace(cluster string) bool { return strings.TrimSpace(cluster) == "" }

func (in *Input) wordEnd() int {
	i := in.at
	for i < len(in.text) && isSpace(in.text[i]) {
		i++
	}
	for i < len(in.text) && !isSpace(in.text[i]) {
		i++
	}
	return i
}

// View draws the input after a prompt. A text that is too long is scrolled so
// that the cursor is visible.
func (in *Input) View(t *paint.Theme, width int, prompt string) string {
	room := width - termsafe.Width(prompt) - 1
	if room < 1 {
		return t.Line(width, paint.Span{Tone: paint.Muted, Text: prompt})
	}
	from := in.at
	for used := 0; from > 0; from-- {
		if used += termsafe.Width(in.text[from-1]); used > room {
			break
		}
	}
	under, after := " ", ""
	if in.at < len(in.text) {
		under, after = in.text[in.at], strings.Join(in.text[in.at+1:], "")
	}
	before := strings.Join(in.text[from:in.at], "")
	left := max(0, room-termsafe.Width(before)-termsafe.Width(under)+1)
	return t.Line(width,
		paint.Span{Tone: paint.Muted, Text: prompt},
		paint.Span{Text: before},
		paint.Span{Tone: paint.Cursor, Text: under},
		paint.Span{Text: termsafe.Cut(after, left)})
}
