package search

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog/query"
)

// A Query selects entries. An entry matches if all terms match its texts, none
// of Not does, and it passes the filters.
type Query struct {
	Terms, Not []Term
	// Filters are those of sessions and entries; their words are ignored. Times
	// apply to entries. If there are terms, or a role is chosen, file: also
	// finds results; otherwise they would merely repeat their calls.
	Filters query.Query
	// Any matches entries in which at least one term matches, instead of all.
	// It applies to the order Best, in which rare terms weigh more than
	// frequent ones.
	Any bool
}

// A Term must occur in a text: consecutive words, or a match of a regular
// expression.
type Term struct {
	// Words are in lower case and without accents. A phrase has several.
	Words []string
	// Prefix means that the last word is a prefix.
	Prefix bool
	// Regexp, if it is set, is matched instead of words.
	Regexp *regexp.Regexp
	// Forms are words with this prefix that are worth looking up, with Prefix
	// and in a query with Any. The index then looks up only these, which is
	// cheap, instead of all words with the prefix.
	Forms []string
}

// For returns the query for package search. A word without letters and digits
// is matched literally.
func For(q query.Query) Query {
	out := Query{Filters: query.Query{Conditions: q.Conditions}}
	for i := range q.Words {
		if w := &q.Words[i]; w.Not {
			out.Not = append(out.Not, termOf(w))
		} else {
			out.Terms = append(out.Terms, termOf(w))
		}
	}
	return out
}

// findsResults reports whether the results of calls that name a file match, in
// addition to the calls.
func (q *Query) findsResults() bool { return len(q.Terms) > 0 || q.Filters.Has("role") }

// filtersEntries reports whether the query has filters of entries, or excludes
// words.
func (q *Query) filtersEntries() bool {
	_, any := q.Filters.OfEntries()
	return any || len(q.Not) > 0 || q.Filters.Has("since", "until")
}

func termOf(w *query.Word) Term {
	if w.Form == query.Regexp {
		return Term{Regexp: w.Expr}
	}
	text := w.Text
	if w.Form == query.Prefix {
		text = strings.TrimSuffix(text, "*")
	}
	words := wordsOf(text)
	if len(words) == 0 { // punctuation alone is matched literally
		return Term{Regexp: regexp.MustCompile(regexp.QuoteMeta(w.Text))}
	}
	return Term{Words: words, Prefix: w.Form == query.Prefix}
}

func wordsOf(text string) []string {
	var out []string
	s := splitter{text: text}
	for {
		if _, ok := s.next(); !ok {
			return out
		}
		out = append(out, string(s.folded))
	}
}

// MatchTexts reports whether each term occurs in one of the texts, and none of
// Not in any.
func (q Query) MatchTexts(texts ...string) bool {
	return contains(q.Terms, texts) == len(q.Terms) && contains(q.Not, texts) == 0
}

// contains returns the number of terms that occur in texts.
func contains(terms []Term, texts []string) (n int) {
	if len(terms) == 0 {
		return 0
	}
	m := newMatcher(&Query{Terms: terms}, false)
	var found uint64
	for _, text := range texts {
		_, in := m.field(text, true)
		found |= in
	}
	for i := range terms {
		n += int(found >> i & 1)
	}
	return n
}

// A seen is an entry as filters of entries see it, with what the rest of its
// session tells.
type seen struct {
	*entry
	// touching returns the ids of the tool calls of the session with a path
	// that contains a text; nil means that only the entry itself counts.
	touching func(part string) map[string]bool
	active   func() bool
}

func (e *seen) Role() string { return roleOf(e.entry) }

func (e *seen) HasTool(name string) bool {
	return slices.ContainsFunc(e.fields, func(f field) bool { return strings.EqualFold(f.tool, name) })
}

func (e *seen) HasFile(part string) bool {
	return e.callsWith(part) || e.touching != nil && e.result != "" && e.touching(part)[e.result]
}

func (e *seen) Active() bool { return e.active() }

func (e *seen) When() time.Time { return e.time }
