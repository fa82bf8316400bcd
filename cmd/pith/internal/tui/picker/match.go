package picker

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A typed is a search as it was typed.
type typed struct {
	query.Query
	// tokens are the words to find, and terms what must match the text of a
	// session: one for each.
	tokens []token
	terms  []*regexp.Regexp
	// entries are the filters of entries, ofEntries whether there are any.
	entries   query.Query
	ofEntries bool
	blank     bool // there are no words to find
	// fault describes an error in a regular expression. Nothing matches then.
	// hint describes a filter that is not valid.
	fault, hint string
}

// A token is a word or a phrase, in lower case, or an expression.
type token struct {
	text   string
	phrase bool
	expr   *regexp.Regexp
}

// parse parses a query. Words are matched loosely (pitfall 144).
func (m *Model) parse(text string) typed {
	parsed, err := ops.Typed(m.o.App, text, m.o.Cwd)
	q := typed{Query: parsed, blank: !parsed.Finds()}
	q.entries, q.ofEntries = parsed.OfEntries()
	for _, w := range parsed.Words {
		if w.Not {
			continue
		}
		t := tokenOf(w)
		q.tokens, q.terms = append(q.tokens, t), append(q.terms, t.term())
	}
	if bad, ok := errors.AsType[*query.Error](err); ok && bad.Filter == "re" {
		q.fault = bad.Reason
	} else if ok {
		q.hint = bad.Reason
	}
	return q
}

func tokenOf(w query.Word) token {
	switch w.Form {
	case query.Regexp:
		return token{expr: w.Expr}
	case query.Phrase:
		return token{text: collapse(w.Text), phrase: true}
	case query.Prefix:
		w.Text = strings.TrimSuffix(w.Text, "*")
	}
	return token{text: strings.ToLower(w.Text)}
}

// term returns the expression that must match the text of a session.
func (t token) term() *regexp.Regexp {
	if t.expr != nil {
		return t.expr
	}
	return paint.Term(t.text)
}

// collapse returns text in lower case with single spaces.
func collapse(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// known returns the terms that match a session outside its text, as bits.
func (q *typed) known(it *Item) (bits uint64) {
	for i, t := range q.tokens {
		if t.expr != nil {
			continue
		}
		if strings.Contains(collapse(it.name), t.text) || strings.Contains(it.id, t.text) || strings.Contains(it.cwd, t.text) || strings.Contains(it.tags, t.text) {
			bits |= 1 << i
		}
	}
	return bits
}

// narrows reports whether every match of the query also matches an older one.
func (q *typed) narrows(old *typed) bool {
	literal := func(t token) bool { return t.expr == nil }
	if old.blank || old.fault != "" || q.ofEntries || old.ofEntries || !slices.ContainsFunc(old.tokens, literal) {
		return false
	}
	for _, o := range old.tokens {
		if !slices.ContainsFunc(q.tokens, func(t token) bool { return literal(o) && literal(t) && strings.Contains(t.text, o.text) }) {
			return false
		}
	}
	return true
}

// searches reports whether the texts of sessions are searched. A search for one
// letter would match everything.
func (q *typed) searches() bool {
	return q.fault == "" && (q.ofEntries || slices.ContainsFunc(q.tokens, func(t token) bool { return t.expr != nil || len([]rune(t.text)) > 1 }))
}

// inTexts returns the part of the query that a search of texts uses.
func (q *typed) inTexts() query.Query {
	return query.Query{Words: q.Words, Conditions: q.entries.Conditions}
}

// passes reports whether a session passes the filters, whether it is archived or
// not.
func (q *typed) passes(it *Item) bool {
	s := query.Session{Info: &it.Info, Tags: it.Marks.Tags, Archived: it.Marks.Archived}
	return q.MatchSession(&s)
}

// inText returns the part of the query that a search within the session can use.
func (q *typed) inText() string {
	var words []string
	for _, t := range q.tokens {
		switch {
		case t.expr != nil, strings.HasPrefix(t.text, "#"): // a tag
		case t.phrase:
			words = append(words, `"`+t.text+`"`)
		default:
			words = append(words, t.text)
		}
	}
	if text := strings.Join(words, " "); len(text) > 1 {
		return text
	}
	return "" // one letter is everywhere
}

// inFirst reports whether the first message contains all words.
func (q *typed) inFirst(it *Item) bool {
	for _, t := range q.tokens {
		if t.expr != nil || !strings.Contains(collapse(it.first), t.text) {
			return false
		}
	}
	return len(q.tokens) > 0
}

// tier is the weight of the place of a match: a name comes first, and a loose
// match last, whatever its score.
const tier = 1_000_000

// match returns how well a session matches: lower is better. ok is false if it
// does not. inBody means that the text of the session matches the whole query.
func (q *typed) match(it *Item, inBody bool) (score float64, ok bool) {
	if q.fault != "" || q.ofEntries && !inBody || q.excludes(it) {
		return 0, false
	}
	for _, t := range q.tokens {
		s, ok := t.match(it)
		switch {
		case inBody && (!ok || s > tier): // the text matches; a loose match counts less
			s = tier
		case !ok:
			return 0, false
		}
		score += s
	}
	return score, true
}

// loosely reports whether a word matches a session only by its letters.
func (q *typed) loosely(it *Item) bool {
	return slices.ContainsFunc(q.tokens, func(t token) bool {
		score, _ := t.match(it)
		return score > 1.5*tier
	})
}

// excludes reports whether the name or the first message has a word that it must
// not have.
func (q *typed) excludes(it *Item) bool {
	for _, w := range q.Words {
		if w.Not {
			if e := tokenOf(w).term(); e.MatchString(it.Name) || e.MatchString(it.FirstMessage) {
				return true
			}
		}
	}
	return false
}

// match returns how well one token matches. Only names and directories are
// matched loosely; ids and text must contain it (pitfall 144).
func (t token) match(it *Item) (float64, bool) {
	if t.expr != nil {
		switch {
		case t.expr.MatchString(it.Name):
			return 0, true
		case t.expr.MatchString(it.ID), t.expr.MatchString(it.FirstMessage), t.expr.MatchString(it.Cwd), t.expr.MatchString(it.tags):
			return tier, true
		}
		return 0, false
	}
	name, first := it.name, it.first
	if t.phrase {
		name, first = collapse(name), collapse(first)
	}
	if strings.Contains(name, t.text) {
		score, _ := fuzzy(t.text, name)
		return score, true
	}
	if strings.Contains(it.id, t.text) || strings.Contains(first, t.text) || strings.Contains(it.cwd, t.text) || strings.Contains(it.tags, t.text) {
		return tier, true
	}
	if t.phrase {
		return 0, false
	}
	best, found := 0.0, false
	for _, field := range [...]string{it.name, it.cwd} {
		if score, ok := fuzzy(t.text, field); ok && (!found || score < best) {
			best, found = score, true
		}
	}
	return 2*tier + best, found
}

// fuzzy scores a word whose letters occur in text in their order, not
// necessarily adjacent; lower is better. Both are in lower case. The weights
// are pi's, so that both programs put the same session first.
func fuzzy(word, text string) (float64, bool) {
	if word == "" {
		return 0, true
	}
	if score, ok := subsequence(word, text); ok {
		return score, true
	}
	swapped, ok := swapParts(word)
	if !ok {
		return 0, false
	}
	score, ok := subsequence(swapped, text)
	return score + 5, ok
}

func subsequence(word, text string) (float64, bool) {
	want := []rune(word)
	score, run, last, k := 0.0, 0, -1, 0
	i, before := 0, rune(' ')
	for _, r := range text {
		if k < len(want) && r == want[k] {
			if last == i-1 { // as in pi, also for the first letter of the text
				run++
				score -= 5 * float64(run)
			} else {
				run = 0
				if last >= 0 {
					score += 2 * float64(i-last-1)
				}
			}
			if startsWord(before) {
				score -= 10
			}
			score += 0.1 * float64(i)
			last = i
			k++
		}
		before = r
		i++
	}
	if k < len(want) {
		return 0, false
	}
	if word == text {
		score -= 100
	}
	return score, true
}

func startsWord(before rune) bool {
	return unicode.IsSpace(before) || strings.ContainsRune("-_./:", before)
}

// swapParts swaps letters and digits: for "gpt4" it returns "4gpt".
func swapParts(word string) (string, bool) {
	i := strings.IndexFunc(word, unicode.IsDigit)
	if i == 0 {
		i = strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) })
	}
	if i <= 0 {
		return "", false
	}
	a, b := word[:i], word[i:]
	return b + a, uniform(a) && uniform(b)
}

// uniform reports whether a part is all letters or all digits.
func uniform(part string) bool {
	digits := unicode.IsDigit(rune(part[0]))
	for _, r := range part {
		if unicode.IsDigit(r) != digits || !digits && !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}
