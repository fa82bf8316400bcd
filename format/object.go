package format

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// An object writes one JSON object, members in the order of the calls. The names
// are constants of this package and need no escaping. The opt methods leave out a
// zero value, as JSON.stringify leaves out undefined.
type object struct{ buf []byte }

func openObject(dst []byte) object { return object{append(dst, '{')} }

func (o *object) close() []byte { return append(o.buf, '}') }

func (o *object) key(name string) {
	if o.buf[len(o.buf)-1] != '{' {
		o.buf = append(o.buf, ',')
	}
	o.buf = append(o.buf, '"')
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, '"', ':')
}

func (o *object) str(name, value string) {
	o.key(name)
	o.buf = jsonl.AppendString(o.buf, value)
}

func (o *object) optStr(name, value string) {
	if value != "" {
		o.str(name, value)
	}
}

func (o *object) int(name string, value int64) {
	o.key(name)
	o.buf = strconv.AppendInt(o.buf, value, 10)
}

func (o *object) optInt(name string, value int64) {
	if value != 0 {
		o.int(name, value)
	}
}

func (o *object) optIntPointer(name string, value *int64) {
	if value != nil {
		o.int(name, *value)
	}
}

func (o *object) float(name string, value float64) {
	o.key(name)
	o.buf = jsonl.AppendFloat(o.buf, value)
}

func (o *object) bool(name string, value bool) {
	o.key(name)
	o.buf = strconv.AppendBool(o.buf, value)
}

func (o *object) optTrue(name string, value bool) {
	if value {
		o.bool(name, value)
	}
}

func (o *object) optBoolPointer(name string, value *bool) {
	if value != nil {
		o.bool(name, *value)
	}
}

func (o *object) null(name string) {
	o.key(name)
	o.buf = append(o.buf, "null"...)
}

func (o *object) raw(name string, value json.RawMessage) {
	o.key(name)
	o.buf = appendRaw(o.buf, value)
}

func (o *object) optRaw(name string, value json.RawMessage) {
	if len(value) > 0 {
		o.raw(name, value)
	}
}

// appendRaw writes a value that a caller supplied, on one line (F1). What is not
// JSON is written as a string of its text, so that the line stays valid and the
// text is not lost.
func appendRaw(dst []byte, raw json.RawMessage) []byte {
	switch {
	case len(raw) == 0:
		return append(dst, "null"...)
	case jsonl.Valid(raw):
		return jsonl.AppendCompact(dst, raw)
	default:
		return jsonl.AppendString(dst, string(raw))
	}
}

// appendKept writes bytes that were decoded, as they are. A line of a file holds
// no line feed; JSON from elsewhere can have them between its tokens and is then
// put on one line.
func appendKept(dst, raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 {
		return append(dst, raw...)
	}
	return appendRaw(dst, raw)
}
