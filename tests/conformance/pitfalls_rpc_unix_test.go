//go:build unix

package conformance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// serve answers requests, one a line, and returns the results.
func serve(t *testing.T, requests ...string) []json.RawMessage {
	t.Helper()
	var in strings.Builder
	for i, r := range requests {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,%s}`+"\n", i, r)
	}
	out := pithReading(t, in.String(), "rpc")
	if out.code != 0 {
		t.Fatalf("pith rpc ended with %d: %s", out.code, out.stderr)
	}
	var results []json.RawMessage
	for line := range strings.Lines(out.stdout) {
		var reply struct{ Result, Error json.RawMessage }
		if err := json.Unmarshal([]byte(line), &reply); err != nil || reply.Error != nil {
			t.Fatalf("request %d was answered with %s", len(results), line)
		}
		results = append(results, reply.Result)
	}
	return results
}

// Opening, reading, switching and closing over RPC write nothing, and leave the
// files' times alone (pitfalls 3, 36).
func TestServerOnlyReads(t *testing.T) {
	texts := []string{sharedConversation, plainHead + messageLine("aaaa0001", "null", "one")[:90], // torn
		strings.Replace(plainHead, `"version":3`, `"version":2`, 1) + messageLine("aaaa0001", "null", "one")}
	for _, text := range texts {
		one, two := sessionFile(t, text), sessionFile(t, sharedConversation)
		for _, path := range []string{one, two} {
			if err := os.Chtimes(path, day(0), day(0)); err != nil {
				t.Fatal(err)
			}
		}
		serve(t, `"method":"open","params":{"path":"`+one+`"}`, `"method":"getEntries","params":["s1"]`, `"method":"getTree","params":["s1"]`,
			`"method":"buildValidContext","params":["s1"]`, `"method":"setSessionFile","params":["s1","`+two+`"]`, `"method":"getFindings","params":["s1"]`,
			`"method":"setSessionFile","params":["s1","`+one+`"]`, `"method":"refresh","params":["s1"]`, `"method":"close","params":["s1"]`,
			`"method":"list","params":["/home/u/p","`+filepath.Dir(one)+`"]`)
		for path, want := range map[string]string{one: text, two: sharedConversation} {
			info, err := os.Stat(path)
			if err != nil || readFile(t, path) != want || !info.ModTime().Equal(day(0)) {
				t.Errorf("%s changed: %v, %v", path, info.ModTime(), err)
			}
		}
	}
}

// After a fork over RPC the handle refers to the new session in file, ID and
// labels; the previous one is never touched again (pitfalls 125, 139).
func TestServerForksAndSwitches(t *testing.T) {
	path := sessionFile(t, sharedConversation)
	say := `"method":"appendMessage","params":["s1",{"role":"user","content":"mine","timestamp":1770159130000}]`
	results := serve(t, `"method":"open","params":{"path":"`+path+`"}`,
		`"method":"createBranchedSession","params":["s1","aaaa0001"]`, say, `"method":"getSessionFile","params":["s1"]`, `"method":"getLabel","params":["s1","aaaa0001"]`,
		`"method":"newSession","params":["s1"]`, `"method":"getLabel","params":["s1","aaaa0001"]`, say, `"method":"getSessionFile","params":["s1"]`,
		`"method":"setSessionFile","params":["s1","`+path+`"]`, `"method":"getLabel","params":["s1","aaaa0001"]`)
	if got := readFile(t, path); got != sharedConversation {
		t.Errorf("the session before the fork changed: %s", got)
	}
	var fork, fresh string
	if err := errors.Join(json.Unmarshal(results[3], &fork), json.Unmarshal(results[8], &fresh)); err != nil {
		t.Fatal(err)
	}
	if string(results[1]) != string(results[3]) || fork == path || fresh == fork || fresh == path {
		t.Errorf("the files are %s, %s and %s; want three", path, fork, fresh)
	}
	if got := textOf(t, reopen(t, fork)); got != "one mine" {
		t.Errorf("the fork says %q; want one mine", got)
	}
	if got := textOf(t, reopen(t, fresh)); got != "mine" {
		t.Errorf("the new session says %q; want mine", got)
	}
	if got := fmt.Sprintf("%s %s %s", results[4], results[6], results[10]); got != `"mark" null "mark"` {
		t.Errorf(`labels in the fork, in a new session and in the first one are %s; want "mark" null "mark"`, got)
	}
}
