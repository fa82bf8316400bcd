package rpcserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

// keeping are the methods that the tests of this file call.
var keeping = []string{"deleteSession", "listTrash", "restoreSession", "purgeSession", "getMarks", "setMarks", "estimateTokens",
	"getUserMessagesForForking", "getLatestCompactionEntry", "cycleModel"}

// Whole sessions can be marked, deleted and brought back.
func TestKeeping(t *testing.T) {
	dir, own := t.TempDir(), t.TempDir()
	open := func() (*marks.Collection, error) { return marks.Open(filepath.Join(own, "state")) }
	c := dial(t, rpcserver.Options{App: ops.App{Dir: dir, Marks: open, Trash: func() (trash.Options, error) { return trash.Options{Dir: filepath.Join(own, "trash")}, nil }}})
	h := c.open("create", with{"cwd": t.TempDir()})
	c.call("appendMessage", with{"session": h, "message": user("first")})
	c.call("appendMessage", with{"session": h, "message": user("second")})
	var file string
	decode(t, c.call("getSessionFile", with{"session": h}), &file)
	if got := string(c.call("getUserMessagesForForking", with{"session": h})); strings.Count(got, "entryId") != 2 || !strings.Contains(got, `"text":"second"`) {
		t.Errorf("getUserMessagesForForking = %s", got)
	}
	if got := string(c.call("getLatestCompactionEntry", with{"session": h})); got != "null" {
		t.Errorf("getLatestCompactionEntry of a session without one = %s", got)
	}
	var leaf string
	decode(t, c.call("getLeafId", with{"session": h}), &leaf)
	c.call("appendCompaction", with{"session": h, "summary": "so far", "firstKeptEntryId": leaf, "tokensBefore": 9})
	c.call("appendMessage", with{"session": h, "message": user("third")})
	if got := string(c.call("getLatestCompactionEntry", with{"session": h})); !strings.Contains(got, `"summary":"so far"`) {
		t.Errorf("getLatestCompactionEntry = %s", got)
	}
	if got := string(c.call("estimateTokens", with{"message": json.RawMessage(`{"role":"user","content":"12345678"}`)})); got != "2" {
		t.Errorf("estimateTokens of eight letters = %s, want 2", got)
	}
	c.call("close", with{"session": h})

	if got := string(c.call("setMarks", with{"path": file, "pinned": true, "tags": []string{"b", "a"}})); got != `{"pinned":true,"archived":false,"tags":["a","b"]}` {
		t.Errorf("setMarks = %s", got)
	}
	c.call("setMarks", with{"path": file, "archived": true})
	if got := string(c.call("getMarks", with{"path": file})); got != `{"pinned":true,"archived":true,"tags":["a","b"]}` {
		t.Errorf("getMarks = %s", got)
	}
	var item struct{ ID string }
	decode(t, c.call("deleteSession", with{"path": file}), &item)
	if _, err := os.Stat(file); err == nil || item.ID == "" {
		t.Errorf("after deleteSession the file is still there, as item %q", item.ID)
	}
	if got := string(c.call("listTrash", with{})); !strings.Contains(got, item.ID) {
		t.Errorf("listTrash = %s", got)
	}
	if got := string(c.call("restoreSession", with{"id": item.ID})); !strings.Contains(got, filepath.Base(file)) {
		t.Errorf("restoreSession = %s", got)
	}
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	decode(t, c.call("deleteSession", with{"path": link}), &item)
	if _, err := os.Stat(file); err == nil {
		t.Error("deleteSession of a symbolic link leaves the session")
	}
	if _, err := os.Lstat(link); err != nil {
		t.Errorf("deleteSession of a symbolic link takes the link: %v; want it to work again after restoreSession", err)
	}
	c.call("purgeSession", with{"id": item.ID})
	if got := string(c.call("listTrash", with{})); got != "[]" {
		t.Errorf("listTrash after purgeSession = %s", got)
	}
	if failed := c.fail("purgeSession", with{"id": item.ID}); failed.Data["kind"] != "notFound" {
		t.Errorf("purgeSession of what is gone = %v", failed)
	}
}

// Lines that pi could not read or branch are rejected, and follow reads the
// file again.
func TestRefusedLines(t *testing.T) {
	c := dial(t, rpcserver.Options{App: ops.App{Dir: t.TempDir()}})
	h := c.open("create", with{"cwd": t.TempDir()})
	var first string
	decode(t, c.call("appendMessage", with{"session": h, "message": user("first")}), &first)
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	for name, line := range map[string]string{
		"not UTF-8":                 `{"jsonrpc":"2.0","id":71,"method":"appendMessage","params":{"session":"` + h + `","message":{"role":"user","content":"a` + "\xff" + `","timestamp":1}}}`,
		"10000 deep":                `{"jsonrpc":"2.0","id":72,"method":"appendMessage","params":{"session":"` + h + `","message":{"role":"user","content":"a","x":` + deep + `,"timestamp":1}}}`,
		"content that is an object": `{"jsonrpc":"2.0","id":73,"method":"appendMessage","params":{"session":"` + h + `","message":{"role":"user","content":{"text":"a"},"timestamp":1}}}`,
		"a block that is null":      `{"jsonrpc":"2.0","id":74,"method":"appendMessage","params":{"session":"` + h + `","message":{"role":"assistant","content":[null],"timestamp":1}}}`,
		"a replacement by a number": `{"jsonrpc":"2.0","id":75,"method":"appendContextEdit","params":{"session":"` + h + `","targetId":"` + first + `","replacement":{"content":7}}}`,
	} {
		c.send(line)
		if got := c.receive(); !strings.Contains(got, `"error"`) {
			t.Errorf("a line that is %s is answered with %.200s", name, got)
		}
	}
	var file string
	decode(t, c.call("getSessionFile", with{"session": h}), &file)
	other := c.open("open", with{"path": file})
	c.call("appendMessage", with{"session": other, "message": user("by another")})
	c.call("follow", with{"session": h})
	if got := string(c.call("getEntries", with{"session": h})); !strings.Contains(got, "by another") {
		t.Errorf("after follow the entries are %s", got)
	}
}

// The models that can be used follow each other in a circle.
func TestCycleModel(t *testing.T) {
	p := meet(t)
	var first, second, third struct{ Model struct{ Provider string } }
	decode(t, p.call("cycleModel", p.session1()), &first)
	decode(t, p.call("cycleModel", p.session1()), &second)
	decode(t, p.call("cycleModel", p.with(with{"direction": "backward"})), &third)
	if first.Model.Provider == "" || first == second || third != first {
		t.Errorf("cycleModel = %+v, then %+v, and back %+v; want two models in turn", first, second, third)
	}
}

// A read-only server still answers queries.
func TestReadOnlyServer(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "a.jsonl", aHeader+anEntry)
	c := dial(t, rpcserver.Options{App: ops.App{Dir: dir, ReadOnly: true}})
	var opened struct{ Session string }
	decode(t, c.call("open", with{"path": file}), &opened)
	for method, params := range map[string]with{
		"getMarks": {"path": file}, "estimateTokens": {"message": with{"role": "user", "content": "hello"}},
		"getUserMessagesForForking": {"session": opened.Session}, "getLatestCompactionEntry": {"session": opened.Session},
	} {
		c.call(method, params)
	}
	for method, params := range map[string]with{
		"deleteSession": {"path": file}, "setMarks": {"path": file, "pinned": true}, "create": {"cwd": "/p"},
		"appendSessionInfo": {"session": opened.Session, "name": "x"},
	} {
		if failed := c.fail(method, params); failed.Data["kind"] != "readOnly" {
			t.Errorf("%s = %v; want the kind readOnly", method, failed)
		}
	}
}
