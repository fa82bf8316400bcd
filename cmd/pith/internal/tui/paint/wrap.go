package paint

import (
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// Wrap breaks spans into lines of at most width cells, at spaces if possible,
// and at every line feed. It never breaks a grapheme cluster: one that is wider
// than a line has its own.
func Wrap(spans []Span, width int) [][]Span {
	w := wrapper{width: max(1, width)}
	for _, s := range spans {
		for i, part := range strings.Split(s.Text, "\n") {
			if i > 0 {
				w.endWord()
				w.endLine()
			}
			w.add(s.Tone, termsafe.Line(part))
		}
	}
	w.endWord()
	w.endLine()
	return w.lines
}

// WrapText is like Wrap for a text in one tone, of which it keeps the tabs as
// spaces.
func WrapText(tone Tone, text string, width int) [][]Span {
	return Wrap([]Span{{Tone: tone, Text: termsafe.Text(text)}}, width)
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

// add adds safe text without line feeds.
func (w *wrapper) add(tone Tone, text string) {
	for text != "" {
		n := 0
		for n < len(text) && !spaceAt(text, n) {
			n++
		}
		if n > 0 {
			w.word = append(w.word, Span{Tone: tone, Text: text[:n]})
			w.cells += termsafe.Width(text[:n])
			text = text[n:]
			continue
		}
		w.endWord()
		for n < len(text) && spaceAt(text, n) {
			n++
		}
		w.space = Span{Tone: tone, Text: w.space.Text + text[:n]}
		text = text[n:]
	}
}

// spaceAt reports whether text has a space at a byte that is not the start of a
// longer cluster.
func spaceAt(text string, i int) bool {
	return text[i] == ' ' && (i+1 == len(text) || text[i+1] < utf8.RuneSelf || termsafe.Cut(text[i:], 1) == " ")
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
	if n := termsafe.Width(s.Text); w.used+n <= w.width {
		w.line, w.used = append(w.line, s), w.used+n
		return
	}
	start, at := 0, 0
	for cluster, n := range termsafe.Clusters(s.Text) {
		if w.used+n > w.width && w.used > 0 {
			if at > start {
				w.line = append(w.line, Span{Tone: s.Tone, Text: s.Text[start:at]})
			}
			w.endLine()
			start = at
		}
		w.used += n
		at += len(cluster)
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
