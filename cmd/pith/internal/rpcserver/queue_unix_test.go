//go:build unix

package rpcserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// lock locks a file as another program does, until unlock is called.
func lock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return func() { _ = f.Close() }
}

// twoSessions starts a client with two sessions, the first of them locked by another
// program.
func twoSessions(t *testing.T) (c *client, unlock func()) {
	t.Helper()
	c = dial(t, rpcserver.Options{})
	dir := t.TempDir()
	for i := range 2 {
		path := filepath.Join(dir, fmt.Sprint(i, ".jsonl"))
		c.open("open", with{"path": path})
		c.call("appendMessage", []any{fmt.Sprint("s", i+1), user("begin")})
	}
	return c, lock(t, filepath.Join(dir, "0.jsonl"))
}

func (c *client) ask(id int, method string, params any) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, encode(c.t, params)))
}

// replied reads the next reply, which must be to that request.
func (c *client) replied(id int) string {
	c.t.Helper()
	line := c.receive()
	if !strings.HasPrefix(line, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,`, id)) {
		c.t.Fatalf("the next reply is %.200s; want that to request %d", line, id)
	}
	return line
}

// A session whose file another program has locked does not keep the others waiting,
// and its own requests are served in their order when the lock is released.
func TestSessionsDoNotWaitForEachOther(t *testing.T) {
	c, unlock := twoSessions(t)
	c.ask(901, "appendMessage", []any{"s1", user("waits")})
	c.ask(902, "getLeafId", []any{"s1"})
	c.ask(903, "appendMessage", []any{"s2", user("does not")})
	if line := c.replied(903); code(t, line) != 0 {
		t.Errorf("appendMessage to the other session = %s", line)
	}
	c.ask(904, "version", nil)
	c.replied(904)
	unlock()
	var appended, leaf struct{ Result string }
	decode(t, json.RawMessage(c.replied(901)), &appended)
	decode(t, json.RawMessage(c.replied(902)), &leaf)
	if appended.Result == "" || leaf.Result != appended.Result {
		t.Errorf("appended %q, then the leaf was %q; want the same", appended.Result, leaf.Result)
	}
}

// A client cancels a request that waits for a lock, and one that waits after
// it.
func TestCancelRequest(t *testing.T) {
	c, unlock := twoSessions(t)
	before := string(c.call("getEntries", []any{"s1"}))
	c.ask(901, "appendMessage", []any{"s1", user("waits for the lock")})
	c.ask(902, "appendMessage", []any{"s1", user("waits behind it")})
	for _, id := range []int{902, 901} {
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":%d}}`, id))
		if line := c.replied(id); code(t, line) != -32014 {
			t.Errorf("the cancelled request = %s; want -32014", line)
		}
	}
	if after := string(c.call("getEntries", []any{"s1"})); after != before {
		t.Errorf("entries after cancelled appends = %s; want %s", after, before)
	}
	unlock()
	c.call("appendMessage", []any{"s1", user("goes on")})
	c.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":12345}}`) // unknown: ignored
	c.send(`{"jsonrpc":"2.0","method":"$/cancelRequest"}`)
	c.call("version", nil)
}

// When the input ends, requests that wait are answered before Serve returns.
func TestEndOfInputWaitsForSessions(t *testing.T) {
	c, unlock := twoSessions(t)
	c.ask(901, "appendMessage", []any{"s1", user("waits")})
	c.ask(902, "version", nil)
	c.replied(902)
	if err := c.requests.Close(); err != nil {
		t.Fatal(err)
	}
	unlock()
	if line := c.replied(901); code(t, line) != 0 {
		t.Errorf("appendMessage = %s; want a result", line)
	}
}
