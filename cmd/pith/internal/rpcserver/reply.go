package rpcserver

import (
	"github.com/pith-sessions/pith/cmd/pith/internal/piwire"
	"github.com/pith-sessions/pith/internal/jsonl"
)

var null = []byte("null")

// A reply is the response to one request.
type reply struct {
	id     []byte // raw JSON
	result []byte // raw JSON; nil if the request failed
	fault  *fault
}

func (r *request) succeed(result []byte) *reply { return &reply{id: r.id, result: result} }
func (r *request) fail(f *fault) *reply         { return &reply{id: r.id, fault: f} }

// refuse returns the response to a message that is not a request and has no
// known ID.
func refuse(code int, why string) *reply {
	return &reply{id: null, fault: &fault{code: code, message: why}}
}

func (r *reply) writeTo(add func([]byte)) {
	add([]byte(`{"jsonrpc":"2.0","id":`))
	add(r.id)
	if r.fault != nil {
		add([]byte(`,"error":`))
		add(r.fault.json())
	} else {
		add([]byte(`,"result":`))
		add(r.result)
	}
	add([]byte("}"))
}

// A question is a request from the server, or a notification.
type question struct {
	id     string // "" for a notification
	method string
	params []byte // raw JSON
}

func (q *question) writeTo(add func([]byte)) {
	o := object{}.Text("jsonrpc", "2.0").Known("id", q.id).Text("method", q.method)
	add(o[:len(o)-1])
	add([]byte(`,"params":`))
	add(q.params)
	add([]byte("}"))
}

// An object is a JSON object under construction.
type object = piwire.Object

// A list is a JSON array under construction.
type list struct{ buf []byte }

func (l *list) add(value []byte) {
	before := byte(',')
	if len(l.buf) == 0 {
		before = '['
	}
	l.buf = append(append(l.buf, before), value...)
}

func (l *list) end() []byte {
	if len(l.buf) == 0 {
		return []byte("[]")
	}
	return append(l.buf, ']')
}

// texts returns a list of strings. It is never null.
func texts(values []string) []byte {
	return jsonl.AppendStrings(nil, append([]string{}, values...))
}

// textOrNull returns a string, or null for an empty one, for which pi's API
// gives undefined or null.
func textOrNull(s string) []byte {
	if s == "" {
		return null
	}
	return jsonl.AppendString(nil, s)
}
