package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// args are the arguments of a call. Models send numbers as strings and strings
// as numbers, so both are accepted. The first error is kept.
type args struct {
	values map[string]json.RawMessage
	bad    error
}

// readArgs parses the arguments of a tool call with these parameters.
func readArgs(raw json.RawMessage, names []string) *args {
	a := &args{}
	if len(bytes.TrimSpace(raw)) == 0 {
		return a
	}
	if err := json.Unmarshal(raw, &a.values); err != nil {
		a.bad = usagef("the arguments must be an object with %s", strings.Join(names, ", "))
		return a
	}
	for _, name := range slices.Sorted(maps.Keys(a.values)) {
		if !slices.Contains(names, name) {
			a.bad = usagef("unknown parameter %q; use %s", name, strings.Join(names, ", "))
		}
	}
	return a
}

// text returns an argument as a string; "" if it is missing.
func (a *args) text(name string) string {
	raw := bytes.TrimSpace(a.values[name])
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	if c := raw[0]; c == '{' || c == '[' {
		a.fail(usagef("%s must be a string", name))
		return ""
	}
	return string(raw)
}

func (a *args) need(name, what string) string {
	s := a.text(name)
	if s == "" {
		a.fail(usagef("missing %s: %s", name, what))
	}
	return s
}

// number returns an argument as an integer of at least least, or usual if it is
// missing.
func (a *args) number(name string, usual, least int) int {
	s := a.text(name)
	if s == "" {
		return usual
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	if err != nil || f != float64(int(f)) {
		a.fail(usagef("%s must be a whole number, not %q", name, short(s, 40)))
		return usual
	}
	if int(f) < least {
		a.fail(usagef("invalid %s %d: use %d or more", name, int(f), least))
		return usual
	}
	return int(f)
}

func (a *args) fail(err error) {
	if a.bad == nil {
		a.bad = err
	}
}

// A usageError explains to a model what is wrong with a call.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, a ...any) error { return &usageError{fmt.Sprintf(format, a...)} }
