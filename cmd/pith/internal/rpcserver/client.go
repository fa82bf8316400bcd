package rpcserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// A client sends requests to the other side and receives its responses. The
// zero client waits for none.
type client struct {
	mu      sync.Mutex // guards all below
	last    int
	waiting map[string]chan<- response
	gone    bool // the input has ended
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
	answer := make(chan response, 1)
	id, err := s.client.expect(answer)
	if err != nil {
		return nil, err
	}
	defer s.client.forget(id)
	s.out.send(&question{id, method, params})
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case r := <-answer:
		return r.result, r.err
	case <-timer.C:
		return nil, fmt.Errorf("%s: the client did not answer within %s", method, limit)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *client) expect(answer chan<- response) (id string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return "", errClientGone
	}
	if c.waiting == nil {
		c.waiting = map[string]chan<- response{}
	}
	c.last++
	id = "h" + strconv.Itoa(c.last)
	c.waiting[id] = answer
	return id, nil
}

func (c *client) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// hangUp ends all waits, since no more responses can come.
func (c *client) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for _, answer := range c.waiting {
		answer <- response{err: errClientGone}
	}
	c.waiting = nil
}

// answered handles a message that is a response and reports whether it is one.
// It drops a response that is no longer awaited.
func (c *client) answered(text []byte) bool {
	if shape, _ := jsonl.Check(text); shape != jsonl.Object {
		return false
	}
	raw, _ := jsonl.Lookup(text, "id")
	id, isText := jsonl.String(raw)
	result, _ := jsonl.Lookup(text, "result")
	fault, _ := jsonl.Lookup(text, "error")
	_, isRequest := jsonl.Lookup(text, "method")
	if !isText || isRequest || result == nil && fault == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	answer, ok := c.waiting[id]
	if !ok {
		return c.asked(id)
	}
	delete(c.waiting, id)
	answer <- responseOf(result, fault)
	return true
}

// asked reports whether the server has used an ID.
func (c *client) asked(id string) bool {
	if id == "" || id[0] != 'h' {
		return false
	}
	n, err := strconv.Atoi(id[1:])
	return err == nil && n > 0 && n <= c.last
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
