package paint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// Occurrences returns where any of the words occurs in text, as byte ranges in
// order. Ranges do not overlap and contain whole grapheme clusters. Words must be
// in lower case; case is ignored.
func Occurrences(text string, words []string) [][2]int {
	var found [][2]int
	for i := 0; i < len(text); {
		n := 0
		for _, w := range words {
			n = max(n, foldedPrefix(text[i:], w))
		}
		if n > 0 {
			from, to := WholeClusters(text, i, i+n)
			found = append(found, [2]int{from, to})
			i = to
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return found
}

// WholeClusters extends a range of text to whole grapheme clusters. Drawing a part
// of one in another color would tear it apart.
func WholeClusters(text string, from, to int) (int, int) {
	if to == len(text) || text[to] < utf8.RuneSelf {
		if from == 0 || text[from] < utf8.RuneSelf {
			return from, to // a combining character follows neither end
		}
	}
	at := 0
	for c := range termsafe.Clusters(text) {
		next := at + len(c)
		if at < from && from < next {
			from = at
		}
		if at < to && to < next {
			to = next
		}
		if at = next; at >= to {
			break
		}
	}
	return from, to
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
// counted from 0, is shown in the tone of the current one.
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
						tone = Found
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
