package paint

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// Wrap breaks spans into lines of at most width cells, at spaces if possible,
// and at every line feed.
func Wrap(spans []Span, width int) [][]Span {
	w := wrapper{width: max(1, width)}
	for _, s := range spans {
		for i, part := range strings.Split(s.Text, "\n") {
			if i > 0 {
				w.endWord()
				w.endLine()
			}
			w.add(s.Tone, part)
		}
	}
	w.endWord()
	w.endLine()
	return w.lines
}

type wrapper struct {
	width int
	lines [][]Span
	line  []Span
	used  int
	word  []Span // may be of several tones
	cells int    // of the word
	space Span   // before the word, dropped at a break
}

// add adds text without line feeds.
func (w *wrapper) add(tone Tone, text string) {
	for text != "" {
		i := strings.IndexByte(text, ' ')
		if i != 0 {
			if i < 0 {
				i = len(text)
			}
			w.word = append(w.word, Span{Tone: tone, Text: text[:i]})
			w.cells += termsafe.Width(termsafe.Line(text[:i]))
			text = text[i:]
			continue
		}
		w.endWord()
		n := len(text) - len(strings.TrimLeft(text, " "))
		w.space = Span{Tone: tone, Text: w.space.Text + text[:n]}
		text = text[n:]
	}
}

// endWord puts the word on the line, or on the next if it does not fit.
func (w *wrapper) endWord() {
	if len(w.word) == 0 {
		return
	}
	space := len(w.space.Text)
	if w.used > 0 && w.used+space+w.cells > w.width {
		w.endLine()
		w.space.Text = ""
		space = 0
	}
	if space > 0 && w.used+space < w.width {
		w.line = append(w.line, w.space)
		w.used += space
	}
	for _, s := range w.word {
		w.put(s)
	}
	w.word, w.cells, w.space = nil, 0, Span{}
}

// put adds a piece of a word, broken where the line ends.
func (w *wrapper) put(s Span) {
	start := 0
	for i, r := range s.Text {
		n := termsafe.Width(termsafe.Line(string(r)))
		if w.used+n > w.width && w.used > 0 {
			if i > start {
				w.line = append(w.line, Span{Tone: s.Tone, Text: s.Text[start:i]})
			}
			w.endLine()
			start = i
		}
		w.used += n
	}
	if start < len(s.Text) {
		w.line = append(w.line, Span{Tone: s.Tone, Text: s.Text[start:]})
	}
}

func (w *wrapper) endLine() {
	w.lines = append(w.lines, w.line)
	w.line, w.used = nil, 0
	w.space = Span{}
}
