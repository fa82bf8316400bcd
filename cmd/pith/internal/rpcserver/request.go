package rpcserver

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A request is one request of a client.
type request struct {
	id     []byte // raw JSON; nil for a notification
	method string
	params []byte // raw object or array; nil if there are none
}

// take serves the message in one line: a request, a notification or a batch. It
// ignores blank lines.
func (s *server) take(ctx context.Context, text []byte) {
	text = bytes.Trim(text, " \t\r")
	if len(text) == 0 {
		return
	}
	if text[0] == '[' {
		s.takeBatch(ctx, text)
		return
	}
	s.takeOne(ctx, text, func(a *reply) {
		if a != nil {
			s.out.send(a.pieces())
		}
	})
}

// takeOne serves one message and delivers its response, or nil if it has none.
func (s *server) takeOne(ctx context.Context, text []byte, deliver func(*reply)) {
	r, bad := parseRequest(text)
	switch {
	case bad == nil && r.id == nil:
		s.run(ctx, r, func(*reply) { deliver(nil) })
	case bad == nil:
		s.run(ctx, r, deliver)
	case s.client.answered(text):
		deliver(nil)
	default:
		deliver(bad)
	}
}

// maxBatch is the maximum number of messages in a batch: a response is much
// larger than the smallest message.
const maxBatch = 10_000

// takeBatch serves several messages in order. It sends their responses as one
// array after the last, or nothing if there are none.
func (s *server) takeBatch(ctx context.Context, text []byte) {
	if !jsonl.Valid(text) {
		s.out.send(refuse(codeParse, "the line is not valid JSON").pieces())
		return
	}
	parts := slices.Collect(jsonl.Elements(text))
	if len(parts) == 0 || len(parts) > maxBatch {
		s.out.send(refuse(codeInvalidRequest, fmt.Sprintf("a batch has 1 to %d messages", maxBatch)).pieces())
		return
	}
	replies := make([]*reply, len(parts))
	var open sync.WaitGroup
	open.Add(len(parts))
	for i, part := range parts {
		s.takeOne(ctx, part, func(r *reply) {
			replies[i] = r
			open.Done()
		})
	}
	s.work.Go(func() {
		open.Wait()
		var all [][]byte
		before := "["
		for _, r := range replies {
			if r != nil {
				all = append(append(all, []byte(before)), r.pieces()...)
				before = ","
			}
		}
		if all != nil {
			s.out.send(append(all, []byte("]")))
		}
	})
}

// parseRequest parses one message. If it is not a request, it returns the
// response that explains why.
func parseRequest(text []byte) (*request, *reply) {
	if !utf8.Valid(text) {
		return nil, refuse(codeParse, "the line is not UTF-8")
	}
	switch shape, at := jsonl.Check(text); shape {
	case jsonl.Invalid:
		return nil, refuse(codeParse, "the line is not valid JSON at byte "+strconv.Itoa(at))
	case jsonl.Other:
		return nil, refuse(codeInvalidRequest, "a request must be an object")
	}
	id, _ := jsonl.Lookup(text, "id")
	params, _ := jsonl.Lookup(text, "params")
	r := &request{id: id}
	refuseThis := func(why string) (*request, *reply) {
		bad := refuse(codeInvalidRequest, why)
		if id != nil {
			bad.id = id
		}
		return nil, bad
	}
	switch jsonl.KindOf(id) {
	case 0, '"', '0', 'n':
	default:
		id = nil
		return refuseThis("id must be a string, a number or null")
	}
	if jsonl.TooDeep(text) {
		return refuseThis("values are nested more than " + strconv.Itoa(jsonl.MostNested) + " deep")
	}
	if jsonl.LookupString(text, "jsonrpc") != "2.0" {
		return refuseThis(`jsonrpc must be "2.0"`)
	}
	name, _ := jsonl.Lookup(text, "method")
	var ok bool
	if r.method, ok = jsonl.String(name); !ok {
		return refuseThis("method must be a string")
	}
	switch jsonl.KindOf(params) {
	case 0, 'n':
	case '{', '[':
		r.params = params
	default:
		return refuseThis("params must be an object or an array")
	}
	return r, nil
}
