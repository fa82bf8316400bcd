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

// pieces returns the JSON of the response. Results are not copied.
func (r *reply) pieces() [][]byte {
	name, value := `,"result":`, r.result
	if r.fault != nil {
		name, value = `,"error":`, r.fault.json()
	}
	return [][]byte{[]byte(`{"jsonrpc":"2.0","id":`), r.id, []byte(name), value, []byte("}")}
}

// question returns a request from the server, or with the ID "" a notification.
func question(id, method string, params []byte) [][]byte {
	o := object{}.Text("jsonrpc", "2.0").Known("id", id).Text("method", method)
	return [][]byte{o[:len(o)-1], []byte(`,"params":`), params, []byte("}")}
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

// orNull returns a string, or nil for an empty one, for which pi's API gives undefined
// or null.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
