package summarize

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
)

// valid returns text as valid UTF-8: halves of surrogate pairs, which sessions
// can contain and models do not accept, become U+FFFD.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// clean returns text as valid UTF-8 without control characters except line
// breaks and tabs. They become U+FFFD.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, strings.ReplaceAll(valid(s), "\r\n", "\n"))
}

// length returns the length of a text in letters.
func length(s string) (n int) {
	for _, r := range s {
		n += letters(r)
	}
	return n
}

// letters returns the width of a character: East Asian ones count twice.
func letters(r rune) int {
	if r >= 0x2E80 {
		return 2
	}
	return 1
}

// oneLine returns text on one line, shortened to limit.
func oneLine(s string, limit int) string {
	return shorten(strings.Join(strings.Fields(clean(s)), " "), limit)
}

// clip truncates text to limit. It cuts between words if possible, and marks
// the cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n, end, space := 0, 0, 0
	for i, r := range s {
		if n < limit {
			if end = i; unicode.IsSpace(r) && n > limit*2/3 {
				space = i
			}
		}
		if n += letters(r); n > limit {
			return strings.TrimRightFunc(s[:cmp.Or(space, end)], unicode.IsSpace) + "…"
		}
	}
	return s
}

// shorten replaces the middle of a long text with a mark: the start says what
// it is about, and the end is often the point of it.
func shorten(s string, limit int) string {
	if len(s) <= limit || length(s) <= limit {
		return s
	}
	head := clip(s, limit*2/3)
	n, start := 0, len(s)
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:start])
		if n += letters(r); n > limit/3-2 {
			break
		}
		start -= size
	}
	tail := s[start:]
	if i := strings.IndexFunc(tail, unicode.IsSpace); i >= 0 && i < len(tail)/3 {
		tail = tail[i:]
	}
	return head + " " + strings.TrimSpace(tail)
}

// quoted returns text with a mark before each line.
func quoted(mark, text string) string {
	return mark + strings.ReplaceAll(text, "\n", "\n"+mark)
}

// answerText returns the text of a response: each text block starts a line.
func answerText(c format.Content) string {
	texts := []string{c.Text}
	for _, b := range c.Blocks {
		if t, ok := b.(*format.TextBlock); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.TrimPrefix(strings.Join(texts, "\n"), "\n")
}
