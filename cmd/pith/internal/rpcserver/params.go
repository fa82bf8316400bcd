package rpcserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A signature is the parameters of a method: the fields of a struct, in the order of an
// array. See [ops.Param] for their tags.
type signature []ops.Param

func signatureOf[P any]() signature { return ops.Params(reflect.TypeFor[P]()) }

// none are the parameters of a method that has none.
type none struct{}

// ofSession is the first parameter of the methods of a session.
type ofSession struct {
	Session string `json:"session" need:"given"`
}

// read sets the fields of a struct to the values of an object or an array.
func (s signature) read(raw []byte, into any) error { return s.set(s.values(raw), into) }

// values returns the value of each parameter in an object or an array; nil for one that
// is not given. It ignores unknown names and values after the last parameter. Members of
// an "options" object count as parameters, as in pi's own calls.
func (s signature) values(raw []byte) [][]byte {
	values := make([][]byte, len(s))
	switch jsonl.KindOf(raw) {
	case '{':
		s.takeMembers(values, raw)
	case '[':
		i := 0
		for value := range jsonl.Elements(raw) {
			if i == len(s) {
				break
			}
			values[i] = value
			i++
		}
	}
	if i := s.index("options"); i >= 0 {
		s.takeMembers(values, values[i])
	}
	return values
}

// set sets the fields of a struct to the values of the parameters. The error is an
// [ops.ParamError] or one of a value.
func (s signature) set(values [][]byte, into any) error {
	v := reflect.ValueOf(into).Elem()
	for i := range s {
		p, field := &s[i], s[i].In(v)
		switch raw := values[i]; {
		case raw == nil && p.Needed:
			return &ops.ParamError{Name: p.Names[0], Problem: "is missing"}
		case raw == nil, !p.Needed && jsonl.IsNull(raw) && !takesNull(field):
			continue
		}
		err := set(p, field, values[i])
		if problem, ok := errors.AsType[invalid](err); ok {
			err = &ops.ParamError{Name: p.Names[0], Problem: string(problem)}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s signature) takeMembers(values [][]byte, obj []byte) {
	for literal, value := range jsonl.Members(obj) {
		if len(literal) > 80 {
			continue // no parameter has such a name
		}
		name, _ := jsonl.String(literal)
		if i := s.index(name); i >= 0 {
			values[i] = value
		}
	}
}

func (s signature) index(name string) int {
	return slices.IndexFunc(s, func(p ops.Param) bool { return slices.Contains(p.Names, name) })
}

// String returns the parameters as the reference lists them.
func (s signature) String() string {
	words := make([]string, len(s))
	for i := range s {
		words[i] = strings.Join(s[i].Names, `\|`)
		if !s[i].Needed {
			words[i] += "?"
		}
	}
	return strings.Join(words, ", ")
}

// An invalid error says why a parameter is invalid, after its name.
type invalid string

func (e invalid) Error() string { return string(e) }

func mustBe(what string, raw []byte) error {
	return invalid(fmt.Sprintf("must be %s, not %s", what, describe(raw)))
}

// A value is the type of a parameter that reads itself.
type value interface{ read(raw []byte) error }

// A nullable value distinguishes null from a value that is not given.
type nullable interface {
	value
	nullable()
}

func takesNull(field reflect.Value) bool {
	_, ok := field.Addr().Interface().(nullable)
	return ok
}

// set sets a field to a value.
func set(p *ops.Param, field reflect.Value, raw []byte) error {
	switch v := field.Addr().Interface().(type) {
	case value:
		return v.read(raw)
	case *json.RawMessage:
		*v = raw
		return nil
	}
	switch field.Kind() {
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
		return set(p, field.Elem(), raw)
	case reflect.Bool:
		b, ok := jsonl.Bool(raw)
		if !ok {
			return mustBe("true or false", raw)
		}
		field.SetBool(b)
	case reflect.Int64:
		n, ok := jsonl.Int(raw)
		if !ok {
			return mustBe("a whole number", raw)
		}
		field.SetInt(n)
	case reflect.Int: // a count
		n, ok := jsonl.Int(raw)
		if !ok {
			return mustBe("a whole number", raw)
		}
		if n < 0 {
			return invalid("must not be negative")
		}
		field.SetInt(min(n, math.MaxInt32)) // so that two can be added
	case reflect.Slice:
		if jsonl.KindOf(raw) != '[' {
			return mustBe("a list of "+p.Names[0], raw)
		}
		list := []string{}
		for element := range jsonl.Elements(raw) {
			s, _ := jsonl.String(element)
			list = append(list, s)
		}
		field.Set(reflect.ValueOf(list))
	default:
		return setText(p, field, raw)
	}
	return nil
}

func setText(p *ops.Param, field reflect.Value, raw []byte) error {
	s, ok := jsonl.String(raw)
	if !ok {
		return mustBe("a string", raw)
	}
	if s == "" && p.Needed && !p.MayBeEmpty {
		return invalid("must not be empty")
	}
	// An empty choice is the default.
	if words := p.Choices(); s != "" && words != nil && !slices.Contains(words, s) {
		last := len(words) - 1
		return invalid("must be " + strings.Join(words[:last], ", ") + " or " + words[last])
	}
	field.SetString(s)
	return nil
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
