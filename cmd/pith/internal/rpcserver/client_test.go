package rpcserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// A client talks to a server of its own over two pipes.
type client struct {
	t        *testing.T
	requests *io.PipeWriter
	replies  *bufio.Reader
	ended    chan error
	lastID   int
	// told are the notifications received, as lines.
	told []string
}

// A failure is an error as a client sees it.
type failure struct {
	Code    int
	Message string
	Data    map[string]any
}

func (f *failure) String() string {
	if f == nil {
		return "no error"
	}
	return fmt.Sprintf("error %d %q %v", f.Code, f.Message, f.Data)
}

// dial starts a server and returns its client. The server is ended with the test.
func dial(t *testing.T, o rpcserver.Options) *client {
	t.Helper()
	in, requests := io.Pipe()
	// As between processes, the server's output waits until it is read: if both
	// sides send first, neither must wait for the other forever.
	replies, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, requests: requests, replies: bufio.NewReader(replies), ended: make(chan error, 1)}
	go func() {
		err := rpcserver.Serve(context.Background(), in, out, o)
		_ = out.Close()
		c.ended <- err
	}()
	t.Cleanup(func() { c.hangUp(); _ = replies.Close() })
	return c
}

// hangUp ends the input and waits for the server. What it still sends is dropped.
func (c *client) hangUp() {
	c.t.Helper()
	if c.ended == nil {
		return
	}
	_ = c.requests.Close()
	_, _ = io.Copy(io.Discard, c.replies)
	if err := <-c.ended; err != nil {
		c.t.Errorf("Serve = %v; want nil", err)
	}
	c.ended = nil
}

// send writes one line.
func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.requests, line+"\n"); err != nil {
		c.t.Fatalf("send: %v", err)
	}
}

// receive reads one line that is not a notification.
func (c *client) receive() string {
	c.t.Helper()
	for {
		line, err := c.replies.ReadString('\n')
		if err != nil {
			c.t.Fatalf("receive: %q, %v", line, err)
		}
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, `{"jsonrpc":"2.0","method":`) {
			return line
		}
		c.told = append(c.told, line)
	}
}

// try makes a request and returns its raw result, or how it failed.
func (c *client) try(method string, params any) (json.RawMessage, *failure) {
	c.t.Helper()
	c.lastID++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.lastID, method, encode(c.t, params)))
	line := c.receive()
	head := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,`, c.lastID)
	rest, ok := strings.CutPrefix(line, head)
	if !ok {
		c.t.Fatalf("%s: reply %.200s; want it to begin with %s", method, line, head)
	}
	if result, ok := strings.CutPrefix(rest, `"result":`); ok {
		return json.RawMessage(strings.TrimSuffix(result, "}")), nil
	}
	var reply struct{ Error *failure }
	if err := json.Unmarshal([]byte(line), &reply); err != nil || reply.Error == nil {
		c.t.Fatalf("%s: reply %.200s has neither result nor error (%v)", method, line, err)
	}
	return nil, reply.Error
}

// call makes a request that must succeed.
func (c *client) call(method string, params any) json.RawMessage {
	c.t.Helper()
	result, failed := c.try(method, params)
	if failed != nil {
		c.t.Fatalf("%s(%s) = %v", method, encode(c.t, params), failed)
	}
	return result
}

// text makes a request whose result must be a string.
func (c *client) text(method string, params any) string {
	c.t.Helper()
	var s string
	if raw := c.call(method, params); json.Unmarshal(raw, &s) != nil {
		c.t.Fatalf("%s = %s; want a string", method, raw)
	}
	return s
}

// open makes a request that gives out a handle.
func (c *client) open(method string, params any) string {
	c.t.Helper()
	var r struct{ Session string }
	if raw := c.call(method, params); json.Unmarshal(raw, &r) != nil || r.Session == "" {
		c.t.Fatalf("%s = %s; want a session", method, raw)
	}
	return r.Session
}

// with is an object of parameters.
type with map[string]any

func encode(t *testing.T, v any) []byte {
	t.Helper()
	if raw, ok := v.(string); ok {
		return []byte(raw)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatalf("encode %v: %v", v, err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func user(text string) with {
	return with{"role": "user", "content": []with{{"type": "text", "text": text}}, "timestamp": 1769904172710}
}

// exchange sends a server all lines and returns all of its output.
func exchange(t testing.TB, o rpcserver.Options, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := rpcserver.Serve(context.Background(), strings.NewReader(strings.Join(lines, "\n")), &out, o); err != nil {
		t.Fatalf("Serve = %v; want nil", err)
	}
	if out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}
