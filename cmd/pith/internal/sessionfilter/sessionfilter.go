// Package sessionfilter parses the filters that can be typed into a search of a
// list of sessions, next to words:
//
//	project:TEXT model:TEXT source:AGENT status:STATUS cost:>5 cost:<0.5 since:7d until:2026-01-31
//
// A value with spaces is quoted: project:"my project". Everything else is left
// to the caller.
package sessionfilter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/pith-sessions/pith/catalog"
)

// Keys are the names of the filters.
var Keys = []string{"project", "model", "source", "status", "cost", "since", "until"}

// A Filter selects sessions. The zero Filter matches all of them.
type Filter struct {
	catalog.Filter
	// Source is a prefix of the name of the agent, in lower case.
	Source string
	// MinCost and MaxCost limit the cost in millionths of a dollar; zero means no
	// limit. MinCost is exclusive, and MaxCost too.
	MinCost, MaxCost int64
	set              bool
}

// Set reports whether any filter was typed.
func (f *Filter) Set() bool { return f.set }

// Match reports whether a session passes.
func (f *Filter) Match(i *catalog.Info) bool {
	cost := i.Spent.Cost.Micros()
	switch {
	case !f.set:
		return true
	case !strings.HasPrefix(strings.ToLower(i.Root), f.Source), f.MinCost > 0 && cost <= f.MinCost, f.MaxCost > 0 && cost >= f.MaxCost:
		return false
	}
	return f.Filter.Match(i)
}

// Parse returns the filters in a search, the text without them, and for the first
// value that is not valid, or not complete yet, an error; such a filter has no
// effect. now is the time that ages refer to.
func Parse(text string, now time.Time) (f Filter, rest string, err error) {
	var kept []string
	for _, w := range split(text) {
		key, value, ok := cut(w)
		if !ok {
			kept = append(kept, w)
			continue
		}
		f.set = true
		if value = strings.Trim(value, `"`); value == "" {
			continue // it is being typed
		}
		if bad := f.add(key, value, now); bad != nil && err == nil {
			err = bad
		}
	}
	if !f.set {
		return f, text, nil
	}
	return f, strings.Join(kept, " "), err
}

// Last returns the filter at the end of a search that is being typed.
func Last(text string) (key, value string, ok bool) {
	words := split(text)
	if len(words) == 0 || strings.TrimRightFunc(text, unicode.IsSpace) != text && strings.Count(words[len(words)-1], `"`) != 1 {
		return "", "", false
	}
	key, value, ok = cut(words[len(words)-1])
	return key, strings.Trim(value, `"`), ok
}

// Quote returns a filter as it is typed.
func Quote(key, value string) string {
	if strings.ContainsFunc(value, unicode.IsSpace) {
		value = `"` + value + `"`
	}
	return key + ":" + value
}

func cut(word string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(word, ":")
	key = strings.ToLower(key)
	return key, value, ok && slices.Contains(Keys, key)
}

func (f *Filter) add(key, value string, now time.Time) error {
	ok := true
	switch key {
	case "project":
		f.Project = value
	case "model":
		f.Model = value
	case "source":
		f.Source = strings.ToLower(value)
	case "status":
		return f.addStatuses(value)
	case "since":
		var t time.Time
		if t, ok = catalog.ParseMoment(value, now); ok {
			f.Since = t
		}
	case "until":
		var t time.Time
		if t, ok = catalog.ParseEnd(value, now); ok {
			f.Until = t
		}
	case "cost":
		return f.addCost(value)
	}
	if !ok {
		return fmt.Errorf("invalid %s:%s; use a date like 2026-01-31, or an age like 12h or 7d", key, value)
	}
	return nil
}

// addStatuses adds statuses, separated by commas. The start of a word is enough.
func (f *Filter) addStatuses(value string) error {
	for word := range strings.SplitSeq(strings.ToLower(value), ",") {
		found := false
		for _, s := range catalog.Statuses {
			if word != "" && strings.HasPrefix(string(s), word) {
				f.Statuses, found = append(f.Statuses, s), true
			}
		}
		if !found && word != "" {
			return fmt.Errorf("unknown status %q; use %s", word, joined(catalog.Statuses))
		}
	}
	return nil
}

func (f *Filter) addCost(value string) error {
	number, less := strings.CutPrefix(value, "<")
	if !less {
		number = strings.TrimPrefix(value, ">")
	}
	number = strings.TrimPrefix(number, "$")
	if number == "" {
		return nil // it is being typed
	}
	dollars, err := strconv.ParseFloat(number, 64)
	if err != nil || !(dollars >= 0 && dollars <= 1e9) { // NaN is neither
		return fmt.Errorf("invalid cost:%s; use cost:>5 or cost:<0.5", value)
	}
	if micros := int64(dollars * 1e6); less {
		f.MaxCost = max(1, micros)
	} else {
		f.MinCost = micros
	}
	return nil
}

func joined(statuses []catalog.Status) string {
	var out []string
	for _, s := range statuses {
		out = append(out, string(s))
	}
	return strings.Join(out, ", ")
}

// split splits a search at spaces outside quotes. A regular expression, re:, goes
// to the end.
func split(text string) []string {
	var out []string
	for {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		if text == "" {
			return out
		}
		if strings.HasPrefix(text, "re:") {
			return append(out, text)
		}
		quoted := false
		end := strings.IndexFunc(text, func(r rune) bool {
			if r == '"' {
				quoted = !quoted
			}
			return !quoted && unicode.IsSpace(r)
		})
		if end < 0 {
			end = len(text)
		}
		out, text = append(out, text[:end]), text[end:]
	}
}
