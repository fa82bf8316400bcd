package present

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// JSON encodes a value on one line, as encoding/json does, except that
//
//   - a struct has only the members with a tag,
//   - the tag empty:"null" makes an empty member null,
//   - a list is never null, and an unknown time always is,
//   - a value of a choice is its name, and a duration a number of milliseconds,
//   - bytes are text; texts have no HTML escapes, and keep half a surrogate pair.
func JSON(v any) ([]byte, error) { return appendJSON(nil, reflect.ValueOf(v)) }

// A member is a field of a struct that is encoded.
type member struct {
	key       string // with quotes and colon
	index     []int
	omitEmpty bool
	null      bool
}

// structs has the members of types.
var structs sync.Map

func membersOf(t reflect.Type) []member {
	if known, ok := structs.Load(t); ok {
		return known.([]member)
	}
	var out []member
	var apart []int // a struct whose fields are not promoted
	for _, f := range reflect.VisibleFields(t) {
		if apart != nil && len(f.Index) > len(apart) && slices.Equal(apart, f.Index[:len(apart)]) {
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue
		} else if f.Anonymous {
			apart = f.Index
		}
		if name != "-" && f.IsExported() {
			key := string(jsonl.AppendString(nil, name)) + ":"
			out = append(out, member{key, f.Index, strings.HasPrefix(options, "omit"), f.Tag.Get("empty") == "null"})
		}
	}
	structs.Store(t, out)
	return out
}

var (
	timeType  = reflect.TypeFor[time.Time]()
	span      = reflect.TypeFor[time.Duration]()
	encodable = reflect.TypeFor[json.Marshaler]()
	textual   = reflect.TypeFor[encoding.TextMarshaler]()
	named     = reflect.TypeFor[fmt.Stringer]()
)

func appendJSON(b []byte, v reflect.Value) ([]byte, error) {
	if !v.IsValid() {
		return append(b, "null"...), nil
	}
	switch t := v.Type(); {
	case t == timeType:
		at := v.Interface().(time.Time)
		if at.IsZero() {
			return append(b, "null"...), nil
		}
		return jsonl.AppendString(b, format.FormatTime(at)), nil
	case t == span:
		return strconv.AppendInt(b, time.Duration(v.Int()).Milliseconds(), 10), nil
	case v.Kind() != reflect.Interface && (t.Implements(encodable) || t.Implements(textual)):
		return appendPlain(b, v)
	case (v.CanInt() || v.CanUint()) && t.Implements(named):
		return jsonl.AppendString(b, v.Interface().(fmt.Stringer).String()), nil
	}
	switch v.Kind() {
	case reflect.String:
		return jsonl.AppendString(b, v.String()), nil
	case reflect.Pointer, reflect.Interface:
		return appendJSON(b, v.Elem())
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return jsonl.AppendString(b, string(v.Bytes())), nil
		}
		return appendList(b, v)
	case reflect.Struct:
		return appendMembers(b, v)
	}
	return appendPlain(b, v)
}

func appendList(b []byte, v reflect.Value) (_ []byte, err error) {
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendJSON(b, v.Index(i)); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendMembers(b []byte, v reflect.Value) ([]byte, error) {
	b = append(b, '{')
	for _, m := range membersOf(v.Type()) {
		f, err := v.FieldByIndexErr(m.index)
		if err != nil {
			continue // of an embedded pointer that is nil
		}
		empty := f.IsZero() || (f.Kind() == reflect.Slice || f.Kind() == reflect.Map) && f.Len() == 0
		if empty && m.omitEmpty {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(b, m.key...)
		if empty && m.null {
			b = append(b, "null"...)
		} else if b, err = appendJSON(b, f); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendPlain encodes what has no rules of its own.
func appendPlain(b []byte, v reflect.Value) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v.Interface()); err != nil {
		return nil, err
	}
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte{'\n'})...), nil
}
