package inspect

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A Snippet is an excerpt around a match.
type Snippet struct {
	EntryID Text `json:"entryId"`
	// Text is the matched word with a little context, on one line.
	Text Text `json:"text"`
}

// snippetSide is about how many bytes of context precede and follow the word.
const snippetSide = 50

// Snippets returns excerpts around the first matches of the words of a search
// in a turn, at most one for each word in an entry's text. A word within
// the previous snippet gets none of its own.
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
		if !m.speech.Read(line.Raw) {
			continue
		}
		for p := range m.speech.Passages() {
			text := p.Text
			m.room = appendFolded(m.room[:0], []byte(text))
			start, end := 0, 0 // range of the previous snippet
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
		}
	}
	return out, nil
}

// unfoldedIndex converts an index of the folded text to one of the text.
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

// around returns a part of a text with a little context.
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
