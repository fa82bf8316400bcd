package rpcserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A client is the other side, which answers the requests of hooks.
type client struct {
	gone chan struct{} // closed when the input has ended

	mu      sync.Mutex // guards all below
	asked   int        // the number of requests; their IDs are h1, h2 and so on
	waiting map[string]chan<- response
}

// A response is a client's response to a request.
type response struct {
	result []byte // raw JSON; nil for an error
	err    error
}

var errClientGone = errors.New("the client closed its output")

// ask sends a request to the client and waits for its response, at most for
// limit.
func (s *server) ask(ctx context.Context, method string, params []byte, limit time.Duration) ([]byte, error) {
	c := &s.client
	select {
	case <-c.gone:
		return nil, errClientGone
	default:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s: the client did not answer within %s", method, limit))
	defer cancel()
	answer := make(chan response, 1)
	c.mu.Lock()
	c.asked++
	id := "h" + strconv.Itoa(c.asked)
	c.waiting[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.waiting, id)
	}()
	s.out.send(question(id, method, params))
	select {
	case r := <-answer:
		return r.result, r.err
	case <-c.gone:
		return nil, errClientGone
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// answered handles a message that is a response and reports whether it is one.
// It drops a late response.
func (c *client) answered(text []byte) bool {
	if shape, _ := jsonl.Check(text); shape != jsonl.Object {
		return false
	}
	raw, _ := jsonl.Lookup(text, "id")
	id, _ := jsonl.String(raw)
	result, _ := jsonl.Lookup(text, "result")
	fault, _ := jsonl.Lookup(text, "error")
	if _, isRequest := jsonl.Lookup(text, "method"); isRequest || result == nil && fault == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer, ok := c.waiting[id]; ok {
		delete(c.waiting, id)
		answer <- responseOf(result, fault)
		return true
	}
	number, ok := strings.CutPrefix(id, "h")
	n, err := strconv.Atoi(number)
	return ok && err == nil && n > 0 && n <= c.asked
}

func responseOf(result, fault []byte) response {
	if result != nil && (fault == nil || jsonl.IsNull(fault)) {
		return response{result: bytes.Clone(result)}
	}
	var e struct{ Message string }
	if json.Unmarshal(fault, &e) != nil || e.Message == "" {
		e.Message = "an error without a message"
	}
	return response{err: fmt.Errorf("the client answered: %s", e.Message)}
}
