package paint

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// Term returns the expression that finds a word or a phrase, whatever its letter case is.
func Term(text string) *regexp.Regexp {
	words := strings.Fields(text)
	for i := range words {
		words[i] = regexp.QuoteMeta(words[i])
	}
	return regexp.MustCompile("(?i)" + strings.Join(words, `\s+`))
}

// Terms returns the expressions of several words.
func Terms(words []string) (terms []*regexp.Regexp) {
	for _, w := range words {
		terms = append(terms, Term(w))
	}
	return terms
}

// Occurrences returns where any of the terms occurs in text, as byte ranges in order.
// Ranges do not overlap and contain whole grapheme clusters.
func Occurrences(text string, terms []*regexp.Regexp) (found [][2]int) {
	for at := 0; at < len(text); {
		from, to := len(text), len(text)
		for _, t := range terms {
			if m := t.FindStringIndex(text[at:]); m != nil && m[0] < m[1] && (at+m[0] < from || at+m[0] == from && at+m[1] > to) {
				from, to = at+m[0], at+m[1]
			}
		}
		if from == to {
			break
		}
		from, to = wholeClusters(text, from, to)
		found = append(found, [2]int{from, to})
		at = to
	}
	return found
}

// wholeClusters extends a range of text to whole grapheme clusters. Drawing a part
// of one in another color would tear it apart.
func wholeClusters(text string, from, to int) (int, int) {
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

// Mark highlights the terms in a drawn line. The occurrence numbered current,
// counted from 0, is shown in the tone of the current one.
func (t *Theme) Mark(line string, terms []*regexp.Regexp, current int) string {
	if len(terms) == 0 {
		return line
	}
	found := Occurrences(Bare(line), terms)
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
