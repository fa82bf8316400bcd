package inspect

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
)

// A Snippet is a place at which a word that was searched for occurs.
type Snippet struct {
	EntryID Text `json:"entryId"`
	// Text is the word and a little of what stands around it, on one line.
	Text Text `json:"text"`
}

// snippetSide is how many bytes stand before and after the word, about.
const snippetSide = 50

// Snippets are the first places in an exchange at which the words of a search
// occur, at most one for each word in an entry's text. A word that stands in the
// snippet before has none of its own.
func (r *Reading) Snippets(i int, search string, most int) ([]Snippet, error) {
	m := newMatcher(search)
	out := []Snippet{}
	for line, err := range r.Lines(i) {
		if err != nil {
			return nil, err
		}
		if len(out) >= most {
			break
		}
		if m.cannotHold(line.Raw, m.words) {
			continue
		}
		entry, err := format.DecodeEntry(line.Raw)
		if err != nil {
			continue
		}
		eachText(entry, func(text string) {
			m.room = appendFolded(m.room[:0], []byte(text))
			start, end := 0, 0 // of the snippet before
			for _, word := range m.words {
				at := bytes.Index(m.room, word)
				if at < 0 || len(out) == most {
					continue
				}
				from := unfoldedIndex(text, at)
				to := unfoldedIndex(text[from:], len(word)) + from
				if start <= from && to <= end {
					continue
				}
				start, end = from-snippetSide, to+snippetSide
				out = append(out, Snippet{Text(line.ID), around(text, from, to)})
			}
		})
	}
	return out, nil
}

// unfoldedIndex is where in a text the byte stands that is at an index of the
// folded text.
func unfoldedIndex(text string, folded int) int {
	at := 0
	var room [utf8.UTFMax]byte
	for i := 0; i < len(text); {
		if at >= folded {
			return i
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		at += len(appendFolded(room[:0], []byte(text[i:i+size])))
		i += size
	}
	return len(text)
}

// around is a part of a text with a little of what stands around it.
func around(text string, from, to int) Text {
	start, end := max(0, from-snippetSide), min(len(text), to+snippetSide)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	out := strings.Join(strings.Fields(text[start:end]), " ")
	if start > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += "…"
	}
	return Text(out)
}
