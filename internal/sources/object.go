package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// An Object is a JSON object whose members are read leniently: a missing
// member, or one of another type, is a zero value.
type Object []byte

// ObjectOf returns raw as an object, or an empty one.
func ObjectOf(raw []byte) Object {
	if jsonl.KindOf(raw) != '{' || !jsonl.Valid(raw) {
		return Object("{}")
	}
	return Object(raw)
}

// Raw returns the raw value of a member, or nil if it is missing or null.
func (o Object) Raw(name string) []byte {
	raw, _ := jsonl.Lookup(o, name)
	if jsonl.IsNull(raw) {
		return nil
	}
	return raw
}

// Text returns a string.
func (o Object) Text(name string) string { return jsonl.LookupString(o, name) }

// Int returns a nonnegative integer.
func (o Object) Int(name string) int64 {
	n, _ := jsonl.Int(o.Raw(name))
	return max(n, 0)
}

// Bool returns a bool.
func (o Object) Bool(name string) bool {
	b, _ := jsonl.Bool(o.Raw(name))
	return b
}

// Object returns an object, or an empty one.
func (o Object) Object(name string) Object {
	if raw := o.RawObject(name); raw != nil {
		return raw
	}
	return Object("{}")
}

// RawObject returns an object as raw JSON, or nil.
func (o Object) RawObject(name string) []byte {
	if raw := o.Raw(name); jsonl.KindOf(raw) == '{' {
		return raw
	}
	return nil
}

// List returns the elements of a list.
func (o Object) List(name string) [][]byte { return slices.Collect(jsonl.Elements(o.Raw(name))) }

// ImageOf returns the image in a data URL, or nil for any other text.
func ImageOf(url string) *format.ImageBlock {
	rest, ok := strings.CutPrefix(url, "data:")
	mime, data, base64 := strings.Cut(rest, ";base64,")
	if !ok || !base64 {
		return nil
	}
	return &format.ImageBlock{Data: data, MimeType: mime}
}

// StopReason returns why a complete response with these blocks ended.
func StopReason(blocks []format.Block) string {
	for _, b := range blocks {
		if _, ok := b.(*format.ToolCallBlock); ok {
			return "toolUse"
		}
	}
	return "stop"
}

// Unpriced returns a usage without a cost, for programs that record no prices.
// An unknown cost is not written as zero.
func Unpriced(u format.Usage) format.Usage {
	u.TotalTokens = cmp.Or(u.TotalTokens, format.Plus(format.Plus(u.Input, u.Output), format.Plus(u.CacheRead, u.CacheWrite)))
	u.Cost = format.Cost{}
	u.Raw = fmt.Appendf(nil, `{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":%d,"cacheWrite1h":%d,"reasoning":%d,"totalTokens":%d}`,
		u.Input, u.Output, u.CacheRead, u.CacheWrite, u.CacheWrite1h, u.Reasoning, u.TotalTokens)
	return u
}

// Arguments returns the arguments of a call as the object that pi requires. If
// the arguments are a text, the object has the text as its input.
func Arguments(text string) []byte {
	if raw := []byte(text); jsonl.Valid(raw) && jsonl.KindOf(raw) == '{' {
		return raw
	}
	return append(jsonl.AppendString([]byte(`{"input":`), text), '}')
}
