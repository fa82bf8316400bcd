package rpcserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// entryIDs are the ids of a list of entries.
func entryIDs(t *testing.T, raw json.RawMessage) (ids []string) {
	t.Helper()
	var entries []struct{ ID string }
	if err := json.Unmarshal(raw, &entries); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// Two servers write to one file in turn. Each follows the other, so that the
// conversation stays one path and hides nothing.
func TestTwoServersFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	a, b := dial(t, rpcserver.Options{}), dial(t, rpcserver.Options{})
	a.open("open", with{"path": path})
	var want []string
	want = append(want, a.text("appendMessage", []any{"s1", user("begin")}))
	b.open("open", with{"path": path})
	for i := range 20 {
		c := []*client{b, a}[i%2]
		want = append(want, c.text("appendMessage", []any{"s1", user(fmt.Sprint("turn ", i))}))
	}
	if n := string(a.call("refresh", []any{"s1"})); n != "0" {
		t.Errorf("refresh of the last writer = %s; want 0", n)
	}
	if n := string(b.call("refresh", []any{"s1"})); n != "1" {
		t.Errorf("refresh of the other writer = %s; want 1", n)
	}
	b.call("follow", []any{"s1"})
	for _, c := range []*client{a, b} {
		if got := entryIDs(t, c.call("getBranch", []any{"s1"})); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("branch = %v; want %v", got, want)
		}
	}
}

// Both servers write at the same time: every entry is there, on lines of its own.
func TestTwoServersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	clients := []*client{dial(t, rpcserver.Options{}), dial(t, rpcserver.Options{})}
	clients[0].open("open", with{"path": path})
	clients[0].call("appendMessage", []any{"s1", user("begin")})
	clients[1].open("open", with{"path": path})
	const each = 50
	done := make(chan map[string]bool)
	for _, c := range clients {
		go func() {
			ids := map[string]bool{}
			defer func() { done <- ids }() // also when the client gives up
			for i := range each {
				raw, failed := c.try("appendMessage", []any{"s1", user(fmt.Sprint("at once ", i))})
				if failed != nil {
					t.Errorf("appendMessage = %v", failed)
				}
				ids[string(raw)] = true
			}
		}()
	}
	first, second := <-done, <-done
	for _, c := range clients {
		c.hangUp()
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	found := 0
	for _, line := range lines {
		var e struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Errorf("line %q: %v", line, err)
		}
		if first[string(e.ID)] || second[string(e.ID)] {
			found++
		}
	}
	if found != 2*each {
		t.Errorf("the file has %d of %d acknowledged entries", found, 2*each)
	}
}

// A client that requested it is notified that others wrote, and decides.
func TestRefuseThenDecide(t *testing.T) {
	tests := map[string]struct {
		decide string
		parent int // which of the ids below the new entry hangs under
	}{
		"follow": {"follow", 1},
		"stay":   {"stay", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			mine, theirs := dial(t, rpcserver.Options{}), dial(t, rpcserver.Options{})
			mine.open("open", with{"path": path, "onConflict": "refuse"})
			ids := []string{mine.text("appendMessage", []any{"s1", user("mine")})}
			theirs.open("open", with{"path": path})
			ids = append(ids, theirs.text("appendMessage", []any{"s1", user("theirs")}))

			failed := mine.fail("appendMessage", []any{"s1", user("more")})
			if failed.Code != -32004 || fmt.Sprint(failed.Data["entries"]) != "["+ids[1]+"]" || failed.Data["leaf"] != ids[1] || failed.Data["path"] != path {
				t.Errorf("appendMessage = %v; want -32004 with entries and leaf %s", failed, ids[1])
			}
			mine.call(tt.decide, []any{"s1"})
			mine.call("appendMessage", []any{"s1", user("more")})
			var leaf struct{ ParentID string }
			if raw := mine.call("getLeafEntry", []any{"s1"}); json.Unmarshal(raw, &leaf) != nil || leaf.ParentID != ids[tt.parent] {
				t.Errorf("after %s the entry is %s; want parent %s", tt.decide, raw, ids[tt.parent])
			}
		})
	}
}

// The client's bytes are in the file, and the file's bytes are in the results.
func TestBytesAreKept(t *testing.T) {
	messages := map[string]string{
		"lone surrogate":  `{"role":"user","content":"\ud83d alone","timestamp":1}`,
		"odd key order":   `{"zeta":1,"timestamp":1,"content":"x","role":"user","zeta":2}`,
		"odd escapes":     `{"role":"user","content":"\u0041\/\u00e9","timestamp":1e3}`,
		"large numbers":   `{"role":"user","content":"x","n":123456789012345678901234567890,"f":1.10}`,
		"U+2028":          "{\"role\":\"user\",\"content\":\"a\u2028b\"}",
		"unknown role":    `{"role":"oracle","content":null}`,
		"content missing": `{"role":"assistant"}`,
	}
	for name, message := range messages {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			c := dial(t, rpcserver.Options{})
			c.open("open", with{"path": path})
			c.call("appendMessage", []any{"s1", user("first, so that there is a file")})
			id := c.text("appendMessage", `{"session":"s1","message":`+message+`}`)
			entry := string(c.call("getEntry", with{"session": "s1", "id": id}))
			if !strings.HasSuffix(entry, `"message":`+message+`}`) {
				t.Errorf("getEntry = %q; want it to end with the message %q", entry, message)
			}
			data, err := os.ReadFile(path)
			if err != nil || !strings.HasSuffix(string(data), "\n"+entry+"\n") {
				t.Errorf("the file ends with %q (%v); want the line %q", data, err, entry)
			}
			for _, method := range []string{"getEntries", "getBranch", "getTree", "getLeafEntry"} {
				if got := string(c.call(method, with{"session": "s1"})); !strings.Contains(got, entry) {
					t.Errorf("%s = %q; want the line %q in it", method, got, entry)
				}
			}
		})
	}
}

// Lines that others wrote in other ways come back as they are.
func TestForeignLinesAreKept(t *testing.T) {
	lines := []string{
		`{ "type":"message", "parentId":null,"id":"e1", "timestamp":"2026-02-03T22:52:06.410Z","message":{"content":"\ud800","role":"user"} }`,
		`{"id":"e2","type":"from_the_future","parentId":"e1","x":{"y":[1.0,2e5]}}`,
	}
	path := write(t, t.TempDir(), "x.jsonl", aHeader+strings.Join(lines, "\n")+"\n")
	c := dial(t, rpcserver.Options{})
	c.open("open", with{"path": path})
	if got, want := string(c.call("getEntries", []any{"s1"})), "["+strings.Join(lines, ",")+"]"; got != want {
		t.Errorf("getEntries = %s; want %s", got, want)
	}
	if got, want := string(c.call("getHeader", []any{"s1"})), strings.TrimSpace(aHeader); got != want {
		t.Errorf("getHeader = %s; want %s", got, want)
	}
}

// Setting the file that a handle already refers to resumes at the same leaf.
func TestSetSameSessionFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	c := dial(t, rpcserver.Options{})
	c.open("open", with{"path": path})
	first := c.text("appendMessage", []any{"s1", user("one")})
	c.call("appendMessage", []any{"s1", user("two")})
	c.call("branch", []any{"s1", first})
	c.call("setSessionFile", []any{"s1", path})
	var leaf struct{ ParentID string }
	if raw := c.call("getLeafEntry", []any{"s1"}); json.Unmarshal(raw, &leaf) != nil || leaf.ParentID != first {
		t.Errorf("leaf = %s; want a marker under %s", raw, first)
	}
}
