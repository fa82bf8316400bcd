package query

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/internal/near"
)

// An Error is the error of a query that is not valid.
type Error struct {
	// Filter is the name of the filter, known or not; "" for another error.
	Filter string
	// Value is the value that the filter does not take; "" if the filter is
	// unknown, or the value missing.
	Value string
	// Known are the known filters or values; nil if any text is a value.
	Known []string
	// Nearest is the one of Known that was probably meant, or "".
	Nearest string
	// Reason is the error in words.
	Reason string
}

// ErrEmpty is the error of an empty query where there must be one.
var ErrEmpty error = &Error{Reason: `the query is empty; use words, "phrases", prefix*, re:EXPR or filters`}

func (e *Error) Error() string { return e.Reason }

func unknownFilter(name string, values []string) error {
	e := &Error{Filter: name}
	for i := range Filters {
		e.Known = append(e.Known, Filters[i].Name)
	}
	e.Nearest = near.Word(name, e.Known)
	e.Reason = fmt.Sprintf("unknown filter %q", name)
	if e.Nearest != "" {
		e.Reason += fmt.Sprintf("; did you mean %s:%s?", e.Nearest, strings.Join(values, ","))
	} else {
		e.Reason += ";"
	}
	e.Reason += fmt.Sprintf(" filters are %s; quotes make it text", strings.Join(e.Known, ", "))
	return e
}

func valueError(f *Filter, text string, env *Env) error {
	e := &Error{Filter: f.Name, Value: text, Known: f.known(env)}
	e.Nearest = near.Word(text, e.Known)
	switch {
	case e.Nearest != "":
		e.Reason = fmt.Sprintf("unknown %s %q; did you mean %s? use %s", f.Name, text, e.Nearest, strings.Join(e.Known, ", "))
	case e.Known != nil:
		e.Reason = fmt.Sprintf("unknown %s %q; use %s", f.Name, text, strings.Join(e.Known, ", "))
	default:
		e.Reason = fmt.Sprintf("invalid %s %q; use %s", f.Name, text, f.use)
	}
	return e
}

func expressionError(text string, err error) error {
	e := &Error{Filter: "re", Value: text, Reason: `re: needs a regular expression, as in re:conf\w+ or re:"two words"`}
	if err != nil {
		e.Reason = fmt.Sprintf("invalid regular expression %q: %s", text, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return e
}
