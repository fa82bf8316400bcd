package rpcserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store/memstore"
)

// Whatever a client sends, Serve ends without an error, and every request has
// one response that is valid JSON.
func FuzzServe(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"version\"}\n\n[1]\n{"))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"inMemory"},{"jsonrpc":"2.0","method":"resetLeaf","params":["s1"]}]`))
	for _, session := range []string{`"method":"inMemory"`, `"method":"create","params":{"cwd":"/p","sessionDir":"d"}`, `"method":"open","params":["f.jsonl"]`} {
		lines := []string{`{"jsonrpc":"2.0","id":0,` + session + `}`}
		for _, step := range steps {
			params := strings.NewReplacer("DIR", "d", "s2", "s1", "s3", "s1").Replace(step.params)
			lines = append(lines, `{"jsonrpc":"2.0","id":"x","method":"`+step.method+`","params":`+params+`}`)
		}
		for _, line := range lines {
			f.Add([]byte(lines[0] + "\n" + line))
		}
		f.Add([]byte(strings.Join(lines, "\n")))
	}
	home := f.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE", "PITH_SESSION_DIR", "PI_CODING_AGENT_DIR"} {
		f.Setenv(name, home)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		o := rpcserver.Options{App: ops.App{Store: memstore.New()}, MaxLine: 1 << 20}
		if err := rpcserver.Serve(context.Background(), bytes.NewReader(input), &out, o); err != nil {
			t.Fatalf("Serve(%q) = %v; want nil", input, err)
		}
		replies := 0
		for line := range bytes.SplitSeq(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n")) {
			if len(line) > 0 && !jsonl.Valid(line) {
				t.Fatalf("Serve(%q) sent %q, which is not JSON", input, line)
			}
			if bytes.Contains(line, []byte(`"code":-32603,`)) && bytes.Contains(line, []byte(`"kind":"internal"`)) {
				t.Fatalf("Serve(%q) sent %q: a fault of ours", input, line)
			}
			if len(line) > 0 && !bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","method":`)) {
				replies++
			}
		}
		if want := wantedReplies(input); replies != want {
			t.Fatalf("Serve(%q) sent %d replies; want %d:\n%s", input, replies, want, out.Bytes())
		}
	})
}

// wantedReplies is how many lines of replies the input asks for.
func wantedReplies(input []byte) (n int) {
	for line := range bytes.SplitSeq(input, []byte("\n")) {
		line = bytes.Trim(line, " \t\r")
		switch {
		case len(line) == 0:
		case line[0] == '[' && jsonl.Valid(line):
			n += batchReplies(line)
		case wantsReply(line):
			n++
		}
	}
	return n
}

// batchReplies is 1, or 0 for a batch of notifications alone.
func batchReplies(line []byte) int {
	empty := true
	for part := range jsonl.Elements(line) {
		empty = false
		if wantsReply(part) {
			return 1
		}
	}
	if empty {
		return 1
	}
	return 0
}

// wantsReply is true for all but a well-formed notification.
func wantsReply(text []byte) bool {
	var m map[string]json.RawMessage
	if json.Unmarshal(text, &m) != nil || m == nil {
		return true
	}
	var version, method string
	if json.Unmarshal(m["jsonrpc"], &version) != nil || version != "2.0" || json.Unmarshal(m["method"], &method) != nil {
		return true
	}
	if _, hasID := m["id"]; hasID || string(m["method"]) == "null" {
		return true
	}
	params := m["params"]
	return len(params) > 0 && params[0] != '{' && params[0] != '[' && params[0] != 'n'
}
