package piwire

import (
	"strconv"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// An Object is a JSON object under construction. Its methods add a member and
// return the longer object, which takes over the memory of the shorter one. The
// zero Object has no members and is not JSON yet.
type Object []byte

// Raw adds a member whose value is JSON, byte for byte.
func (o Object) Raw(name string, value []byte) Object {
	if len(o) == 0 {
		o = append(o, '{')
	} else {
		o[len(o)-1] = ','
	}
	o = append(jsonl.AppendString(o, name), ':')
	return append(append(o, value...), '}')
}

// Text adds a string.
func (o Object) Text(name, value string) Object { return o.Raw(name, jsonl.AppendString(nil, value)) }

// TextOrNull adds a string, or null for an empty one, for which pi's API gives
// undefined or null.
func (o Object) TextOrNull(name, value string) Object {
	if value == "" {
		return o.Raw(name, []byte("null"))
	}
	return o.Text(name, value)
}

// Known adds a string unless it is empty.
func (o Object) Known(name, value string) Object {
	if value == "" {
		return o
	}
	return o.Text(name, value)
}

// Flag adds a boolean.
func (o Object) Flag(name string, value bool) Object {
	return o.Raw(name, strconv.AppendBool(nil, value))
}

// Number adds an integer.
func (o Object) Number(name string, value int64) Object {
	return o.Raw(name, strconv.AppendInt(nil, value, 10))
}

// Join adds the members of another object.
func (o Object) Join(other Object) Object {
	if len(o) == 0 || len(other) == 0 {
		return append(o, other...)
	}
	o[len(o)-1] = ','
	return append(o, other[1:]...)
}
