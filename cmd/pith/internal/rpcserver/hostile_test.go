package rpcserver_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// A client's text is echoed shortened, and a small message does not cause a
// large response.
func TestHostileMessages(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	version := `{"jsonrpc":"2.0","id":2,"method":"version"}`
	tests := map[string]struct {
		line string
		code int
		most int // bytes of the first reply
	}{
		"long method":   {`{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`, -32601, 1000},
		"long handle":   {`{"jsonrpc":"2.0","id":1,"method":"getTree","params":{"session":"` + long + `"}}`, -32008, 1000},
		"large batch":   {"[" + strings.Repeat("1,", 1<<20) + "1]", -32600, 1000},
		"deep batch":    {strings.Repeat("[", 1<<20), -32700, 1000},
		"deep params":   {`{"jsonrpc":"2.0","id":1,"method":"version","params":` + strings.Repeat(`{"a":`, 1<<17) + "1" + strings.Repeat("}", 1<<17) + "}", -32600, 1000},
		"binary":        {strings.Repeat("\x00\xff", 1<<20), -32700, 1000},
		"no JSON":       {long, -32700, 1000},
		"half a line":   {`{"jsonrpc":"2.0","id":1,"meth`, -32700, 1000},
		"stray answer":  {`{"jsonrpc":"2.0","id":"h1","error":null}`, -32600, 1000},
		"id of objects": {`{"jsonrpc":"2.0","id":{"a":[]},"method":"version"}`, -32600, 1000},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := exchange(t, rpcserver.Options{}, tt.line, version)
			if len(got) != 2 || code(t, got[0]) != tt.code || len(got[0]) > tt.most || code(t, got[1]) != 0 {
				t.Errorf("Serve sent %.300q; want an error %d of at most %d bytes, and a result", got, tt.code, tt.most)
			}
		})
	}
}

// A client that does not read keeps the server from neither ending nor closing its
// sessions.
func TestServeEndsWhileItsOutputIsBlocked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, requests := io.Pipe()
	replies, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- rpcserver.Serve(ctx, in, out, rpcserver.Options{}) }()
	for range 50 { // more than the server holds back
		go func() { _, _ = io.WriteString(requests, `{"jsonrpc":"2.0","id":1,"method":"methods"}`+"\n") }()
	}
	if _, err := replies.Read(make([]byte, 1)); err != nil { // a reply is being written
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve = %v; want %v", err, context.Canceled)
	}
	_, _ = in.Close(), replies.Close()
}
