package format

import (
	"bytes"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A record is a JSON object with named members: an entry, a message, a block or
// a usage record. fields visits the members in the order in which pi 1.5.0
// writes them.
type record interface{ fields(c *codec) }

// A codec carries one visit of a record's fields. The same visit reads a record,
// writes it, or edits the bytes that it was decoded from.
type codec struct {
	mode    mode
	members []member // reading, editing: members of the object
	out     object   // writing: the object so far; editing: the bytes with changes so far
	room    [16]member
}

type mode uint8

const (
	reading mode = iota
	writing
	editing
)

var codecs = sync.Pool{New: func() any { return new(codec) }}

// newCodec returns a codec for obj, which it references until it is released.
func newCodec(m mode, obj []byte) *codec {
	c := codecs.Get().(*codec)
	c.mode, c.members = m, appendMembers(c.room[:0], obj)
	return c
}

func (c *codec) release() {
	clear(c.members)
	c.members, c.out = nil, object{}
	codecs.Put(c)
}

// appendRecord appends r as an object made from its fields.
func appendRecord(dst []byte, r record) []byte {
	c := codecs.Get().(*codec)
	c.mode, c.out = writing, openObject(dst)
	defer c.release()
	r.fields(c)
	return c.out.close()
}

// edited returns raw with those members replaced that differ from the fields of
// r. Other members keep their bytes. Without a difference it returns raw
// itself.
func edited(raw []byte, r record) []byte {
	if jsonl.KindOf(raw) != '{' {
		return raw
	}
	c := newCodec(editing, raw)
	c.out.buf = raw
	defer c.release()
	r.fields(c)
	return c.out.buf
}

// last returns the raw value of the last member with that name, or nil.
func (c *codec) last(name string) []byte {
	for i := len(c.members) - 1; i >= 0; i-- {
		if string(c.members[i].name) == name {
			return c.members[i].raw
		}
	}
	return nil
}

// A kind reads, writes and compares values of one type. The raw bytes to
// compare with may be empty.
type kind[T any] struct {
	read func(raw []byte) T
	put  func(dst []byte, v T) []byte
	same func(raw []byte, v T) bool
}

var (
	textKind = &kind[string]{asString, jsonl.AppendString, sameText}
	wordKind = &kind[string]{asWord, jsonl.AppendString, sameText}
	intKind  = &kind[int64]{
		asInt,
		func(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) },
		func(raw []byte, n int64) bool { return asInt(raw) == n },
	}
	floatKind = &kind[float64]{
		asFloat, jsonl.AppendFloat,
		func(raw []byte, f float64) bool { return asFloat(raw) == f },
	}
	boolKind = &kind[bool]{
		asBool, strconv.AppendBool,
		func(raw []byte, b bool) bool { return asBool(raw) == b },
	}
	rawKind = &kind[json.RawMessage]{
		asRaw, appendRaw,
		func(raw []byte, v json.RawMessage) bool { return bytes.Equal(asRaw(raw), v) },
	}
	argumentsKind = &kind[json.RawMessage]{asRaw, appendArguments, rawKind.same}
	contentKind   = &kind[Content]{DecodeContent, AppendContent, sameContent}
	// listKind is content written as a list: pi reads the content of responses
	// and tool results as a list, and fails on a string.
	listKind = &kind[Content]{
		DecodeContent,
		func(dst []byte, c Content) []byte { return AppendContent(dst, c.listed()) },
		sameContent,
	}
	usageKind = &kind[Usage]{DecodeUsage, appendUsage, sameUsage}
	costKind  = &kind[Cost]{asCost, appendCost, func(raw []byte, v Cost) bool { return asCost(raw) == v }}

	intPointerKind   = pointer(intKind, func(raw []byte) bool { return jsonl.KindOf(raw) == '0' })
	usagePointerKind = pointer(usageKind, func(raw []byte) bool { return jsonl.KindOf(raw) == '{' })
	boolPointerKind  = pointer(boolKind, func(raw []byte) bool { _, ok := jsonl.Bool(raw); return ok })
)

// pointer returns a kind whose values are nil if the bytes have another type.
func pointer[T any](k *kind[T], fits func(raw []byte) bool) *kind[*T] {
	return &kind[*T]{
		read: func(raw []byte) *T {
			if !fits(raw) {
				return nil
			}
			v := k.read(raw)
			return &v
		},
		put: func(dst []byte, v *T) []byte { return k.put(dst, *v) },
		same: func(raw []byte, v *T) bool {
			if v == nil {
				return !fits(raw)
			}
			return fits(raw) && k.same(raw, *v)
		},
	}
}

// field visits a member that is always written.
func field[T any](c *codec, name string, v *T, k *kind[T]) { visit(c, name, v, k, true) }

// optional visits a member that is omitted if it is zero, as JSON.stringify
// omits undefined.
func optional[T any](c *codec, name string, v *T, k *kind[T]) { visit(c, name, v, k, false) }

func visit[T any](c *codec, name string, v *T, k *kind[T], always bool) {
	switch c.mode {
	case reading:
		if raw := c.last(name); raw != nil {
			*v = k.read(raw)
		}
	case writing:
		if always || !k.same(nil, *v) {
			c.out.key(name)
			c.out.buf = k.put(c.out.buf, *v)
		}
	case editing:
		raw := c.last(name)
		switch {
		case k.same(raw, *v):
		case always || !k.same(nil, *v):
			c.out.buf = jsonl.Set(c.out.buf, name, k.put(nil, *v))
		default:
			c.out.buf = jsonl.Delete(c.out.buf, name)
		}
	}
}

// fixed writes a member that the Go type determines, such as the role.
func (c *codec) fixed(name, value string) {
	if c.mode == writing {
		c.out.str(name, value)
	}
}

// hook visits the flag of a summary that an extension made. Writers use two
// names for it.
func (c *codec) hook(v **bool) {
	optional(c, "fromHook", v, boolPointerKind)
	if c.mode != reading {
		return
	}
	var other *bool
	optional(c, "fromExtension", &other, boolPointerKind)
	if other != nil && (*v == nil || !**v) {
		*v = other
	}
}

// sameText reports whether the member raw, which may be missing, is the string s. It
// allocates only for a string with escapes.
func sameText(raw []byte, s string) bool {
	if len(raw) == len(s)+2 && raw[0] == '"' && string(raw[1:len(raw)-1]) == s && bytes.IndexByte(raw, '\\') < 0 {
		return true
	}
	return asString(raw) == s
}

// An object writes one JSON object, members in the order of the calls. The names
// are constants of this package and need no escaping.
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

// optStr omits an empty value.
func (o *object) optStr(name, value string) {
	if value != "" {
		o.str(name, value)
	}
}

func (o *object) int(name string, value int64) {
	o.key(name)
	o.buf = strconv.AppendInt(o.buf, value, 10)
}

func (o *object) null(name string) {
	o.key(name)
	o.buf = append(o.buf, "null"...)
}

// appendRaw appends a value supplied by the caller on one line (F1). Text that
// is not JSON is written as a string, so that the line stays valid and no text
// is lost.
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

// appendArguments appends the arguments of a tool call, which pi reads as an
// object.
func appendArguments(dst []byte, raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return append(dst, "{}"...)
	}
	return appendRaw(dst, raw)
}

// appendKept appends decoded bytes unchanged. A line of a file contains no line
// feed; JSON from other sources can contain line feeds between its tokens and
// is then compacted.
func appendKept(dst, raw []byte) []byte {
	if isOneLine(raw) {
		return append(dst, raw...)
	}
	return appendRaw(dst, raw)
}

func isOneLine(raw []byte) bool { return !bytes.ContainsRune(raw, '\n') }
