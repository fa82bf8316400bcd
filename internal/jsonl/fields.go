package jsonl

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A field is a struct field that is written as a member.
type field struct {
	quoted    string // the name as JSON, with the colon
	index     []int
	omitEmpty bool
	omitZero  bool
}

var fieldsByType sync.Map // reflect.Type to []field

func appendStruct(dst []byte, v reflect.Value, depth int) ([]byte, error) {
	fields, err := fieldsOf(v.Type())
	if err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	first := len(dst)
	for _, f := range fields {
		value, err := v.FieldByIndexErr(f.index)
		if err != nil { // in a nil embedded pointer
			continue
		}
		if f.omitEmpty && isEmpty(value) || f.omitZero && isZero(value) {
			continue
		}
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = append(dst, f.quoted...)
		if dst, err = appendValue(dst, value, depth+1); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// fieldsOf returns the fields of a struct type in the order in which they are
// written. Of several with one name, the least deeply embedded ones count.
func fieldsOf(t reflect.Type) ([]field, error) {
	if known, ok := fieldsByType.Load(t); ok {
		return known.([]field), nil
	}
	fields, err := collectFields(nil, t, nil, nil)
	if err != nil {
		return nil, err
	}
	least := make(map[string]int)
	for _, f := range fields {
		if depth, ok := least[f.quoted]; !ok || len(f.index) < depth {
			least[f.quoted] = len(f.index)
		}
	}
	fields = slices.DeleteFunc(fields, func(f field) bool { return len(f.index) > least[f.quoted] })
	fieldsByType.Store(t, fields)
	return fields, nil
}

// collectFields appends the fields of t, which is at index in the outermost
// struct, embedded in the types of outer.
func collectFields(fields []field, t reflect.Type, index []int, outer []reflect.Type) ([]field, error) {
	if slices.Contains(outer, t) { // a struct that embeds a pointer to itself
		return fields, nil
	}
	outer = append(outer[:len(outer):len(outer)], t)
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		at := append(index[:len(index):len(index)], i)
		if tag == "-" {
			continue
		}
		if sf.Anonymous && name == "" && isStruct(sf.Type) {
			var err error
			if fields, err = collectFields(fields, structOf(sf.Type), at, outer); err != nil {
				return nil, err
			}
			continue
		}
		if !sf.IsExported() {
			continue
		}
		if slices.Contains(strings.Split(options, ","), "string") {
			return nil, fmt.Errorf("jsonl: field %s of %s: the string option is not supported", sf.Name, t)
		}
		name = cmp.Or(name, sf.Name)
		fields = append(fields, field{
			quoted:    string(AppendString(nil, name)) + ":",
			index:     at,
			omitEmpty: slices.Contains(strings.Split(options, ","), "omitempty"),
			omitZero:  slices.Contains(strings.Split(options, ","), "omitzero"),
		})
	}
	return fields, nil
}

func isStruct(t reflect.Type) bool { return structOf(t).Kind() == reflect.Struct }

// structOf returns the struct type of an embedded field of type t.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// isEmpty implements omitempty as in encoding/json.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero implements omitzero as in encoding/json.
func isZero(v reflect.Value) bool {
	if v.CanInterface() {
		if z, ok := v.Interface().(interface{ IsZero() bool }); ok && !(v.Kind() == reflect.Pointer && v.IsNil()) {
			return z.IsZero()
		}
	}
	return v.IsZero()
}
