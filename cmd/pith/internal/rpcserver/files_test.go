package rpcserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// The files of a session.
func TestFilesOfASession(t *testing.T) {
	dir, cwd := t.TempDir(), t.TempDir()
	c := dial(t, rpcserver.Options{App: ops.App{Dir: dir}})
	h := c.open("create", with{"cwd": cwd})
	c.call("appendMessage", with{"session": h, "message": user("Greet the ocelot")})
	add := func(id, tool, arguments string) (result string) {
		c.call("appendMessage", with{"session": h, "message": json.RawMessage(`{"role":"assistant","content":[{"type":"toolCall","id":"` + id + `","name":"` + tool + `","arguments":` + arguments + `}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":1}`)})
		raw := c.call("appendMessage", with{"session": h, "message": json.RawMessage(`{"role":"toolResult","toolCallId":"` + id + `","toolName":"` + tool + `","isError":false,"content":[{"type":"text","text":"ok"}],"timestamp":1}`)})
		if err := json.Unmarshal(raw, &result); err != nil {
			t.Fatal(err)
		}
		return result
	}
	add("c1", "write", `{"path":"a.txt","content":"hello dear ocelot of the woods\n"}`)
	add("c2", "edit", `{"path":"a.txt","edits":[{"oldText":"hello dear","newText":"good morning"}]}`)
	if err := os.WriteFile(filepath.Join(cwd, "a.txt"), []byte("good morning ocelot of the woods\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var file string
	if err := json.Unmarshal(c.call("getSessionFile", with{"session": h}), &file); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		method string
		params with
		want   []string
	}{
		{"files", with{"session": file}, []string{`"file":"a.txt"`, `"kind":"written"`, `"kind":"edited"`, `"request":"Greet the ocelot"`}},
	}
	for _, tt := range tests {
		got := string(c.call(tt.method, tt.params))
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s(%v) = %s; want %s in it", tt.method, tt.params, got, want)
			}
		}
	}
	if _, failed := c.try("export", with{"path": file, "format": "atif", "allBranches": true}); failed == nil || failed.Data["kind"] != "invalidParams" {
		t.Errorf("export of all branches as a trajectory: %v; want a failure of kind invalidParams", failed)
	}
}
