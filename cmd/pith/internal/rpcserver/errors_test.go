package rpcserver_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

const (
	aHeader = `{"type":"session","version":3,"id":"a","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}` + "\n"
	anEntry = `{"type":"message","id":"e1","parentId":null,"timestamp":"2026-02-03T22:52:06.410Z","message":{"role":"user","content":"hi"}}` + "\n"
)

// write makes a file in a directory and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A locked store is one in which another process never releases a log.
type locked struct{ *memstore.Store }

func (locked) Create(ctx context.Context, name string, _ store.Fill) (store.Log, error) {
	return nil, fmt.Errorf("create %s: %w", name, store.ErrLocked)
}

// errorCases make calls of which the last fails, and return how.
var errorCases = map[string]struct {
	code int
	kind string
	opt  rpcserver.Options
	run  func(c *client, dir string) *failure
}{
	"unknown method": {-32601, "unknownMethod", rpcserver.Options{}, func(c *client, _ string) *failure {
		return c.fail("undo", with{})
	}},
	"missing parameter": {-32602, "invalidParams", rpcserver.Options{}, func(c *client, _ string) *failure {
		return c.fail("create", with{})
	}},
	"derived message": {-32602, "invalidParams", rpcserver.Options{}, func(c *client, _ string) *failure {
		c.open("inMemory", with{})
		return c.fail("appendMessage", []any{"s1", with{"role": "compactionSummary"}})
	}},
	"bad session id": {-32602, "invalidParams", rpcserver.Options{}, func(c *client, _ string) *failure {
		return c.fail("create", with{"cwd": "/p", "id": "../x"})
	}},
	"source does not exist": {-32001, "notFound", rpcserver.Options{}, func(c *client, dir string) *failure {
		return c.fail("forkFrom", with{"sourcePath": filepath.Join(dir, "no.jsonl"), "targetCwd": "/p", "sessionDir": dir})
	}},
	"file to read does not exist": {-32001, "notFound", rpcserver.Options{}, func(c *client, dir string) *failure {
		return c.fail("open", with{"path": filepath.Join(dir, "no.jsonl"), "readOnly": true})
	}},
	"reference to nothing": {-32001, "notFound", rpcserver.Options{}, func(c *client, dir string) *failure {
		return c.fail("resolve", with{"reference": "nothing", "sessionDir": dir})
	}},
	"not a session": {-32002, "notSession", rpcserver.Options{}, func(c *client, dir string) *failure {
		return c.fail("open", with{"path": write(c.t, dir, "x.jsonl", "hello\n")})
	}},
	"no such entry": {-32003, "noEntry", rpcserver.Options{}, func(c *client, _ string) *failure {
		c.open("inMemory", with{})
		return c.fail("branch", []any{"s1", "nobody"})
	}},
	"no such entry for a context": {-32003, "noEntry", rpcserver.Options{}, func(c *client, _ string) *failure {
		c.open("inMemory", with{})
		return c.fail("buildSessionContext", []any{"s1", "nobody"})
	}},
	"other processes wrote": {-32004, "stale", rpcserver.Options{}, func(c *client, dir string) *failure {
		path := write(c.t, dir, "x.jsonl", aHeader+anEntry)
		s := c.open("open", with{"path": path, "onConflict": "refuse"})
		write(c.t, dir, "x.jsonl", aHeader+anEntry+strings.NewReplacer(`"e1"`, `"e2"`, "null", `"e1"`).Replace(anEntry))
		return c.fail("appendMessage", message(s))
	}},
	"read-only": {-32005, "readOnly", rpcserver.Options{}, func(c *client, dir string) *failure {
		s := c.open("open", with{"path": write(c.t, dir, "x.jsonl", aHeader+anEntry), "readOnly": true})
		return c.fail("appendMessage", message(s))
	}},
	"another program's": {-32005, "readOnly", rpcserver.Options{}, func(c *client, dir string) *failure {
		foreign := strings.Replace(aHeader, `"cwd"`, `"source":"Codex","original":"/p/rollout.jsonl","cwd"`, 1)
		s := c.open("open", with{"path": write(c.t, dir, "x.jsonl", foreign+anEntry)})
		return c.fail("appendMessage", message(s))
	}},
	"too new": {-32006, "tooNew", rpcserver.Options{}, func(c *client, dir string) *failure {
		newer := strings.Replace(aHeader, `"version":3`, `"version":7`, 1)
		s := c.open("open", with{"path": write(c.t, dir, "x.jsonl", newer+anEntry)})
		return c.fail("appendMessage", message(s))
	}},
	"a file for a folder": {-32007, "io", rpcserver.Options{}, func(c *client, dir string) *failure {
		return c.fail("open", with{"path": filepath.Join(write(c.t, dir, "file", "x"), "x.jsonl")})
	}},
	"unknown handle": {-32008, "unknownSession", rpcserver.Options{}, func(c *client, _ string) *failure {
		return c.fail("getLeafId", with{"session": "s1"})
	}},
	"odd handle": {-32008, "unknownSession", rpcserver.Options{}, func(c *client, _ string) *failure {
		c.open("inMemory", with{})
		return c.fail("getLeafId", with{"session": "s01"})
	}},
	"id in use": {-32009, "exists", rpcserver.Options{}, func(c *client, dir string) *failure {
		for range 2 {
			c.open("create", with{"cwd": "/p", "sessionDir": dir, "id": "mine"})
		}
		c.call("appendMessage", message("s1"))
		return c.fail("appendMessage", message("s2"))
	}},
	"ambiguous reference": {-32010, "ambiguous", rpcserver.Options{}, func(c *client, dir string) *failure {
		for _, id := range []string{"abcdefgh-1", "abcdefgh-2"} {
			c.call("appendMessage", message(c.open("create", with{"cwd": "/p", "sessionDir": dir, "id": id})))
		}
		return c.fail("resolve", with{"reference": "abcdefgh", "cwd": "/p", "sessionDir": dir})
	}},
	"closed handle": {-32011, "closed", rpcserver.Options{}, func(c *client, _ string) *failure {
		c.call("close", with{"session": c.open("inMemory", with{})})
		return c.fail("getLeafId", with{"session": "s1"})
	}},
	"deleted file": {-32012, "gone", rpcserver.Options{}, func(c *client, dir string) *failure {
		path := write(c.t, dir, "x.jsonl", aHeader+anEntry)
		s := c.open("open", with{"path": path})
		if err := os.Remove(path); err != nil {
			c.t.Fatal(err)
		}
		return c.fail("appendMessage", message(s))
	}},
	"locked file": {-32013, "busy", rpcserver.Options{App: ops.App{Store: locked{memstore.New()}}}, func(c *client, dir string) *failure {
		return c.fail("appendMessage", message(c.open("create", with{"cwd": "/p", "sessionDir": dir})))
	}},
}

// message are the parameters for appending a message.
func message(session string) with { return with{"session": session, "message": user("x")} }

func TestErrorCodes(t *testing.T) {
	for name, tt := range errorCases {
		t.Run(name, func(t *testing.T) {
			c := dial(t, tt.opt)
			got := tt.run(c, t.TempDir())
			if got.Code != tt.code || got.Data["kind"] != tt.kind || got.Message == "" {
				t.Errorf("got %v; want code %d, kind %s", got, tt.code, tt.kind)
			}
			c.call("version", with{}) // the server continues
		})
	}
}

// fail makes a request that must fail.
func (c *client) fail(method string, params any) *failure {
	c.t.Helper()
	result, failed := c.try(method, params)
	if failed == nil {
		c.t.Fatalf("%s(%s) = %s; want an error", method, encode(c.t, params), result)
	}
	return failed
}

func TestErrorData(t *testing.T) {
	dir := t.TempDir()
	c := dial(t, rpcserver.Options{})
	c.open("inMemory", with{})
	path := write(t, dir, "x.jsonl", "hello\n")
	tests := []struct {
		method string
		params any
		key    string
		want   any
	}{
		{"open", with{"path": 1}, "param", "path"},
		{"open", with{"path": ""}, "param", "path"},
		{"open", with{"path": path}, "path", path},
		{"open", with{"path": path}, "line", 1.0},
		{"create", with{"cwd": "/p", "onConflict": "win"}, "param", "onConflict"},
		{"newSession", []any{"s1", "options"}, "param", "options"},
		{"branchWithSummary", with{"session": "s1", "summary": "x"}, "param", "entryId"},
		{"appendContextEdit", with{"session": "s1", "targetId": "x", "replacement": with{}}, "param", "replacement"},
		{"appendCustomMessageEntry", []any{"s1", "x", 5, true}, "param", "content"},
		{"appendUsage", []any{"s1", "k", "p", "m", "u"}, "param", "usage"},
		{"appendCompaction", []any{"s1", "k", nil, 1.5}, "param", "tokensBefore"},
	}
	for _, tt := range tests {
		if got := c.fail(tt.method, tt.params); got.Data[tt.key] != tt.want {
			t.Errorf("%s(%s) failed with %v; want data.%s = %v", tt.method, encode(t, tt.params), got, tt.key, tt.want)
		}
	}
}

// Whatever type a value has, a call responds, and names the invalid parameter.
func TestWrongTypes(t *testing.T) {
	c := dial(t, rpcserver.Options{App: ops.App{Store: memstore.New(), Dir: t.TempDir()}})
	for _, method := range methodNames(c) {
		for _, value := range []string{`{}`, `[]`, `1.5`, `true`, `null`} {
			s := c.open("inMemory", with{})
			params := fmt.Sprintf(`[%s,%[1]s,%[1]s,%[1]s,%[1]s,%[1]s]`, value)
			_, onServer := c.try(method, params)
			_, onSession := c.try(method, fmt.Sprintf(`[%q,%s`, s, params[1:]))
			for _, failed := range []*failure{onServer, onSession} {
				if failed != nil && !slices.Contains([]int{-32602, -32003, -32001, -32015, -32016}, failed.Code) {
					t.Errorf("%s(%s) failed with %v; want a code for wrong parameters", method, params, failed)
				}
			}
		}
	}
}
