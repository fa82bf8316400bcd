package jsonl

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// maxMarshalDepth limits values that contain themselves.
const maxMarshalDepth = 1000

// Marshal returns v as JSON.stringify would write it. Struct tags, embedded
// structs, maps (sorted by key), pointers, byte slices and the two marshaling
// interfaces have the same meaning as in encoding/json, but strings and floats
// are written by AppendString and AppendFloat: no HTML escapes, U+2028
// unescaped, unpaired surrogates kept, no -0, null for NaN. The result of a
// MarshalJSON method, and a json.RawMessage, lose the white space between
// tokens and are otherwise copied byte for byte.
//
// The string option of struct tags is not supported.
func Marshal(v any) ([]byte, error) {
	return appendValue(nil, reflect.ValueOf(v), 0)
}

func appendValue(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if !v.IsValid() {
		return append(dst, "null"...), nil
	}
	if depth > maxMarshalDepth {
		return nil, fmt.Errorf("jsonl: value of type %s is nested more than %d deep", v.Type(), maxMarshalDepth)
	}
	if out, done, err := appendMarshaler(dst, v); done {
		return out, err
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.AppendUint(dst, v.Uint(), 10), nil
	case reflect.Float32, reflect.Float64:
		return AppendFloat(dst, v.Float()), nil
	case reflect.String:
		return AppendString(dst, v.String()), nil
	case reflect.Pointer, reflect.Interface:
		return appendValue(dst, v.Elem(), depth+1)
	case reflect.Map:
		return appendMap(dst, v, depth)
	case reflect.Slice, reflect.Array:
		return appendList(dst, v, depth)
	case reflect.Struct:
		return appendStruct(dst, v, depth)
	}
	return nil, fmt.Errorf("jsonl: JSON has no value for type %s", v.Type())
}

// appendMarshaler appends v by its own methods. done is false if it has none.
func appendMarshaler(dst []byte, v reflect.Value) (out []byte, done bool, err error) {
	if v.Kind() != reflect.Pointer && v.CanAddr() && v.Addr().CanInterface() {
		v = v.Addr() // include methods of the pointer
	}
	if !v.CanInterface() || v.Kind() == reflect.Interface {
		return nil, false, nil
	}
	switch m := v.Interface().(type) {
	case json.Marshaler:
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return append(dst, "null"...), true, nil
		}
		raw, err := m.MarshalJSON()
		if err != nil {
			return nil, true, fmt.Errorf("jsonl: marshal %s: %w", v.Type(), err)
		}
		if !Valid(raw) {
			return nil, true, fmt.Errorf("jsonl: marshal %s: MarshalJSON returned invalid JSON %.40q", v.Type(), raw)
		}
		return AppendCompact(dst, raw), true, nil
	case encoding.TextMarshaler:
		if v.Kind() == reflect.Pointer && v.IsNil() {
			return append(dst, "null"...), true, nil
		}
		text, err := m.MarshalText()
		if err != nil {
			return nil, true, fmt.Errorf("jsonl: marshal %s: %w", v.Type(), err)
		}
		return AppendString(dst, string(text)), true, nil
	}
	return nil, false, nil
}

func appendMap(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.IsNil() {
		return append(dst, "null"...), nil
	}
	type entry struct {
		name  string
		value reflect.Value
	}
	entries := make([]entry, 0, v.Len())
	for key, value := range v.Seq2() {
		name, err := mapKey(key)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name, value})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	dst = append(dst, '{')
	for i, e := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, e.name), ':')
		var err error
		if dst, err = appendValue(dst, e.value, depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func mapKey(key reflect.Value) (string, error) {
	if key.Kind() == reflect.String {
		return key.String(), nil
	}
	if m, ok := key.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		return string(text), err
	}
	switch {
	case key.CanInt():
		return strconv.FormatInt(key.Int(), 10), nil
	case key.CanUint():
		return strconv.FormatUint(key.Uint(), 10), nil
	}
	return "", fmt.Errorf("jsonl: JSON has no member name for type %s", key.Type())
}

func appendList(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	if v.Kind() == reflect.Slice {
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return AppendString(dst, base64.StdEncoding.EncodeToString(v.Bytes())), nil
		}
	}
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendValue(dst, v.Index(i), depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}
