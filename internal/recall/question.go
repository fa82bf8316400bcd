package recall

import (
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
)

// relax returns the query of a question. Plain words are searched by their
// stems, and one of them is enough; a question with a phrase, a prefix* or an
// expression is searched exactly.
func relax(question query.Query) search.Query {
	q := search.For(question)
	if slices.ContainsFunc(question.Words, func(w query.Word) bool { return w.Form != query.Plain }) {
		return q
	}
	var terms []search.Term
	seen := map[string]bool{}
	for _, t := range q.Terms {
		if t.Regexp != nil {
			return q
		}
		if len(t.Words) == 1 {
			if stopWords()[t.Words[0]] {
				continue
			}
			t = stemmed(t)
		}
		if key := strings.Join(t.Words, " "); !seen[key] {
			seen[key] = true
			terms = append(terms, t)
		}
	}
	if len(terms) == 0 { // only stop words: then they are meant
		return q
	}
	q.Terms, q.Any = terms[:min(len(terms), mostTerms)], len(terms) > 1
	return q
}

// loosen makes some of the terms sufficient. If there are words, expressions
// are dropped: an index finds no entry that matches only an expression.
func loosen(q *search.Query) {
	words := slices.DeleteFunc(slices.Clone(q.Terms), func(t search.Term) bool { return t.Regexp != nil })
	if len(words) > 0 {
		q.Terms = words
	}
	q.Any = true
}

// mostTerms is the number of words of a question that are used. A longer one is
// a pasted text, of which the start is enough.
const mostTerms = 24

// endings are the inflections of English words, the longest first.
var endings = []string{"ations", "ation", "ments", "ment", "ings", "ing", "ions", "ion", "ers", "ies", "ied", "er", "ed", "es", "ly", "s", "e", "y"}

// stemmed returns a term that also matches other forms of its word.
func stemmed(t search.Term) search.Term {
	word := t.Words[0]
	if len(word) < 4 || strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return t
	}
	for _, end := range endings {
		stem, ok := strings.CutSuffix(word, end)
		if !ok || len(stem) < 4 && !(len(stem) == 3 && (end == "s" || end == "e" || end == "y")) {
			continue
		}
		if n := len(stem); n > 4 && stem[n-1] == stem[n-2] && stem[n-1] != 's' && stem[n-1] != 'l' {
			stem = stem[:n-1] // planned, plan
		}
		word = stem
		break
	}
	return search.Term{Words: []string{word}, Prefix: true, Forms: forms(t.Words[0], word)}
}

// further are endings of derived words, in addition to endings.
var further = []string{"", "or", "ors", "al", "able", "ance", "ence", "ility", "ive", "ization", "izer", "ize", "ized"}

// forms returns the forms of a word that start with its stem.
func forms(word, stem string) []string {
	out := []string{word}
	last := stem[len(stem)-1:]
	doubles := strings.ContainsAny(last, "bdgklmnprtz") && strings.ContainsAny(stem[len(stem)-2:len(stem)-1], "aeiou")
	for _, end := range slices.Concat(endings, further) {
		out = append(out, stem+end)
		if doubles && (strings.HasPrefix(end, "e") || strings.HasPrefix(end, "i")) {
			out = append(out, stem+last+end) // plan, planned
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// stopWords occur in all texts and questions.
var stopWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`a an and any are as at be been before but by can could did do does done earlier ever
		for from had has have how i if in into is it its me my no not of on or our past please previously remember
		s should so some t tell than that the their them then there these they this those to us use used using
		was we were what when where which who why will with would you your about again after last time did didn't
		session sessions conversation happen happened choose chose chosen decide decided agree agreed know need needed
		want wanted say said mention mentioned discuss discussed talk talked`) {
		words[w] = true
	}
	return words
})
