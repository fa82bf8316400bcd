package page

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// escape appends text with HTML markup escaped and with visible symbols for
// characters that a browser or an editor would obey.
func escape[T string | []byte](dst []byte, text T) []byte {
	last := 0
	for i := 0; i < len(text); {
		c := text[i]
		if !notable[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
			if shown, odd := shownAs(r, size); odd {
				dst = append(append(dst, text[last:i]...), shown...)
				last = i + size
			}
			i += size
			continue
		}
		dst = append(append(dst, text[last:i]...), asciiShown[c]...)
		i++
		last = i
	}
	return append(dst, text[last:]...)
}

var asciiShown = func() (t [utf8.RuneSelf]string) {
	for c := range 0x20 {
		t[c] = string(rune(0x2400 + c))
	}
	t['\n'], t['\t'] = "", ""
	t['\r'] = " "
	t[0x7f] = "\u2421"
	t['<'], t['>'], t['&'], t['"'], t['\''] = "&lt;", "&gt;", "&amp;", "&#34;", "&#39;"
	return t
}()

// notable contains the bytes that are not written unchanged, and those of
// characters that may not be.
var notable = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= utf8.RuneSelf || asciiShown[c] != ""
	}
	return t
}()

// shownAs returns the visible form of a character that must not be obeyed.
func shownAs(r rune, size int) (string, bool) {
	switch {
	case r == utf8.RuneError && size <= 1:
		return "\uFFFD", true
	case r >= 0x80 && r < 0xa0, r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r >= 0xe0000 && r <= 0xe007f, r == 0xfeff:
		return fmt.Sprintf("[U+%04X]", r), true
	}
	return "", false
}

// Escaped returns text for use in HTML, between tags or in a quoted attribute.
func Escaped(text string) string { return string(escape(nil, text)) }

// PlainOutput returns the output of a program without color sequences.
func PlainOutput(text string) string {
	if strings.IndexByte(text, 0x1b) < 0 {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, "\x1b[")
		if i < 0 {
			break
		}
		end := i + 2
		for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == ';' || text[end] == ':') {
			end++
		}
		if end < len(text) && text[end] == 'm' {
			b.WriteString(text[:i])
			text = text[end+1:]
			continue
		}
		b.WriteString(text[:i+2]) // any other sequence is shown
		text = text[i+2:]
	}
	b.WriteString(text)
	return b.String()
}

// OneLine returns the start of a text on one line of at most most characters.
// Characters that a browser or an editor would obey are shown.
func OneLine(text string, most int) string {
	b := make([]byte, 0, min(len(text), most+len("…")))
	n, blank := 0, false
	for _, r := range text {
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' {
			blank = n > 0
			continue
		}
		if n >= most {
			b = append(b, "…"...)
			break
		}
		if blank {
			b = append(b, ' ')
			n++
			blank = false
		}
		b = utf8.AppendRune(b, r)
		n++
	}
	return Shown(string(b))
}
