package ops

import (
	"reflect"
	"strings"
)

// A Param is a parameter of a use case: a field of its parameters. Front ends make
// flags, members of requests and schemas from it.
//
// The tag json has the names in requests, the first one for messages, and the option
// needed if there must be a value, or given if that may be empty. The tag about describes it, with the placeholder of
// the value in capitals; flag has the name of the flag, if there is one, and after a
// comma its letter.
type Param struct {
	Names       []string
	Flag, Short string
	About       string
	Needed      bool
	MayBeEmpty  bool
	// Type is that of the field. A type with a method Words is a choice of these.
	Type  reflect.Type
	index []int
}

// Words are the values of a choice.
type Words interface{ Words() []string }

// Choices returns the values of a choice; nil for any other parameter.
func (p *Param) Choices() []string {
	if w, ok := reflect.Zero(p.Type).Interface().(Words); ok {
		return w.Words()
	}
	return nil
}

// In returns the field of the parameter in a struct.
func (p *Param) In(params reflect.Value) reflect.Value { return params.FieldByIndex(p.index) }

// A Recorder is a result with another form for encoding: Record returns it.
type Recorder interface{ Record() any }

// Params returns the parameters in the fields of a struct, in their order.
func Params(of reflect.Type) (out []Param) {
	for _, f := range reflect.VisibleFields(of) {
		names, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		flag, short, _ := strings.Cut(f.Tag.Get("flag"), ",")
		if f.Anonymous || names == "" && flag == "" {
			continue
		}
		out = append(out, Param{
			Names: strings.Split(names, "|"), Flag: flag, Short: short, About: f.Tag.Get("about"),
			Needed: option != "", MayBeEmpty: option != "needed", Type: f.Type, index: f.Index,
		})
	}
	return out
}
