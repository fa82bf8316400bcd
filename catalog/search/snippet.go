package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Snippet is a part of a text around a match. White space is collapsed to one
// space; Marks are the positions of the query's terms in Text. Before and After
// mean that the text continues there.
type Snippet struct {
	Text          string
	Marks         []Span
	Before, After bool
}

const (
	snippetBefore = 60              // bytes before the first mark
	snippetSize   = 240             // approximate number of bytes
	snippetReach  = 2 * snippetSize // text that starts this far after the first mark is never shown
)

// snippetOf returns the part of a text around the first of its spans.
func snippetOf(text string, spans []Span) Snippet {
	start := 0
	if len(spans) > 0 {
		start = max(0, spans[0].Start-snippetBefore)
	}
	for start > 0 && start < len(text) && !utf8.RuneStart(text[start]) {
		start--
	}
	if start > 0 { // preferably not in the middle of a word
		if i := strings.IndexFunc(text[start:], unicode.IsSpace); i >= 0 && len(spans) > 0 && start+i < spans[0].Start {
			start += i
		}
	}
	end := min(len(text), start+snippetSize)
	if len(spans) > 0 {
		end = min(len(text), max(end, min(spans[0].End, start+snippetReach)))
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	s := Snippet{Before: start > 0, After: end < len(text)}
	s.fill(text, start, end, spans)
	return s
}

// fill copies text[start:end] and the spans in it.
func (s *Snippet) fill(text string, start, end int, spans []Span) {
	var b strings.Builder
	next, open := 0, -1
	for next < len(spans) && spans[next].Start < start {
		next++
	}
	space := true // none at the start
	for i := start; i < end; {
		if open >= 0 && i >= spans[next].End {
			s.Marks = append(s.Marks, Span{open, b.Len()})
			open = -1
			for next < len(spans) && spans[next].Start < i {
				next++ // it is inside the last mark
			}
		}
		if open < 0 && next < len(spans) && i == spans[next].Start {
			open = b.Len()
		}
		r, size := utf8.DecodeRuneInString(text[i:end])
		if unicode.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
		} else {
			b.WriteString(text[i : i+size])
			space = false
		}
		i += size
	}
	if open >= 0 {
		s.Marks = append(s.Marks, Span{open, b.Len()})
	}
	s.Text = strings.TrimRight(b.String(), " ")
	for i := range s.Marks {
		s.Marks[i].End = min(s.Marks[i].End, len(s.Text))
	}
}
