// Package sessionfilter parses the filters that can be typed into a search of a
// list of sessions, next to words:
//
//	project:TEXT source:AGENT status:STATUS model:TEXT since:7d until:2026-01-31
//	cost:>5 cost:<0.5 size:>1MB size:<10KB name:TEXT tag:TAG -tag:TAG archived:yes
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
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// A Key is the name of a filter, with a placeholder for its value and what it
// selects.
type Key struct{ Name, Value, About string }

// Keys are the filters. Those that people type first also exist as flags of
// commands.
var Keys = []Key{
	{"project", "TEXT", "sessions of projects with TEXT in their path"},
	{"source", "AGENT", "sessions of this AGENT"},
	{"status", "STATUS", "sessions with this STATUS, or one of several: complete, pending, interrupted, aborted, error, empty"},
	{"model", "TEXT", "sessions whose last model contains TEXT"},
	{"since", "TIME", "sessions used since TIME: 2026-01-31, 12h, 7d, yesterday, last-week"},
	{"until", "TIME", "sessions last used until TIME"},
	{"cost", ">N", "sessions that cost more, or less, than this many dollars"},
	{"size", ">SIZE", "sessions that are larger, or smaller"},
	{"name", "TEXT", "sessions whose name contains TEXT"},
	{"tag", "TAG", "sessions with this TAG"},
	{"-tag", "TAG", "sessions without this TAG"},
	{"archived", "yes", "archived sessions"},
}

// find returns the key with a name.
func find(name string) (Key, bool) {
	i := slices.IndexFunc(Keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return Keys[i], true
}

// A Filter selects sessions. The zero Filter matches all that are not archived.
type Filter struct {
	catalog.Filter
	// Source is a prefix of the name of the agent, in lower case.
	Source string
	// MinCost and MaxCost limit the cost in millionths of a dollar; zero means no
	// limit. MinCost is exclusive, and MaxCost too.
	MinCost, MaxCost int64
	// A session must have all of Tags and none of NotTags.
	Tags, NotTags []string
	// Archived is whether archived sessions match, instead of the others.
	Archived bool
	set      bool
}

// Set reports whether any filter was typed.
func (f *Filter) Set() bool { return f.set }

// Match reports whether a session passes, whatever its marks.
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

// MatchTags reports whether a session with these marks has the tags.
func (f *Filter) MatchTags(m *marks.Marks) bool {
	lacks := func(tag string) bool { return !m.Has(tag) }
	return !slices.ContainsFunc(f.Tags, lacks) && !slices.ContainsFunc(f.NotTags, m.Has)
}

// A ValueError is the error of a filter whose value is not valid.
type ValueError struct{ Key, Value, Use string }

func (e *ValueError) Error() string {
	return fmt.Sprintf("invalid %s:%s; use %s", e.Key, e.Value, e.Use)
}

// Parse returns the filters in a search, the text without them, and for the first
// value that is not valid an error; such a filter, and one without a value, has no
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
		if value == "" {
			continue // it is being typed
		}
		if bad := f.Add(key, value, now); bad != nil && err == nil {
			err = bad
		}
	}
	if !f.set {
		return f, text, nil
	}
	return f, strings.Join(kept, " "), err
}

// ParseWords is like Parse for a complete search. It returns the words, in lower
// case and without quotes. A filter without a value, or of an unknown name, is an
// error.
func ParseWords(text string, now time.Time) (f Filter, words []string, err error) {
	for _, w := range split(text) {
		key, value, ok := cut(w)
		switch {
		case !ok && looksLikeFilter(w):
			return f, nil, fmt.Errorf("unknown filter %q; use %s", w, names())
		case !ok:
			words = append(words, strings.ToLower(strings.Trim(w, `"`)))
			continue
		case value == "":
			return f, nil, fmt.Errorf("%s: needs a value", key)
		}
		if err := f.Add(key, value, now); err != nil {
			return f, nil, err
		}
	}
	return f, words, nil
}

// looksLikeFilter reports whether a word is a name, a colon and a value, and not
// an address.
func looksLikeFilter(word string) bool {
	name, value, ok := strings.Cut(strings.TrimPrefix(word, "-"), ":")
	return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") == "" && !strings.HasPrefix(value, "//")
}

func names() string {
	var out []string
	for _, k := range Keys {
		out = append(out, k.Name+":")
	}
	return strings.Join(out, ", ")
}

// Only splits a search into the filters of some names and the rest.
func Only(text string, names ...string) (filters, rest string) {
	var chosen, kept []string
	for _, w := range split(text) {
		if key, _, ok := cut(w); ok && slices.Contains(names, key) {
			chosen = append(chosen, w)
		} else {
			kept = append(kept, w)
		}
	}
	if len(chosen) == 0 {
		return "", text
	}
	return strings.Join(chosen, " "), strings.Join(kept, " ")
}

// Last returns the filter at the end of a search that is being typed.
func Last(text string) (key, value string, ok bool) {
	words := split(text)
	if len(words) == 0 || strings.TrimRightFunc(text, unicode.IsSpace) != text && strings.Count(words[len(words)-1], `"`) != 1 {
		return "", "", false
	}
	return cut(words[len(words)-1])
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
	_, known := find(key)
	return key, strings.Trim(value, `"`), ok && known
}

const timeUse = "2026-01-31, 2026-01-31T15:04, 12h, 7d, yesterday or last-week"

// Add adds a filter. The error is a [*ValueError] if the value is not valid.
func (f *Filter) Add(key, value string, now time.Time) error {
	f.set = true
	var use string
	ok := true
	switch key {
	case "project":
		f.Project = value
	case "model":
		f.Model = value
	case "name":
		f.Name = value
	case "source":
		f.Source = strings.ToLower(value)
	case "tag":
		f.Tags = append(f.Tags, value)
	case "-tag":
		f.NotTags = append(f.NotTags, value)
	case "archived":
		ok, use = value == "yes", "archived:yes"
		f.Archived = f.Archived || ok
	case "status":
		ok, use = f.addStatuses(value), joined(catalog.Statuses)
	case "since":
		var t time.Time
		if t, ok = catalog.ParseStart(value, now); ok {
			f.Since = t
		}
		use = timeUse
	case "until":
		var t time.Time
		if t, ok = catalog.ParseEnd(value, now); ok {
			f.Until = t
		}
		use = timeUse
	case "cost":
		ok, use = addLimit(value, parseDollars, &f.MinCost, &f.MaxCost), "cost:>5 or cost:<0.5"
	case "size":
		ok, use = addLimit(value, ParseSize, &f.MinSize, &f.MaxSize), "size:>1MB or size:<500KB"
	}
	if !ok {
		return &ValueError{key, value, use}
	}
	return nil
}

// addStatuses adds statuses, separated by commas. The start of a word is enough.
func (f *Filter) addStatuses(value string) bool {
	for word := range strings.SplitSeq(strings.ToLower(value), ",") {
		found := false
		for _, s := range catalog.Statuses {
			if word != "" && strings.HasPrefix(string(s), word) {
				f.Statuses, found = append(f.Statuses, s), true
			}
		}
		if !found && word != "" {
			return false
		}
	}
	return true
}

// addLimit adds a lower limit, >N or N, or an upper one, <N.
func addLimit(value string, parse func(string) (int64, bool), least, most *int64) bool {
	number, less := strings.CutPrefix(value, "<")
	if !less {
		number = strings.TrimPrefix(value, ">")
	}
	if number == "" {
		return true // it is being typed
	}
	n, ok := parse(number)
	switch {
	case !ok:
	case less:
		*most = max(1, n)
	default:
		*least = n
	}
	return ok
}

func parseDollars(text string) (micros int64, ok bool) {
	dollars, err := strconv.ParseFloat(strings.TrimPrefix(text, "$"), 64)
	if err != nil || !(dollars >= 0 && dollars <= 1e9) { // NaN is neither
		return 0, strings.Trim(text, "$") == "" // it is being typed
	}
	return int64(dollars * 1e6), true
}

// ParseSize parses a number of bytes that a person typed, like 500KB or 10MB.
func ParseSize(text string) (bytes int64, ok bool) {
	number := strings.TrimRight(strings.ToUpper(text), "BKMGTI ")
	n, err := strconv.ParseFloat(number, 64)
	unit := strings.TrimSuffix(strings.TrimSpace(strings.ToUpper(text)[len(number):]), "B")
	factors := map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30, "TI": 1 << 40}
	factor, known := factors[unit]
	if err != nil || !known || !(n >= 0 && n*factor <= 1e18) { // NaN is neither
		return 0, false
	}
	return int64(n * factor), true
}

func joined(statuses []catalog.Status) string {
	var out []string
	for _, s := range statuses {
		out = append(out, string(s))
	}
	return strings.Join(out, ", ")
}

// Join joins the arguments of a command to a search. An argument with spaces is a
// phrase if there are others, and the whole search if it is the only one.
func Join(args []string) string {
	if len(args) == 1 {
		return args[0]
	}
	out := make([]string, len(args))
	for i, arg := range args {
		if strings.ContainsAny(arg, " \t\n") && !strings.Contains(arg, `"`) {
			if key, rest, ok := strings.Cut(arg, ":"); ok && !strings.Contains(key, " ") {
				arg = key + `:"` + rest + `"`
			} else {
				arg = `"` + arg + `"`
			}
		}
		out[i] = arg
	}
	return strings.Join(out, " ")
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
