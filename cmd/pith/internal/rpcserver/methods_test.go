package rpcserver_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// steps calls every method. In params and results, $0, $1 … are the IDs that
// the entry-making calls returned, DIR is the session directory, TIME any time,
// FILE any path of a session file and ID any session ID.
var steps = []struct{ method, params, want string }{
	{"version", `{}`, `{"version":"v9","format":3}`},
	{"create", `{"cwd":"/p","sessionDir":"DIR","id":"first","unknown":1}`, `{"session":"s1","path":"FILE","id":"first"}`},
	{"isPersisted", `{"session":"s1"}`, `true`},
	{"getLeafId", `{"session":"s1"}`, `null`},
	{"getLeafEntry", `{"session":"s1"}`, `null`},
	{"getTree", `{"session":"s1"}`, `[]`},
	{"getBranch", `{"session":"s1"}`, `[]`},
	{"getSessionName", `{"session":"s1"}`, `null`},
	{"getHeader", `{"session":"s1"}`, `{"type":"session","version":3,"id":"first","timestamp":"TIME","cwd":"/p"}`},
	{"getCwd", `{"session":"s1"}`, `"/p"`},
	{"getSessionDir", `{"session":"s1"}`, `"DIR"`},
	{"getSessionId", `{"session":"s1"}`, `"first"`},
	{"getSessionFile", `{"session":"s1"}`, `"FILE"`},
	{"appendModelChange", `{"session":"s1","provider":"openai","modelId":"gpt-5"}`, `"$0"`},
	{"appendMessage", `{"session":"s1","message":{"role":"user","content":"hi","timestamp":1}}`, `"$1"`},
	{"appendThinkingLevelChange", `["s1","high"]`, `"$2"`},
	{"appendCustomEntry", `{"session":"s1","customType":"x","data":null}`, `"$3"`},
	{"appendCustomEntry", `{"session":"s1","customType":"x"}`, `"$4"`},
	{"appendCustomMessageEntry", `{"session":"s1","customType":"x","content":"note","display":true,"details":{"d":1}}`, `"$5"`},
	{"appendSessionInfo", `{"session":"s1","name":"A name"}`, `"$6"`},
	{"appendLabelChange", `{"session":"s1","targetId":"$1","label":"mark"}`, `"$7"`},
	{"appendUsage", `{"session":"s1","kind":"cache_warm","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"input":0.5,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5}},"note":"n"}`, `"$8"`},
	{"appendContextEdit", `{"session":"s1","targetId":"$1","replacement":{"content":"edited"}}`, `"$9"`},
	{"getEntry", `{"session":"s1","id":"$3"}`, `{"type":"custom","customType":"x","data":null,"id":"$3","parentId":"$2","timestamp":"TIME"}`},
	{"getEntry", `{"session":"s1","id":"$4"}`, `{"type":"custom","customType":"x","id":"$4","parentId":"$3","timestamp":"TIME"}`},
	{"getEntry", `{"session":"s1","id":"nobody"}`, `null`},
	{"getLeafEntry", `{"session":"s1"}`, `{"type":"context_edit","id":"$9","parentId":"$8","timestamp":"TIME","targetId":"$1","replacement":{"content":"edited"}}`},
	{"getLabel", `{"session":"s1","id":"$1"}`, `"mark"`},
	{"getLabel", `{"session":"s1","id":"$2"}`, `null`},
	{"appendSessionInfo", `{"session":"s1","name":"A title","ifUnset":true}`, `null`}, // pitfall 141
	{"getSessionName", `{"session":"s1"}`, `"A name"`},
	{"buildSessionContext", `{"session":"s1"}`, `{"messages":[{"role":"user","content":"edited","timestamp":1},{"role":"custom","customType":"x","content":"note","display":true,"details":{"d":1},"timestamp":MS}],"thinkingLevel":"high","model":{"provider":"openai","modelId":"gpt-5"}}`},
	{"buildSessionContext", `{"session":"s1","leafId":"$1"}`, `{"messages":[{"role":"user","content":"hi","timestamp":1}],"thinkingLevel":"off","model":{"provider":"openai","modelId":"gpt-5"}}`},
	{"buildSessionContext", `{"session":"s1","leafId":null}`, `{"messages":[],"thinkingLevel":"off","model":null}`},
	{"buildValidContext", `{"session":"s1","leafId":"$1"}`, `{"messages":[{"role":"user","content":"hi","timestamp":1}],"thinkingLevel":"off","model":{"provider":"openai","modelId":"gpt-5"},"changes":[],"notes":[]}`},
	{"branch", `{"session":"s1","entryId":"$1"}`, `null`},
	{"getLeafId", `{"session":"s1"}`, `"$1"`},
	{"branchWithSummary", `{"session":"s1","branchFromId":"$0","summary":"left","details":{"a":[]},"fromHook":true}`, `"$10"`},
	{"getLeafEntry", `["s1"]`, `{"type":"branch_summary","id":"$10","parentId":"$0","timestamp":"TIME","fromId":"$1","summary":"left","details":{"a":[]},"fromHook":true}`},
	{"appendCompaction", `["s1","sum","$10",123,null,false]`, `"$11"`},
	{"getBranch", `{"session":"s1"}`, `[{"type":"model_change","id":"$0","parentId":null,"timestamp":"TIME","provider":"openai","modelId":"gpt-5"},{"type":"branch_summary","id":"$10","parentId":"$0","timestamp":"TIME","fromId":"$1","summary":"left","details":{"a":[]},"fromHook":true},{"type":"compaction","id":"$11","parentId":"$10","timestamp":"TIME","summary":"sum","firstKeptEntryId":"$10","tokensBefore":123,"fromHook":false}]`},
	{"getBranch", `{"session":"s1","fromId":"$0"}`, `[{"type":"model_change","id":"$0","parentId":null,"timestamp":"TIME","provider":"openai","modelId":"gpt-5"}]`},
	{"getBranch", `{"session":"s1","fromId":"nobody"}`, `[]`},
	{"getChildren", `{"session":"s1","parentId":null}`, `[{"type":"model_change","id":"$0","parentId":null,"timestamp":"TIME","provider":"openai","modelId":"gpt-5"}]`},
	{"getChildren", `{"session":"s1","parentId":"$11"}`, `[]`},
	{"getChildren", `{"session":"s1","parentId":"nobody"}`, `[]`},
	{"resetLeaf", `{"session":"s1"}`, `null`},
	{"getLeafId", `{"session":"s1"}`, `null`},
	{"appendSessionInfo", `{"session":"s1","name":""}`, `"$12"`},
	{"getSessionName", `{"session":"s1"}`, `null`},
	{"getFindings", `{"session":"s1"}`, `[]`},
	{"refresh", `{"session":"s1"}`, `0`},
	{"follow", `{"session":"s1"}`, `null`},
	{"stay", `{"session":"s1"}`, `null`},
	{"inMemory", `{}`, `{"session":"s2","path":null,"id":"ID"}`},
	{"isPersisted", `{"session":"s2"}`, `false`},
	{"getSessionFile", `{"session":"s2"}`, `null`},
	{"getSessionDir", `{"session":"s2"}`, `""`},
	{"appendMessage", `["s2",{"role":"user","content":"only","timestamp":1}]`, `"$13"`},
	{"appendLabelChange", `["s2","$13","m"]`, `"$14"`},
	{"getEntries", `["s2"]`, `[{"type":"message","id":"$13","parentId":null,"timestamp":"TIME","message":{"role":"user","content":"only","timestamp":1}},{"type":"label","id":"$14","parentId":"$13","timestamp":"TIME","targetId":"$13","label":"m"}]`},
	{"getTree", `["s2"]`, `[{"entry":{"type":"message","id":"$13","parentId":null,"timestamp":"TIME","message":{"role":"user","content":"only","timestamp":1}},"label":"m","labelTimestamp":"TIME","children":[{"entry":{"type":"label","id":"$14","parentId":"$13","timestamp":"TIME","targetId":"$13","label":"m"},"children":[]}]}]`},
	{"appendContextEdit", `["s2","$13",null]`, `"$15"`},
	{"buildSessionContext", `["s2"]`, `{"messages":[],"thinkingLevel":"off","model":null}`},
	{"createBranchedSession", `["s2","$13"]`, `null`},
	{"newSession", `["s2"]`, `null`},
	{"getEntries", `["s2"]`, `[]`},
	{"createBranchedSession", `{"session":"s1","leafId":"$1"}`, `"FILE"`},
	{"getHeader", `{"session":"s1"}`, `{"type":"session","version":3,"id":"ID","timestamp":"TIME","cwd":"/p","parentSession":"FILE"}`},
	{"newSession", `{"session":"s1","options":{"parentSession":"up.jsonl"}}`, `"FILE"`},
	{"getHeader", `{"session":"s1"}`, `{"type":"session","version":3,"id":"ID","timestamp":"TIME","cwd":"/p","parentSession":"up.jsonl"}`},
	{"setSessionFile", `{"session":"s1","sessionFile":"DIR/own.jsonl"}`, `null`},
	{"getSessionFile", `{"session":"s1"}`, `"DIR/own.jsonl"`},
	{"getCwd", `{"session":"s1"}`, `"/p"`},
	{"appendMessage", `["s1",{"role":"user","content":"own","timestamp":1769904172710}]`, `"$16"`},
	{"open", `{"path":"DIR/own.jsonl","cwdOverride":"/q"}`, `{"session":"s3","path":"DIR/own.jsonl","id":"ID"}`},
	{"getCwd", `["s3"]`, `"/q"`},
	{"close", `{"session":"s3"}`, `null`},
	{"forkFrom", `{"sourcePath":"DIR/own.jsonl","targetCwd":"/fork","sessionDir":"DIR"}`, `{"session":"s4","path":"FILE","id":"ID"}`},
	{"getEntries", `["s4"]`, `[{"type":"message","id":"$16","parentId":null,"timestamp":"TIME","message":{"role":"user","content":"own","timestamp":1769904172710}}]`},
	{"list", `{"cwd":"/fork","sessionDir":"DIR"}`, `[{"path":"FILE","id":"ID","name":null,"cwd":"/fork","parentSessionPath":"DIR/own.jsonl","created":"TIME","modified":"TIME","messageCount":1,"firstMessage":"own","size":SIZE,"version":3,"source":"custom","internal":false,"entries":1,"findings":0,"model":null,"status":"pending","branches":1,"allMessagesText":"own","project":"/fork","missing":true,"tokens":0,"costMicros":0,"children":[],"pinned":false,"archived":false,"tags":[]}]`},
	{"continueRecent", `{"cwd":"/fork","sessionDir":"DIR","onConflict":"refuse"}`, `{"session":"s5","path":"FILE","id":"ID"}`},
	{"getLeafId", `["s5"]`, `"$16"`},
	{"resolve", `{"reference":"first","sessionDir":"DIR"}`, `{"path":"FILE","id":"first","name":null,"cwd":"/p","parentSessionPath":null,"created":"TIME","modified":"TIME","messageCount":1,"firstMessage":"hi","size":SIZE,"version":3,"source":"","internal":false,"entries":13,"findings":0,"model":"openai/gpt-5","status":"empty","branches":3,"allMessagesText":"hi","project":"/p","missing":true,"tokens":10,"costMicros":500000,"children":[],"pinned":false,"archived":false,"tags":[]}`},
}

var (
	anyTime = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	anyMS   = regexp.MustCompile(`"timestamp":\d{13}\}\],"think`)
	anySize = regexp.MustCompile(`"size":\d+`) // it depends on the length of the parent's path
	anyUUID = regexp.MustCompile(`"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"`)
)

func TestEveryMethod(t *testing.T) {
	dir := t.TempDir()
	anyFile := regexp.MustCompile(`"` + regexp.QuoteMeta(dir) + `/\d{4}-[^"/]*_[^"/]*\.jsonl"`)
	c := dial(t, rpcserver.Options{Version: "v9"})
	var ids []string
	called := map[string]bool{"methods": true, "listAll": true}
	for i, step := range steps {
		called[step.method] = true
		params := strings.ReplaceAll(step.params, "DIR", dir)
		for k := len(ids) - 1; k >= 0; k-- {
			params = strings.ReplaceAll(params, fmt.Sprintf("$%d\"", k), ids[k]+`"`)
		}
		got := string(c.call(step.method, params))
		if step.want == fmt.Sprintf(`"$%d"`, len(ids)) {
			ids = append(ids, strings.Trim(got, `"`))
		}
		for k := len(ids) - 1; k >= 0; k-- {
			got = strings.ReplaceAll(got, `"`+ids[k]+`"`, fmt.Sprintf(`"$%d"`, k))
		}
		got = anyFile.ReplaceAllString(got, `"FILE"`)
		got = anySize.ReplaceAllString(got, `"size":SIZE`)
		got = anyMS.ReplaceAllString(got, `"timestamp":MS}],"think`)
		got = anyUUID.ReplaceAllString(anyTime.ReplaceAllString(got, "TIME"), `"ID"`)
		if got = strings.ReplaceAll(got, dir, "DIR"); got != step.want {
			t.Fatalf("step %d: %s(%s) =\n%s\nwant\n%s", i, step.method, step.params, got, step.want)
		}
	}
	for _, name := range methodNames(c) {
		if !called[name] && !slices.Contains(conversing, name) && !slices.Contains(past, name) && !slices.Contains(sharing, name) && !slices.Contains(keeping, name) {
			t.Errorf("method %s was not called", name)
		}
	}
}

// conversing are the methods of a conversation, which have tests of their own.
var conversing = []string{
	"abort", "clearQueue", "clone", "compact", "configure", "continue", "followUp", "fork", "getAvailableModels", "getSessionStats", "getState",
	"navigateTree", "prompt", "stream", "setHooks", "setModel", "setThinkingLevel", "steer", "switchSession",
}

func methodNames(c *client) (names []string) {
	c.t.Helper()
	if err := json.Unmarshal(c.call("methods", with{}), &names); err != nil || len(names) == 0 {
		c.t.Fatalf("methods = %q, %v", names, err)
	}
	return names
}

func TestListAllTellsProgress(t *testing.T) {
	dir := t.TempDir()
	c := dial(t, rpcserver.Options{App: ops.App{Dir: dir, Now: func() time.Time { return time.UnixMilli(1769904172710) }}})
	for i := range 3 {
		s := c.open("create", with{"cwd": "/p", "id": fmt.Sprint("n", i)})
		c.call("appendMessage", with{"session": s, "message": user("hello")})
	}
	var infos []map[string]any
	if raw := c.call("listAll", with{}); json.Unmarshal(raw, &infos) != nil || len(infos) != 3 {
		t.Fatalf("listAll = %s; want 3 sessions", raw)
	}
	if infos[0]["allMessagesText"] != "hello" || infos[0]["messageCount"] != 1.0 {
		t.Errorf("listAll()[0] = %v; want one message hello", infos[0])
	}
	want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"progress","params":{"request":%d,"done":3,"total":3}}`, c.lastID)
	if len(c.told) == 0 || c.told[len(c.told)-1] != want {
		t.Errorf("listAll told %q; want it to end with %s", c.told, want)
	}
	c.told = nil
	c.send(`{"jsonrpc":"2.0","method":"listAll"}`) // a notification gets no progress
	c.call("version", with{})
	c.hangUp()
	if len(c.told) != 0 {
		t.Errorf("a notification told %q; want nothing", c.told)
	}
}

// Closing, and the end of the input, record a leaf that was moved.
func TestEndRecordsLeaves(t *testing.T) {
	tests := map[string]func(*client, string){
		"close":        func(c *client, s string) { c.call("close", with{"session": s}) },
		"end of input": func(c *client, _ string) { c.hangUp() },
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			c := dial(t, rpcserver.Options{})
			s := c.open("open", with{"path": path})
			first := c.text("appendMessage", with{"session": s, "message": user("one")})
			c.call("appendMessage", with{"session": s, "message": user("two")})
			c.call("branch", with{"session": s, "entryId": first})
			end(c, s)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(string(data)), "\n")
			if last := lines[len(lines)-1]; len(lines) != 4 || !strings.Contains(last, `"pith/leaf"`) || !strings.Contains(last, first) {
				t.Errorf("file has %d lines, the last %s; want 4 and a leaf marker under %s", len(lines), last, first)
			}
		})
	}
}
