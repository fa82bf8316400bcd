package summarize

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A focus finds sentences about what the user asked a summary to mind.
type focus struct {
	asked string
	words []string
	found []found
	next  int
}

// found is a sentence and how many of the words it has.
type found struct {
	text        string
	hits, order int
}

// maxFound is how many sentences are kept.
const maxFound = 8

func newFocus(instructions string) focus {
	f := focus{asked: strings.TrimSpace(valid(instructions))}
	for word := range strings.FieldsFuncSeq(strings.ToLower(f.asked), notInWord) {
		if (utf8.RuneCountInString(word) >= 4 || wide(word) || word[0] >= utf8.RuneSelf) && !slices.Contains(f.words, word) && len(f.words) < 24 {
			f.words = append(f.words, word)
		}
	}
	return f
}

// look takes the sentences of a text that have most of the words. Of equals the
// later ones stay.
func (f *focus) look(text string) {
	if len(f.words) == 0 {
		return
	}
	for s := range sentences(text) {
		hits := 0
		lower := strings.ToLower(s.text)
		for _, word := range f.words {
			if strings.Contains(lower, word) {
				hits++
			}
		}
		if hits > 0 {
			f.keep(found{oneLine(s.text, 240), hits, f.next})
			f.next++
		}
	}
}

func (f *focus) keep(n found) {
	if slices.ContainsFunc(f.found, func(o found) bool { return o.text == n.text }) {
		return
	}
	f.found = append(f.found, n)
	slices.SortFunc(f.found, func(a, b found) int { return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(b.order, a.order)) })
	f.found = f.found[:min(len(f.found), maxFound)]
}

// lines are the sentences, in the order in which they were said.
func (f *focus) lines() []string {
	slices.SortFunc(f.found, func(a, b found) int { return cmp.Compare(a.order, b.order) })
	var out []string
	for _, n := range f.found {
		out = append(out, n.text)
	}
	return out
}
