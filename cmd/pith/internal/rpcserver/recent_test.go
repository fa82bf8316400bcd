package rpcserver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// continueRecent opens the session that resolve finds for @: the newest of the
// project over all roots.
func TestContinueRecentLooksInAllRoots(t *testing.T) {
	home, cwd := t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"HOME": home, "USERPROFILE": home, "PITH_SESSION_DIR": "", "PI_CODING_AGENT_DIR": "",
		"PI_CODING_AGENT_SESSION_DIR": "", "PI_SESSIONS_DIR": "", "ATOMIC_CODING_AGENT_DIR": "", "ATOMIC_CODING_AGENT_SESSION_DIR": ""} {
		t.Setenv(name, value)
	}
	folder := "--" + strings.ReplaceAll(strings.Trim(cwd, "/"), "/", "-") + "--"
	var paths []string
	for _, s := range []struct{ root, day string }{{".pi", "01"}, {".atomic", "02"}} {
		at := "2026-03-" + s.day + "T10:00:00.000Z"
		dir := filepath.Join(home, s.root, "agent", "sessions", folder)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		header, err := json.Marshal(map[string]any{"type": "session", "version": 3, "id": "session-" + s.day, "timestamp": at, "cwd": cwd})
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, write(t, dir, "2026-03-"+s.day+"T10-00-00-000Z_session-"+s.day+".jsonl", string(header)+"\n"+
			`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"`+at+`","message":{"role":"user","content":"hi","timestamp":17723592`+s.day+`000}}`+"\n"))
	}
	c := dial(t, rpcserver.Options{})
	var found struct{ Path string }
	decode(t, c.call("resolve", with{"reference": "@", "cwd": cwd}), &found)
	var opened struct{ Path string }
	decode(t, c.call("continueRecent", with{"cwd": cwd}), &opened)
	if found.Path != paths[1] || opened.Path != found.Path {
		t.Errorf("continueRecent opened %s, and @ is %s; want %s", opened.Path, found.Path, paths[1])
	}
}

// An empty file is the same session each time it is opened.
func TestOpenOfAnEmptyFileKeepsItsID(t *testing.T) {
	path := write(t, t.TempDir(), "empty.jsonl", "")
	var ids []string
	for range 3 {
		c := dial(t, rpcserver.Options{})
		var opened struct{ ID string }
		decode(t, c.call("open", with{"path": path}), &opened)
		ids = append(ids, opened.ID)
		c.hangUp()
	}
	if ids[0] == "" || ids[0] != ids[1] || ids[1] != ids[2] {
		t.Errorf("the ids of an empty file are %q; want one", ids)
	}
	other := write(t, t.TempDir(), "empty.jsonl", "")
	c := dial(t, rpcserver.Options{})
	var opened struct{ Session, ID string }
	decode(t, c.call("open", with{"path": other}), &opened)
	if opened.ID == ids[0] {
		t.Errorf("two empty files have the id %s", opened.ID)
	}
	c.call("appendMessage", []any{opened.Session, user("hi")})
	if data, err := os.ReadFile(other); err != nil || !strings.Contains(string(data), opened.ID) {
		t.Errorf("the file is %q (%v); want the id %s in its header", data, err, opened.ID)
	}
}
