package paint

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Occurrences returns where any of the words occurs in text, as byte ranges in
// order. Ranges do not overlap. Words must be in lower case; case is ignored.
func Occurrences(text string, words []string) [][2]int {
	var found [][2]int
	for i := 0; i < len(text); {
		n := 0
		for _, w := range words {
			n = max(n, foldedPrefix(text[i:], w))
		}
		if n > 0 {
			found = append(found, [2]int{i, i + n})
			i += n
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return found
}

// foldedPrefix returns the length of the prefix of s that equals word without
// regard to case, or 0.
func foldedPrefix(s, word string) int {
	n := 0
	for _, want := range word {
		r, size := utf8.DecodeRuneInString(s[n:])
		if size == 0 || r != want && unicode.ToLower(r) != want {
			return 0
		}
		n += size
	}
	return n
}

// Mark highlights the words in a drawn line. The occurrence numbered current,
// counted from 0, is shown in the tone of the cursor.
func (t *Theme) Mark(line string, words []string, current int) string {
	if len(words) == 0 {
		return line
	}
	found := Occurrences(Bare(line), words)
	if len(found) == 0 {
		return line
	}
	var b strings.Builder
	at, next := 0, 0 // in the bare line, and in found
	for code, piece := range coloredPieces(line) {
		for piece != "" {
			for next < len(found) && found[next][1] <= at {
				next++
			}
			n, tone := len(piece), Plain
			if next < len(found) {
				if start := found[next][0]; start > at {
					n = min(n, start-at)
				} else {
					n, tone = min(n, found[next][1]-at), Match
					if next == current {
						tone = Cursor
					}
				}
			}
			if tone != Plain {
				t.paint(&b, tone, piece[:n], false)
			} else {
				writeColored(&b, code, piece[:n])
			}
			piece, at = piece[n:], at+n
		}
	}
	return b.String()
}

func writeColored(b *strings.Builder, code, text string) {
	if code == "" || code == "0" {
		b.WriteString(text)
		return
	}
	b.WriteString("\x1b[" + code + "m" + text + "\x1b[0m")
}
