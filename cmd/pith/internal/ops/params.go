package ops

import (
	"reflect"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
)

// A Param is a parameter of a use case: a field of its parameters.
//
// The tag json has its names in requests, the first one for messages. The tag need is
// "value" if there must be one, or "given" if it may be empty.
type Param struct {
	Names      []string
	Needed     bool
	MayBeEmpty bool
	// Type is that of the field. A type with a method Words is a choice of these.
	Type reflect.Type
	// Tag has what a front end needs in addition.
	Tag   reflect.StructTag
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

// Moment parses a time as people type it: a date, an age like 12h or 90d, or a word.
func Moment(text string, now time.Time) (time.Time, bool) { return catalog.ParseMoment(text, now) }

// A Recorder is a result with another form for encoding: Record returns it.
type Recorder interface{ Record() any }

// Params returns the parameters in the fields of a struct, in their order.
func Params(of reflect.Type) (out []Param) {
	for _, f := range reflect.VisibleFields(of) {
		names, need := f.Tag.Get("json"), f.Tag.Get("need")
		if f.Anonymous || names == "-" || names == "" {
			continue
		}
		out = append(out, Param{
			Names: strings.Split(names, "|"), Needed: need != "", MayBeEmpty: need != "value", Type: f.Type, Tag: f.Tag, index: f.Index,
		})
	}
	return out
}
