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

// ErrQuery matches every error about an invalid query.
var ErrQuery = errors.New("invalid query")

// A Query selects entries. An entry matches if all terms match its texts and it
// passes all filters that are set.
type Query struct {
	Terms []Term

	// Project is a substring of the path of the session's project.
	Project string
	// Role is one of Roles.
	Role string
	// Tool is the name of a tool that the entry calls or contains a result of.
	Tool string
	// File is a substring of a path in a tool call: of the entry itself, or of
	// the call whose result the entry is. Results are found only by a query
	// with terms or a role; without them they would merely repeat their calls.
	File string
	// Since and Until limit the time of the entry; Until is exclusive.
	Since, Until time.Time
	// Active matches only entries on the active path of their session.
	Active bool
	// Any matches entries in which at least one term matches, instead of all.
	// It applies to the order Best, in which rare terms weigh more than
	// frequent ones.
	Any bool
}

// findsResults reports whether the results of calls that name Query.File match,
// in addition to the calls.
func (q *Query) findsResults() bool { return len(q.Terms) > 0 || q.Role != "" }

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

// Roles are the values of Query.Role. An entry that is not a message also has a
// role: summary, label, name or custom.
var Roles = []string{"user", "assistant", "tool", "bash", "system", "custom", "summary", "label", "name"}

// Parse parses a query as people type it; now is the time that ages refer to:
//
//	word              a whole word; letter case and accents are ignored
//	foo_bar.go        consecutive words, in this spelling
//	"a phrase"        the same for words with spaces
//	begin*            a word with this prefix
//	re:EXPR           a regular expression, re:"EXPR" if it has spaces
//	project:TEXT role:ROLE tool:NAME file:TEXT since:TIME until:TIME branch:active
//
// Terms and filters are separated by spaces; all must match. A term without
// letters and digits is matched literally. The error matches ErrQuery.
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
		return Query{}, fmt.Errorf("%w: it has %d terms; the limit is %d", ErrQuery, len(q.Terms), mostTerms)
	}
	if len(q.Terms) == 0 && !q.filters() {
		return Query{}, fmt.Errorf("%w: it is empty; use words, a \"phrase\", prefix* or re:EXPR", ErrQuery)
	}
	return q, nil
}

// filters reports whether a filter is set.
func (q *Query) filters() bool {
	return q.Tool != "" || q.File != "" || q.Role != "" || q.Project != "" || q.Active || !q.Since.IsZero() || !q.Until.IsZero()
}

// mostTerms is the maximum number of terms, so that a set of terms fits into a
// uint64.
const mostTerms = 60

// An item is a piece of a query: text with an optional key and optional quotes.
type item struct {
	key    string // the text before the colon in lower case, or ""
	text   string
	quoted bool
}

var queryKeys = []string{"re", "project", "role", "tool", "file", "since", "until", "branch"}

// items splits a query. An unclosed quote ends with the query, so that a query
// can be run while it is typed.
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

// filter handles an item that is a filter; ok is false if it is not one.
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
			return false, fmt.Errorf("%w: role:%s: use one of %s", ErrQuery, it.text, strings.Join(Roles, ", "))
		}
	case "since", "until":
		parse, into := catalog.ParseStart, &q.Since
		if it.key == "until" {
			parse, into = catalog.ParseEnd, &q.Until
		}
		if *into, ok = parse(it.text, now); !ok {
			return false, fmt.Errorf("%w: %s:%s: use 2026-01-31, 12h, 7d, yesterday or last-week", ErrQuery, it.key, it.text)
		}
	case "branch":
		if it.text != "active" && it.text != "any" {
			return false, fmt.Errorf("%w: branch:%s: use active or any", ErrQuery, it.text)
		}
		q.Active = it.text == "active"
	default:
		return false, nil
	}
	return true, nil
}

// termOf returns the term of an item.
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
	if len(words) == 0 { // punctuation alone is matched literally
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
