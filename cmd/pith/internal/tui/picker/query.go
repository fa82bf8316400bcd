package picker

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/pith-sessions/pith/cmd/pith/internal/sessionfilter"
)

// A query is a parsed search.
type query struct {
	tokens  []token
	pattern *regexp.Regexp
	// terms must match the text of a session: the tokens or the pattern.
	terms []*regexp.Regexp
	// fault describes an error in a regular expression. Nothing matches then.
	fault string
	blank bool
	// filters are the filters in the query, and text is the rest of it. hint
	// describes a filter that is not valid, or not complete yet.
	filters sessionfilter.Filter
	text    string
	hint    string
}

// A token is a word or a phrase, in lower case.
type token struct {
	text   string
	phrase bool
}

// mostTokens is the maximum number of words of a query.
const mostTokens = 60

const patternPrefix = "re:"

// parse parses a query: filters, and words or an expression. now is the time that
// ages refer to.
func parse(text string, now time.Time) query {
	filters, rest, err := sessionfilter.Parse(text, now)
	q := parseText(rest)
	q.filters, q.text = filters, strings.TrimSpace(rest)
	if err != nil {
		q.hint = err.Error()
	}
	return q
}

// parseText parses words that are matched loosely, "phrases", or re: and a
// regular expression (pitfall 144).
func parseText(text string) query {
	text = strings.TrimSpace(text)
	if text == "" {
		return query{blank: true}
	}
	if pattern, ok := strings.CutPrefix(text, patternPrefix); ok {
		return parsePattern(strings.TrimSpace(pattern))
	}
	if strings.Count(text, `"`)%2 != 0 { // the quotes are literal
		return ofTokens(words(nil, text))
	}
	var tokens []token
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 0 {
			tokens = words(tokens, part)
		} else if phrase := collapse(part); phrase != "" {
			tokens = append(tokens, token{phrase, true})
		}
	}
	return ofTokens(tokens)
}

func ofTokens(tokens []token) query {
	tokens = tokens[:min(len(tokens), mostTokens)]
	return query{tokens: tokens, terms: termsOf(tokens), blank: len(tokens) == 0}
}

func parsePattern(pattern string) query {
	if pattern == "" {
		return query{fault: "empty pattern"}
	}
	re, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return query{fault: fmt.Sprintf("invalid regular expression: %v", strings.TrimPrefix(err.Error(), "error parsing regexp: "))}
	}
	return query{pattern: re, terms: []*regexp.Regexp{re}}
}

func words(tokens []token, text string) []token {
	for _, w := range strings.Fields(text) {
		tokens = append(tokens, token{strings.ToLower(w), false})
	}
	return tokens
}

// collapse returns text in lower case with single spaces.
func collapse(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// termsOf returns the expressions that must match the text of a session, in any
// letter case.
func termsOf(tokens []token) []*regexp.Regexp {
	terms := make([]*regexp.Regexp, len(tokens))
	for i, t := range tokens {
		words := strings.Fields(t.text)
		for k := range words {
			words[k] = regexp.QuoteMeta(words[k])
		}
		terms[i] = regexp.MustCompile("(?i)" + strings.Join(words, `\s+`))
	}
	return terms
}

// known returns the terms that match a session outside its text, as bits.
func (q *query) known(it *Item) (bits uint64) {
	for i, t := range q.tokens {
		if strings.Contains(collapse(it.name), t.text) || strings.Contains(it.id, t.text) || strings.Contains(it.cwd, t.text) || strings.Contains(it.tags, t.text) {
			bits |= 1 << i
		}
	}
	return bits
}

// narrows reports whether every match of the query also matches an older one.
func (q *query) narrows(old *query) bool {
	if q.pattern != nil || old.pattern != nil || old.blank || old.fault != "" {
		return false
	}
	for _, o := range old.tokens {
		if !slices.ContainsFunc(q.tokens, func(t token) bool { return strings.Contains(t.text, o.text) }) {
			return false
		}
	}
	return true
}

// inText returns the part of the query that a search within the session can use.
func (q *query) inText() string {
	var words []string
	for _, t := range q.tokens {
		switch {
		case strings.HasPrefix(t.text, "#"): // a tag
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
func (q *query) inFirst(it *Item) bool {
	for _, t := range q.tokens {
		if !strings.Contains(collapse(it.first), t.text) {
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
func (q *query) match(it *Item, inBody bool) (score float64, ok bool) {
	switch {
	case q.blank:
		return 0, true
	case q.fault != "":
		return 0, false
	case q.pattern != nil:
		return q.matchPattern(it, inBody)
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

func (q *query) matchPattern(it *Item, inBody bool) (float64, bool) {
	if q.pattern.MatchString(it.Name) {
		return 0, true
	}
	if inBody || q.pattern.MatchString(it.ID) || q.pattern.MatchString(it.FirstMessage) || q.pattern.MatchString(it.Cwd) || q.pattern.MatchString(it.tags) {
		return tier, true
	}
	return 0, false
}

// match returns how well one token matches. Only names and directories are
// matched loosely; ids and text must contain it (pitfall 144).
func (t token) match(it *Item) (float64, bool) {
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
