package webui

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
)

// A query is the text of a search box: filters of sessions, and a query for package
// search.
type query struct {
	text  string // the part for package search; "" if the query has only session filters
	words search.Query
	keep  []func(l *listing, i int) bool
}

// queryItem matches a phrase, a filter of sessions, or a word.
var queryItem = regexp.MustCompile(`"[^"]*"?|(?i:\b(model|status|source|tag|cost)):("[^"]*"?|\S*)|\S+`)

// parse parses a query while a person types it. The error matches search.ErrQuery.
func (s *Server) parse(text string) (query, error) {
	var q query
	var rest []string
	for _, m := range queryItem.FindAllStringSubmatch(text, -1) {
		key, value := strings.ToLower(m[1]), strings.ToLower(strings.Trim(m[2], `"`))
		switch {
		case key == "" && strings.Count(m[0], ":") == 1 && strings.HasSuffix(m[0], ":"): // a filter without its value yet
		case key == "":
			rest = append(rest, m[0])
		case key == "cost":
			keep, err := costFilter(value)
			if err != nil {
				return query{}, err
			}
			q.keep = append(q.keep, keep)
		case value != "":
			q.keep = append(q.keep, textFilter(key, value))
		}
	}
	q.text = strings.Join(rest, " ")
	if q.text == "" {
		return q, nil
	}
	var err error
	if q.words, err = search.Parse(incomplete(q.text), s.c.Now()); err != nil {
		return query{}, err
	}
	if w := &q.words; len(w.Terms) == 0 && w.Role == "" && w.Tool == "" && w.File == "" && !w.Active {
		f := catalog.Filter{Project: w.Project, Since: w.Since, Until: w.Until}
		q.keep = append(q.keep, func(l *listing, i int) bool { return f.Match(&l.infos[i]) })
		q.text = ""
	}
	return q, nil
}

// incomplete makes the last word of a query a prefix, since a person may still type
// it. A single letter does not count, because nearly everything starts with it.
func incomplete(text string) string {
	last := text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
	if len(last) > 1 && strings.IndexFunc(last, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0 && strings.Count(text, `"`)%2 == 0 {
		text += "*"
	}
	return text
}

// textFilter returns a filter for sessions that have a lower-case text in a field.
func textFilter(key, value string) func(*listing, int) bool {
	return func(l *listing, i int) bool {
		switch key {
		case "model":
			return strings.Contains(strings.ToLower(l.infos[i].Model), value)
		case "status":
			return strings.HasPrefix(string(l.infos[i].Status), value)
		case "source":
			return strings.Contains(strings.ToLower(l.infos[i].Root), value)
		}
		return slices.ContainsFunc(l.tags[i], func(tag string) bool { return strings.EqualFold(tag, value) })
	}
}

// costFilter returns a filter such as >5, <=0.1 or 5, which means at least that.
func costFilter(value string) (func(*listing, int) bool, error) {
	amount := strings.TrimLeft(value, "<>=")
	op := strings.TrimSuffix(value, amount)
	if amount == "" { // not complete yet
		return func(*listing, int) bool { return true }, nil
	}
	dollars, err := strconv.ParseFloat(strings.TrimPrefix(amount, "$"), 64)
	if err != nil {
		return nil, fmt.Errorf("%w: cost:%s: use an amount in dollars, as in cost:>5", search.ErrQuery, value)
	}
	return func(l *listing, i int) bool {
		is := float64(l.infos[i].Spent.Cost.Micros()) / 1e6
		switch op {
		case ">":
			return is > dollars
		case "<":
			return is < dollars
		case "<=":
			return is <= dollars
		case "=":
			return is == dollars
		}
		return is >= dollars
	}, nil
}

// sessions returns the numbers of the sessions that pass the filters.
func (q *query) sessions(l *listing) []int {
	out := make([]int, 0, len(l.infos))
	for i := range l.infos {
		if !slices.ContainsFunc(q.keep, func(keep func(*listing, int) bool) bool { return !keep(l, i) }) {
			out = append(out, i)
		}
	}
	return out
}
