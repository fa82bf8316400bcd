package jsonl

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// field is a field of a struct that is written as a member.
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
		if err != nil { // in an embedded pointer that is nil
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
// written. Of two with one name, the one that is embedded less deep counts.
func fieldsOf(t reflect.Type) ([]field, error) {
	if known, ok := fieldsByType.Load(t); ok {
		return known.([]field), nil
	}
	var fields []field
	var named [][]int // embedded structs that are members themselves
	for _, sf := range reflect.VisibleFields(t) {
		tag := sf.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		switch {
		case tag == "-" || slices.ContainsFunc(named, func(outer []int) bool { return isWithin(sf.Index, outer) }):
			if sf.Anonymous {
				named = append(named, sf.Index)
			}
			continue
		case sf.Anonymous && name == "" && isStruct(sf.Type):
			continue // its fields follow
		case !sf.IsExported():
			continue
		case sf.Anonymous:
			named = append(named, sf.Index)
		}
		if name == "" {
			name = sf.Name
		}
		f := field{quoted: string(AppendString(nil, name)) + ":", index: sf.Index}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				f.omitEmpty = true
			case "omitzero":
				f.omitZero = true
			case "string":
				return nil, fmt.Errorf("jsonl: field %s of %s: the string option is not supported", sf.Name, t)
			}
		}
		fields = append(fields, f)
	}
	fields = withoutHidden(fields)
	fieldsByType.Store(t, fields)
	return fields, nil
}

// withoutHidden drops the fields that have the name of one less deep.
func withoutHidden(fields []field) []field {
	depth := make(map[string]int)
	for _, f := range fields {
		if d, ok := depth[f.quoted]; !ok || len(f.index) < d {
			depth[f.quoted] = len(f.index)
		}
	}
	return slices.DeleteFunc(fields, func(f field) bool { return len(f.index) > depth[f.quoted] })
}

func isWithin(index, outer []int) bool {
	return len(index) > len(outer) && slices.Equal(index[:len(outer)], outer)
}

func isStruct(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

// isEmpty is what omitempty means to encoding/json.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero is what omitzero means to encoding/json.
func isZero(v reflect.Value) bool {
	if v.CanInterface() {
		if z, ok := v.Interface().(interface{ IsZero() bool }); ok && !(v.Kind() == reflect.Pointer && v.IsNil()) {
			return z.IsZero()
		}
	}
	return v.IsZero()
}
