package search

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pith-sessions/pith/catalog"
)

// ErrQuery matches every error about a query that cannot be understood.
var ErrQuery = errors.New("invalid query")

// A Query says what is looked for. An entry is found if all terms match texts of
// it and it fulfils all filters that are set.
type Query struct {
	Terms []Term

	// Project is part of the path of the session's project.
	Project string
	// Role is one of Roles.
	Role string
	// Tool is the name of a tool that the entry calls or is the result of.
	Tool string
	// File is part of a path that a tool call names: of the entry, or the call that
	// the entry is the result of. Results are found by a query with terms or a role;
	// they would only follow their calls otherwise.
	File string
	// Since and Until limit the time of the entry; Until itself is outside.
	Since, Until time.Time
	// Active wants entries on the active path of their session alone.
	Active bool
	// Any finds entries in which one term or more matches, instead of all. It
	// counts in the order Best, where rare terms weigh more than frequent ones.
	Any bool
}

// findsResults reports whether the results of calls that name Query.File are
// found, beside the calls.
func (q *Query) findsResults() bool { return len(q.Terms) > 0 || q.Role != "" }

// A Term is one thing that must be in a text: words that follow each other, or
// what a regular expression matches.
type Term struct {
	// Words are in lower case and without accents. There is one, or several for a
	// phrase.
	Words []string
	// Prefix means that the last word may go on.
	Prefix bool
	// Regexp, if it is set, is matched instead of words.
	Regexp *regexp.Regexp
	// Forms are words that begin so which are worth looking up, with Prefix and in a
	// query with Any. An index is then asked for these, which is cheap, and not for
	// all words that begin so.
	Forms []string
}

// Roles are the values of Query.Role. An entry that is no message has a role
// too: summary, label, name or custom.
var Roles = []string{"user", "assistant", "tool", "bash", "system", "custom", "summary", "label", "name"}

// Parse reads a query as people type it, at a moment that ages refer to:
//
//	word              a whole word; letter case and accents do not matter
//	foo_bar.go        words that follow each other, as they stand there
//	"a phrase"        the same for words with spaces
//	begin*            a word that begins so
//	re:EXPR           a regular expression, re:"EXPR" if it has spaces
//	project:TEXT role:ROLE tool:NAME file:TEXT since:TIME until:TIME branch:active
//
// Terms and filters are separated by spaces; all must hold. A term without
// letters and digits is looked for as it stands. The error matches ErrQuery.
func Parse(text string, now time.Time) (Query, error) {
	var q Query
	if !utf8.ValidString(text) {
		return Query{}, fmt.Errorf("%w: it is not UTF-8", ErrQuery)
	}
	for _, item := range items(text) {
		if ok, err := q.filter(item, now); err != nil {
			return Query{}, err
		} else if ok {
			continue
		}
		term, err := termOf(item)
		if err != nil {
			return Query{}, err
		}
		q.Terms = append(q.Terms, term)
	}
	if len(q.Terms) > mostTerms {
		return Query{}, fmt.Errorf("%w: it has %d terms; %d are the most", ErrQuery, len(q.Terms), mostTerms)
	}
	if len(q.Terms) == 0 && !q.filters() {
		return Query{}, fmt.Errorf("%w: there is nothing to look for; give words, a \"phrase\", begin* or re:EXPR", ErrQuery)
	}
	return q, nil
}

// filters reports whether a filter is set.
func (q *Query) filters() bool {
	return q.Tool != "" || q.File != "" || q.Role != "" || q.Project != "" || q.Active || !q.Since.IsZero() || !q.Until.IsZero()
}

// mostTerms keeps a set of terms in one word of the machine.
const mostTerms = 60

// An item is a piece of a query: text, perhaps behind a key, perhaps in quotes.
type item struct {
	key    string // "" or what was before the colon, in lower case
	text   string
	quoted bool
}

var queryKeys = []string{"re", "project", "role", "tool", "file", "since", "until", "branch"}

// items splits a query. A quote that is not closed ends with the query, so that
// a query can be run while it is typed.
func items(text string) []item {
	var out []item
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return out
		}
		var it item
		if key, rest, ok := strings.Cut(text, ":"); ok && slices.Contains(queryKeys, strings.ToLower(key)) {
			it.key, text = strings.ToLower(key), rest
		}
		if rest, ok := strings.CutPrefix(text, `"`); ok {
			it.quoted = true
			it.text, text, _ = strings.Cut(rest, `"`)
		} else {
			end := strings.IndexFunc(text, unicode.IsSpace)
			if end < 0 {
				end = len(text)
			}
			it.text, text = text[:end], text[end:]
		}
		if it.text != "" {
			out = append(out, it)
		}
	}
}

// filter takes an item that is a filter; ok is false if it is none.
func (q *Query) filter(it item, now time.Time) (ok bool, err error) {
	switch it.key {
	case "project":
		q.Project = it.text
	case "tool":
		q.Tool = it.text
	case "file":
		q.File = it.text
	case "role":
		q.Role = strings.ToLower(it.text)
		if q.Role == "toolresult" {
			q.Role = "tool"
		}
		if !slices.Contains(Roles, q.Role) {
			return false, fmt.Errorf("%w: role:%s: choose among %s", ErrQuery, it.text, strings.Join(Roles, ", "))
		}
	case "since", "until":
		parse, into := catalog.ParseMoment, &q.Since
		if it.key == "until" {
			parse, into = catalog.ParseEnd, &q.Until
		}
		if *into, ok = parse(it.text, now); !ok {
			return false, fmt.Errorf("%w: %s:%s is no time; write a date like 2026-01-31, or an age like 12h, 7d, 2w, 3mo", ErrQuery, it.key, it.text)
		}
	case "branch":
		if it.text != "active" && it.text != "any" {
			return false, fmt.Errorf("%w: branch:%s: choose active or any", ErrQuery, it.text)
		}
		q.Active = it.text == "active"
	default:
		return false, nil
	}
	return true, nil
}

// termOf makes a term of an item.
func termOf(it item) (Term, error) {
	if it.key == "re" {
		re, err := regexp.Compile(it.text)
		if err != nil {
			return Term{}, fmt.Errorf("%w: re:%s: %v", ErrQuery, it.text, err)
		}
		return Term{Regexp: re}, nil
	}
	text := it.text
	prefix := !it.quoted && strings.HasSuffix(text, "*")
	words := wordsOf(strings.TrimSuffix(text, "*"))
	if len(words) == 0 { // signs alone are looked for as they stand
		return Term{Regexp: regexp.MustCompile(regexp.QuoteMeta(text))}, nil
	}
	return Term{Words: words, Prefix: prefix}, nil
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
