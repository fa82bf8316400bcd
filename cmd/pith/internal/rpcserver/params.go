package rpcserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A parameter is one parameter of a method.
type parameter struct {
	names    []string // the first is used in errors
	optional bool
}

// parameters parses a signature such as "session, level|thinkingLevel, note?":
// in the order of an array, with alternative names, and with a question mark
// after an optional parameter.
func parameters(signature string) []parameter {
	if signature == "" {
		return nil
	}
	var out []parameter
	for part := range strings.SplitSeq(signature, ", ") {
		name, optional := strings.CutSuffix(part, "?")
		out = append(out, parameter{strings.Split(name, "|"), optional})
	}
	return out
}

// params are the values of a method's parameters in a request. The readers
// below keep the first error in bad, which a handler checks before it acts, and
// return zero values from then on.
type params struct {
	known  []parameter
	values [][]byte // raw JSON, one for each known parameter; nil if not given
	bad    error
}

// readParams reads the values from an object or an array. It ignores unknown
// names and values after the last parameter. Members of an "options" object
// count as parameters, as in pi's own calls.
func readParams(known []parameter, raw []byte) *params {
	p := &params{known: known, values: make([][]byte, len(known))}
	switch jsonl.KindOf(raw) {
	case '{':
		p.takeMembers(raw)
	case '[':
		i := 0
		for value := range jsonl.Elements(raw) {
			if i == len(known) {
				break
			}
			p.values[i] = value
			i++
		}
	}
	if _, ok := p.present("options"); ok {
		p.takeMembers(p.object("options"))
	}
	for i, param := range known {
		if p.values[i] == nil && !param.optional {
			p.reject(param.names[0], "is missing")
		}
	}
	return p
}

func (p *params) takeMembers(obj []byte) {
	for literal, value := range jsonl.Members(obj) {
		if len(literal) > 80 {
			continue // no parameter has such a name
		}
		name, _ := jsonl.String(literal)
		if i := p.index(name); i >= 0 {
			p.values[i] = value
		}
	}
}

func (p *params) index(name string) int {
	return slices.IndexFunc(p.known, func(k parameter) bool { return slices.Contains(k.names, name) })
}

// given returns the raw value of a parameter; ok is false if the request has
// none.
func (p *params) given(name string) (raw []byte, ok bool) {
	i := p.index(name)
	if i < 0 || p.values[i] == nil {
		return nil, false
	}
	return p.values[i], true
}

// present is like given but treats null as not given.
func (p *params) present(name string) (raw []byte, ok bool) {
	raw, ok = p.given(name)
	return raw, ok && !jsonl.IsNull(raw)
}

// reject records why a parameter is invalid, unless there is an error already.
func (p *params) reject(name, problem string) {
	if p.bad == nil {
		p.bad = &paramError{name, problem}
	}
}

func (p *params) mustBe(name, what string, raw []byte) {
	p.reject(name, fmt.Sprintf("must be %s, not %s", what, describe(raw)))
}

// text returns a required string.
func (p *params) text(name string) string {
	return required(p, name, "a string", jsonl.String)
}

// required returns a required value, or the zero value if it is invalid.
func required[T any](p *params, name, what string, read func([]byte) (T, bool)) T {
	raw, ok := p.given(name)
	v, readable := read(raw)
	if ok && !readable {
		p.mustBe(name, what, raw)
	}
	return v
}

// optional returns a value, or nil if it is null or not given.
func optional[T any](p *params, name string, read func(name string) T) *T {
	if _, ok := p.present(name); !ok {
		return nil
	}
	v := read(name)
	return &v
}

// nonEmpty returns a required string that must not be empty.
func (p *params) nonEmpty(name string) string {
	s := p.text(name)
	if s == "" {
		p.reject(name, "must not be empty")
	}
	return s
}

// optText returns a string; "" if it is null or not given.
func (p *params) optText(name string) string {
	if _, ok := p.present(name); !ok {
		return ""
	}
	return p.text(name)
}

// entry returns the ID of an entry, or "" for null, which means before the
// first entry. An empty string is not a valid ID.
func (p *params) entry(name string) string {
	if raw, ok := p.given(name); ok && jsonl.IsNull(raw) {
		return ""
	}
	return p.nonEmpty(name)
}

// flag returns a required boolean.
func (p *params) flag(name string) bool {
	return required(p, name, "true or false", jsonl.Bool)
}

// optFlag returns a boolean; nil if it is null or not given.
func (p *params) optFlag(name string) *bool {
	return optional(p, name, p.flag)
}

// isTrue reports whether the parameter is true; it is false if it is null or
// not given.
func (p *params) isTrue(name string) bool {
	b := p.optFlag(name)
	return b != nil && *b
}

// whole returns a required integer.
func (p *params) whole(name string) int64 {
	return required(p, name, "a whole number", jsonl.Int)
}

// object returns a required object as raw JSON.
func (p *params) object(name string) []byte {
	raw, ok := p.given(name)
	if ok && jsonl.KindOf(raw) != '{' {
		p.mustBe(name, "an object", raw)
	}
	return raw
}

// json returns any value as raw JSON; nil if it is null or not given.
func (p *params) json(name string) []byte {
	raw, ok := p.present(name)
	if !ok {
		return nil
	}
	return raw
}

// content returns the content of a message: a string or a list of blocks.
func (p *params) content(name string) format.Content {
	raw, ok := p.given(name)
	if ok && !format.IsContent(raw) {
		p.mustBe(name, "a string or a list of blocks", raw)
	}
	return format.DecodeContent(raw)
}

// replacement returns the content that models see instead of an entry; nil, for
// null, hides the entry.
func (p *params) replacement(name string) *format.Content {
	if _, ok := p.present(name); !ok {
		return nil
	}
	raw, has := jsonl.Lookup(p.object(name), "content")
	if !has || !format.IsContent(raw) {
		p.reject(name, "must be null or an object with content, a string or a list of blocks")
	}
	content := format.DecodeContent(raw)
	return &content
}

// usage returns a required token usage.
func (p *params) usage(name string) format.Usage {
	raw := p.object(name)
	if p.bad != nil {
		return format.Usage{}
	}
	return format.DecodeUsage(raw)
}

// optUsage returns a token usage; nil if it is null or not given.
func (p *params) optUsage(name string) *format.Usage {
	return optional(p, name, p.usage)
}

// describe returns the type of a value, for an error.
func describe(raw []byte) string {
	switch jsonl.KindOf(raw) {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "this number"
	case 'n':
		return "null"
	}
	return "true or false"
}
