package query

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
)

// A Query chooses sessions and entries. The zero Query chooses all.
type Query struct {
	Words      []Word
	Conditions []Condition
}

// A Form is how a word was written.
type Form uint8

// The forms of words.
const (
	Plain  Form = iota
	Phrase      // in quotes
	Prefix      // with * at its end
	Regexp      // after re:
)

// A Word must occur in a text, or must not.
type Word struct {
	// Text is the word as written, without quotes, and with the * of a Prefix.
	Text string
	Form Form
	Not  bool
	// Expr is the expression of a Regexp.
	Expr *regexp.Regexp
}

// A Condition is a filter with its values, of which one must match, or none if
// Not is set.
type Condition struct {
	Filter *Filter
	Not    bool
	values []value
}

// A value is one value of a condition.
type value struct {
	text string
	test
}

// A Session is what filters of sessions look at.
type Session struct {
	*catalog.Info
	// Tags are the user's tags of the session. Archived means that the user
	// archived it.
	Tags     []string
	Archived bool
}

// Texts returns the texts in which a list looks for words: the name and the first
// message.
func (s *Session) Texts() []string { return []string{s.Name, s.FirstMessage} }

// An Entry is what filters of entries look at.
type Entry interface {
	// Role returns one of Roles, or a role of another program.
	Role() string
	// HasTool reports whether the entry calls a tool or contains a result of it.
	HasTool(name string) bool
	// HasFile reports whether a tool call of the entry, or the one whose result
	// it is, has a path that contains part.
	HasFile(part string) bool
	// Active reports whether the entry is on the active path.
	Active() bool
	// When returns the time of the entry, or zero.
	When() time.Time
}

// Roles are the values of the filter role. An entry that is not a message also
// has a role: summary, label, name or custom.
var Roles = []string{"user", "assistant", "tool", "bash", "system", "custom", "summary", "label", "name"}

// IsZero reports whether the query chooses everything.
func (q Query) IsZero() bool { return len(q.Words) == 0 && len(q.Conditions) == 0 }

// Finds reports whether the query has words to find. A query without them
// chooses sessions.
func (q Query) Finds() bool {
	return slices.ContainsFunc(q.Words, func(w Word) bool { return !w.Not })
}

// Has reports whether the query has a filter of one of these names.
func (q Query) Has(names ...string) bool { return len(q.Only(names...).Conditions) > 0 }

// Only returns the query with only the filters of these names, without words.
func (q Query) Only(names ...string) Query { return Query{Conditions: q.pick(names, true)} }

// Without returns the query without the filters of these names.
func (q Query) Without(names ...string) Query {
	return Query{Words: q.Words, Conditions: q.pick(names, false)}
}

func (q Query) pick(names []string, listed bool) []Condition {
	var out []Condition
	for _, c := range q.Conditions {
		if slices.Contains(names, c.Filter.Name) == listed {
			out = append(out, c)
		}
	}
	return out
}

// OfEntries returns the query with only the filters of entries, and whether
// there are any. Filters of times are not among them.
func (q Query) OfEntries() (_ Query, any bool) {
	var out Query
	for _, c := range q.Conditions {
		if c.Filter.OfEntries {
			out.Conditions = append(out.Conditions, c)
		}
	}
	return out, len(out.Conditions) > 0
}

// OfSessions returns the query with only the filters of sessions, and whether
// there are any. Filters of times are not among them.
func (q Query) OfSessions() (_ Query, any bool) {
	var out Query
	for _, c := range q.Without(sinceName, untilName).Conditions {
		if !c.Filter.OfEntries {
			out.Conditions = append(out.Conditions, c)
		}
	}
	return out, len(out.Conditions) > 0
}

// Wants returns the values of a filter of which one must match; none if the
// query has no such filter.
func (q Query) Wants(name string) []string {
	for i := range q.Conditions {
		if c := &q.Conditions[i]; c.Filter.Name == name && !c.Not {
			return c.Values()
		}
	}
	return nil
}

// And returns a query that has the words and filters of both.
func (q Query) And(other Query) Query {
	return Query{slices.Concat(q.Words, other.Words), slices.Concat(q.Conditions, other.Conditions)}
}

// MatchSession reports whether a session passes all filters of sessions. Words
// and filters of entries do not count.
func (q Query) MatchSession(s *Session) bool {
	for i := range q.Conditions {
		if c := &q.Conditions[i]; c.values[0].session != nil && !c.matches(func(v *value) bool { return v.session(s) }) {
			return false
		}
	}
	return true
}

// MatchEntry reports whether an entry passes all filters of entries.
func (q Query) MatchEntry(e Entry) bool {
	for i := range q.Conditions {
		if c := &q.Conditions[i]; c.values[0].entry != nil && !c.matches(func(v *value) bool { return v.entry(e) }) {
			return false
		}
	}
	return true
}

func (c *Condition) matches(test func(v *value) bool) bool {
	for i := range c.values {
		if test(&c.values[i]) {
			return !c.Not
		}
	}
	return c.Not
}

// Values returns the values of a condition as written, without quotes.
func (c *Condition) Values() []string {
	out := make([]string, len(c.values))
	for i := range c.values {
		out[i] = c.values[i].text
	}
	return out
}

// Range returns the times that the filters since and until leave; until is
// exclusive, and a zero time means no limit.
func (q Query) Range() (since, until time.Time) {
	for i := range q.Conditions {
		c := &q.Conditions[i]
		if c.Filter.Name != sinceName && c.Filter.Name != untilName {
			continue
		}
		first, last := c.values[0].time, c.values[0].time
		for _, v := range c.values {
			if v.time.Before(first) {
				first = v.time
			}
			if v.time.After(last) {
				last = v.time
			}
		}
		switch starts := c.Filter.Name == sinceName; {
		case starts && !c.Not && first.After(since):
			since = first
		case starts && c.Not && (until.IsZero() || first.Before(until)):
			until = first
		case !starts && !c.Not && (until.IsZero() || last.Before(until)):
			until = last
		case !starts && c.Not && last.After(since):
			since = last
		}
	}
	return since, until
}

// String returns the query as it is typed. Parsing it gives the same query.
func (q Query) String() string {
	var items []string
	for i := range q.Words {
		items = append(items, q.Words[i].String())
	}
	for i := range q.Conditions {
		items = append(items, q.Conditions[i].String())
	}
	return strings.Join(items, " ")
}

// String returns the word as it is typed.
func (w *Word) String() string {
	text := w.Text
	switch {
	case w.Form == Phrase:
		text = quote(text)
	case w.Form == Regexp:
		text = expressionPrefix + quoteIfNeeded(text, "")
	}
	return minus(w.Not) + text
}

// String returns the condition as it is typed.
func (c *Condition) String() string {
	values := make([]string, len(c.values))
	for i := range c.values {
		values[i] = quoteIfNeeded(c.values[i].text, ",")
	}
	return minus(c.Not) + c.Filter.Name + ":" + strings.Join(values, ",")
}

func minus(not bool) string {
	if not {
		return "-"
	}
	return ""
}

// Quote returns a filter with one value as it is typed.
func Quote(name, value string) string { return name + ":" + quoteIfNeeded(value, ",") }

// List returns a filter with values that are separated by commas, as in the flag
// of a command, as it is typed.
func List(name, values string) string {
	list := strings.Split(values, ",")
	for i := range list {
		list[i] = quoteIfNeeded(strings.TrimSpace(list[i]), ",")
	}
	return name + ":" + strings.Join(list, ",")
}
