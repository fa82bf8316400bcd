// Package syntax colors source code for reading: comments, strings, numbers and
// keywords. It uses a few features of each language and parses none, so that it
// costs nothing before it is used, and little then.
//
// # Invariants
//
//	S1  The concatenated lines are the text.
//	S2  Cost is linear in the text.
package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// Changes is the language of diffs.
const Changes = "diff"

// Lines returns the lines of a text in a language, given by name, as after the
// fence of a code block, or by file extension. Ordinary text has the base tone,
// and so has all text of an unknown language.
func Lines(language, text string, base paint.Tone) [][]paint.Span {
	if language == Changes || language == "patch" {
		return changes(text, base)
	}
	s := scanner{base: base, text: text, lang: languages()[strings.ToLower(language)]}
	if s.lang == nil {
		s.lang = &grammar{}
	}
	for s.at < len(s.text) {
		s.next()
	}
	s.flush(len(s.text))
	return append(s.lines, s.line)
}

func changes(text string, base paint.Tone) (lines [][]paint.Span) {
	for row := range strings.SplitSeq(text, "\n") {
		tone := base
		switch {
		case strings.HasPrefix(row, "+"):
			tone = paint.Added
		case strings.HasPrefix(row, "-"):
			tone = paint.Removed
		}
		lines = append(lines, []paint.Span{{Tone: tone, Text: row}})
	}
	return lines
}

type scanner struct {
	base  paint.Tone
	text  string
	lang  *grammar
	at    int // next offset
	start int // start of text that is not in a span yet
	lines [][]paint.Span
	line  []paint.Span
}

// next handles the next piece of the text.
func (s *scanner) next() {
	rest := s.text[s.at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case s.comments(rest):
		s.take(paint.Comment, lineLength(rest))
	case s.lang.open != "" && strings.HasPrefix(rest, s.lang.open):
		s.take(paint.Comment, through(rest, len(s.lang.open), s.lang.shut))
	case s.long(rest) != "":
		mark := s.long(rest)
		s.take(paint.Literal, through(rest, len(mark), mark))
	case strings.ContainsRune(s.lang.quotes, r):
		if n := stringLength(rest); n > 0 {
			s.take(paint.Literal, n)
		} else {
			s.at += lineLength(rest) // not a string, and the rest of the line is unknown
		}
	case isWord(r):
		n := wordLength(rest)
		switch word := rest[:n]; {
		case '0' <= r && r <= '9' && s.lang.quotes != "":
			s.take(paint.Literal, n)
		case s.lang.knows(word):
			s.take(paint.Keyword, n)
		default:
			s.at += n
		}
	default:
		s.at += size
	}
}

// comments reports whether a comment starts here that ends with the line.
func (s *scanner) comments(rest string) bool {
	for _, mark := range s.lang.comments {
		if !strings.HasPrefix(rest, mark) {
			continue
		}
		if mark != "#" || s.at == 0 || unicode.IsSpace(rune(s.text[s.at-1])) {
			return true
		}
	}
	return false
}

// long returns the mark of a multi-line string that starts here, or "".
func (s *scanner) long(rest string) string {
	for _, mark := range s.lang.long {
		if strings.HasPrefix(rest, mark) {
			return mark
		}
	}
	return ""
}

// take makes spans from the next n bytes.
func (s *scanner) take(t paint.Tone, n int) {
	s.flush(s.at)
	s.put(t, s.text[s.at:s.at+n])
	s.at += n
	s.start = s.at
}

// flush makes spans from ordinary text.
func (s *scanner) flush(end int) {
	s.put(s.base, s.text[s.start:end])
	s.start = end
}

func (s *scanner) put(t paint.Tone, text string) {
	for {
		row, rest, more := strings.Cut(text, "\n")
		if row != "" {
			s.line = append(s.line, paint.Span{Tone: t, Text: row})
		}
		if !more {
			return
		}
		s.lines, s.line = append(s.lines, s.line), nil
		text = rest
	}
}

// lineLength returns the number of bytes to the end of the line.
func lineLength(rest string) int {
	if n := strings.IndexByte(rest, '\n'); n >= 0 {
		return n
	}
	return len(rest)
}

// through returns the number of bytes through end, or all without one.
func through(rest string, from int, end string) int {
	if n := strings.Index(rest[from:], end); n >= 0 {
		return from + n + len(end)
	}
	return len(rest)
}

// stringLength returns the length of the single-line string that starts here,
// or 0 if it does not end on the line.
func stringLength(rest string) int {
	for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			return i + 1
		}
	}
	return 0
}

func wordLength(rest string) int {
	n := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) })
	if n < 0 {
		return len(rest)
	}
	return n
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
