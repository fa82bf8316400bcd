package rpcserver

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A parameter is one parameter of a method.
type parameter struct {
	names    []string // the first is used in errors
	optional bool     // it may be missing or null
	check    check
}

// parameters parses a signature such as
// "session, level|thinkingLevel, tokens:whole, how:steer/followUp?": in the order
// of an array, with alternative names, with the type of a value that is not any
// string, and with a question mark after an optional parameter. A type is one of
// checks, a choice of words, or a list.
func parameters(signature string) []parameter {
	if signature == "" {
		return nil
	}
	var out []parameter
	for part := range strings.SplitSeq(signature, ", ") {
		part, optional := strings.CutSuffix(part, "?")
		names, kind, _ := strings.Cut(part, ":")
		out = append(out, parameter{strings.Split(names, "|"), optional, checkOf(kind)})
	}
	return out
}

// params are the values of a method's parameters in a request. They have the
// types of the signature unless bad is set. The readers below return zero for a
// value that is null or not given.
type params struct {
	known  []parameter
	values [][]byte // raw JSON, one for each known parameter; nil if not given
	bad    error    // the first one
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
	p.takeMembers(p.json("options"))
	for i, param := range known {
		switch raw := p.values[i]; {
		case raw == nil && !param.optional:
			p.reject(param.names[0], "is missing")
		case raw != nil && !(param.optional && jsonl.IsNull(raw)):
			param.check(p, param.names[0], raw)
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

// reject records why a parameter is invalid, unless there is an error already.
func (p *params) reject(name, problem string) {
	if p.bad == nil {
		p.bad = &ops.ParamError{Name: name, Problem: problem}
	}
}

func (p *params) mustBe(name, what string, raw []byte) {
	p.reject(name, fmt.Sprintf("must be %s, not %s", what, describe(raw)))
}

// raw returns a value as raw JSON; nil if it is not given.
func (p *params) raw(name string) []byte {
	if i := p.index(name); i >= 0 {
		return p.values[i]
	}
	return nil
}

// json is like raw but treats null as not given.
func (p *params) json(name string) []byte {
	if raw := p.raw(name); !jsonl.IsNull(raw) {
		return raw
	}
	return nil
}

func (p *params) text(name string) string {
	s, _ := jsonl.String(p.raw(name))
	return s
}

func (p *params) flag(name string) bool {
	b, _ := jsonl.Bool(p.raw(name))
	return b
}

func (p *params) whole(name string) int64 {
	n, _ := jsonl.Int(p.raw(name))
	return n
}

// count returns an integer, or otherwise if it is not given. Large values are
// capped, so that two can be added.
func (p *params) count(name string, otherwise int) int {
	if p.json(name) == nil {
		return otherwise
	}
	return int(min(p.whole(name), math.MaxInt32))
}

// texts returns the strings of a list.
func (p *params) texts(name string) (out []string) {
	for element := range jsonl.Elements(p.json(name)) {
		s, _ := jsonl.String(element)
		out = append(out, s)
	}
	return out
}

// optional returns a value, or nil if it is null or not given.
func optional[T any](p *params, name string, read func(name string) T) *T {
	if p.json(name) == nil {
		return nil
	}
	v := read(name)
	return &v
}

func (p *params) optFlag(name string) *bool { return optional(p, name, p.flag) }

// content returns the content of a message: a string or a list of blocks.
func (p *params) content(name string) format.Content { return format.DecodeContent(p.raw(name)) }

// replacement returns the content that models see instead of an entry; nil, for
// null, hides the entry.
func (p *params) replacement(name string) *format.Content {
	return optional(p, name, func(name string) format.Content {
		raw, _ := jsonl.Lookup(p.raw(name), "content")
		return format.DecodeContent(raw)
	})
}

func (p *params) usage(name string) format.Usage { return format.DecodeUsage(p.raw(name)) }

func (p *params) optUsage() *format.Usage { return optional(p, "usage", p.usage) }

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
