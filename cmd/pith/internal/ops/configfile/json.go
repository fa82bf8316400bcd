// Package configfile changes single settings in the configuration files of other
// programs. Everything else in a file keeps its bytes: order, spaces, comments,
// line ends and a byte order mark. Adding a setting and removing it again gives
// the former bytes.
package configfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// ErrShape means that a file has something else in the place of a setting.
var ErrShape = errors.New("has another shape")

// JSON is a file of JSON.
type JSON struct {
	root  hujson.Value
	mark  []byte // the byte order mark, if there is one
	crlf  bool
	lines bool   // values are written on lines of their own
	unit  string // of indentation
}

var byteOrderMark = []byte("\ufeff")

// ParseJSON reads a file, which may be empty. Comments and trailing commas are errors
// unless the program takes them.
func ParseJSON(text []byte, comments bool) (*JSON, error) {
	f := &JSON{unit: "  "}
	if rest, ok := bytes.CutPrefix(text, byteOrderMark); ok {
		f.mark, text = byteOrderMark, rest
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if !comments && !json.Valid(text) {
		return nil, errors.New("is not valid JSON")
	}
	var err error
	if f.root, err = hujson.Parse(bytes.Clone(text)); err != nil {
		return nil, fmt.Errorf("is not valid JSON: %w", err)
	}
	top, ok := f.root.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("the file %w: it is no object", ErrShape)
	}
	f.crlf = bytes.Contains(text, []byte("\r\n"))
	f.lines = bytes.Contains(bytes.TrimSpace(text), []byte("\n")) || len(top.Members) == 0
	if len(top.Members) > 0 {
		if indent, ok := lastLine(top.Members[0].Name.BeforeExtra); ok && indent != "" {
			f.unit = indent
		}
	}
	return f, nil
}

// Bytes returns the file.
func (f *JSON) Bytes() []byte { return append(bytes.Clone(f.mark), f.root.Pack()...) }

// Set sets the member at a path. Objects above it are made.
func (f *JSON) Set(value any, path ...string) error {
	last := len(path) - 1
	obj, indent, err := f.object(path[:last], true)
	if err != nil {
		return err
	}
	inner := f.inner(obj.Members, indent)
	if i := memberOf(obj, path[last]); i >= 0 {
		old := &obj.Members[i].Value
		if same(*old, value) {
			return nil
		}
		made, err := f.value(value, inner)
		old.Value = made.Value
		return err
	}
	return f.add(obj, path[last], value, indent)
}

// Remove removes the member at a path, and the objects above it that become empty.
func (f *JSON) Remove(path ...string) error {
	last := len(path) - 1
	obj, _, err := f.object(path[:last], false)
	if obj == nil || err != nil {
		return err
	}
	i := memberOf(obj, path[last])
	if i < 0 {
		return nil
	}
	before := obj.Members[i].Name.BeforeExtra
	trailing := obj.Members[len(obj.Members)-1].Value.AfterExtra != nil
	obj.Members = slices.Delete(obj.Members, i, i+1)
	n := len(obj.Members)
	obj.AfterExtra = withComments(before, obj.AfterExtra)
	switch {
	case n == 0 && last > 0:
		return f.Remove(path[:last]...)
	case n > 0:
		endWith(&obj.Members[n-1].Value, trailing)
	}
	return nil
}

// Append adds an element to the array at a path, which is made if it is missing.
func (f *JSON) Append(value any, path ...string) error {
	arr, indent, err := f.array(path)
	if err != nil {
		return err
	}
	if arr == nil {
		return f.Set([]any{value}, path...)
	}
	inner := indent + f.unit
	if len(arr.Elements) > 0 {
		if own, ok := lastLine(arr.Elements[0].BeforeExtra); ok {
			inner = own
		}
	}
	made, err := f.value(value, inner)
	if err != nil {
		return err
	}
	made.BeforeExtra, arr.AfterExtra = f.place(arr.AfterExtra, inner, indent)
	if n := len(arr.Elements); n > 0 && arr.Elements[n-1].AfterExtra != nil {
		made.AfterExtra = []byte{}
	}
	arr.Elements = append(arr.Elements, made)
	return nil
}

// RemoveWhere removes the elements of the array at a path whose JSON matches, and what
// becomes empty.
func (f *JSON) RemoveWhere(match func(raw []byte) bool, path ...string) error {
	arr, _, err := f.array(path)
	if arr == nil || err != nil {
		return err
	}
	for i := len(arr.Elements) - 1; i >= 0; i-- {
		if !match(standard(arr.Elements[i])) {
			continue
		}
		before, trailing := arr.Elements[i].BeforeExtra, arr.Elements[len(arr.Elements)-1].AfterExtra != nil
		arr.Elements = slices.Delete(arr.Elements, i, i+1)
		n := len(arr.Elements)
		arr.AfterExtra = withComments(before, arr.AfterExtra)
		if n == 0 {
			return f.Remove(path...)
		}
		endWith(&arr.Elements[n-1], trailing)
	}
	return nil
}

// endWith gives a last value a trailing comma, or none.
func endWith(v *hujson.Value, comma bool) {
	switch {
	case !comma:
		v.AfterExtra = nil
	case v.AfterExtra == nil:
		v.AfterExtra = []byte{}
	}
}

// Has reports whether the array at a path has an element whose JSON matches.
func (f *JSON) Has(match func(raw []byte) bool, path ...string) bool {
	arr, _, err := f.array(path)
	return err == nil && arr != nil && slices.ContainsFunc(arr.Elements, func(v hujson.Value) bool { return match(standard(v)) })
}

// object returns the object at a path, and the indentation of its end. It is nil if
// there is none and it is not made.
func (f *JSON) object(path []string, create bool) (*hujson.Object, string, error) {
	obj, indent := f.root.Value.(*hujson.Object), ""
	for k, name := range path {
		i := memberOf(obj, name)
		if i < 0 {
			if !create {
				return nil, "", nil
			}
			if err := f.add(obj, name, map[string]any{}, indent); err != nil {
				return nil, "", err
			}
			i = len(obj.Members) - 1
		}
		indent = f.inner(obj.Members, indent)
		next, ok := obj.Members[i].Value.Value.(*hujson.Object)
		if !ok {
			return nil, "", fmt.Errorf("%s %w: it is no object", strings.Join(path[:k+1], "."), ErrShape)
		}
		obj = next
	}
	return obj, indent, nil
}

func (f *JSON) array(path []string) (*hujson.Array, string, error) {
	obj, indent, err := f.object(path[:len(path)-1], false)
	if obj == nil || err != nil {
		return nil, "", err
	}
	i := memberOf(obj, path[len(path)-1])
	if i < 0 {
		return nil, "", nil
	}
	arr, ok := obj.Members[i].Value.Value.(*hujson.Array)
	if !ok {
		return nil, "", fmt.Errorf("%s %w: it is no array", strings.Join(path, "."), ErrShape)
	}
	return arr, f.inner(obj.Members, indent), nil
}

// add appends a member to an object whose end has an indentation.
func (f *JSON) add(obj *hujson.Object, name string, value any, indent string) error {
	inner := f.inner(obj.Members, indent)
	made, err := f.value(value, inner)
	if err != nil {
		return err
	}
	if f.lines {
		made.BeforeExtra = []byte(" ")
	}
	m := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: made}
	m.Name.BeforeExtra, obj.AfterExtra = f.place(obj.AfterExtra, inner, indent)
	if n := len(obj.Members); n > 0 && obj.Members[n-1].Value.AfterExtra != nil {
		m.Value.AfterExtra = []byte{}
	}
	obj.Members = append(obj.Members, m)
	return nil
}

// place returns the text before a new last value, and the text after it, given the
// text before the end.
func (f *JSON) place(end []byte, inner, indent string) (before, after []byte) {
	if !f.lines {
		return nil, end
	}
	comments := bytes.TrimRight(end, " \t\r\n")
	rest := end[len(comments):]
	if !bytes.Contains(rest, []byte("\n")) {
		rest = f.end("\n" + indent)
	}
	return slices.Concat(comments, f.end("\n"+inner)), rest
}

// withComments returns the text before the end of a list from which the value after
// before was removed.
func withComments(before, end []byte) []byte {
	return slices.Concat(bytes.TrimRight(before, " \t\r\n"), end)
}

// inner returns the indentation of the members of an object.
func (f *JSON) inner(members []hujson.ObjectMember, indent string) string {
	if len(members) > 0 {
		if own, ok := lastLine(members[0].Name.BeforeExtra); ok {
			return own
		}
	}
	return indent + f.unit
}

// value encodes a value that begins in a line with an indentation.
func (f *JSON) value(v any, indent string) (hujson.Value, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if f.lines {
		e.SetIndent(indent, f.unit)
	}
	if err := e.Encode(v); err != nil {
		return hujson.Value{}, err
	}
	made, err := hujson.Parse(f.end(strings.TrimRight(b.String(), "\n")))
	made.BeforeExtra, made.AfterExtra = nil, nil
	return made, err
}

// end gives a text the line ends of the file.
func (f *JSON) end(text string) []byte {
	if f.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

func memberOf(obj *hujson.Object, name string) int {
	return slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool {
		l, ok := m.Name.Value.(hujson.Literal)
		return ok && l.String() == name
	})
}

// lastLine returns the last line of spaces and comments, if there is more than one.
func lastLine(extra []byte) (string, bool) {
	i := bytes.LastIndexByte(extra, '\n')
	return string(extra[i+1:]), i >= 0
}

// standard returns a value as JSON without comments.
func standard(v hujson.Value) []byte {
	v = v.Clone()
	v.Standardize()
	return bytes.TrimSpace(v.Pack())
}

// same reports whether a value is encoded.
func same(v hujson.Value, want any) bool {
	raw, err := json.Marshal(want)
	if err != nil {
		return false
	}
	var a, b any
	return json.Unmarshal(standard(v), &a) == nil && json.Unmarshal(raw, &b) == nil && fmt.Sprintf("%#v", a) == fmt.Sprintf("%#v", b)
}
