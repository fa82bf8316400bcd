package rpcserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// code is the error code of a reply, 0 for a result.
func code(t *testing.T, reply string) int {
	t.Helper()
	var r struct{ Error struct{ Code int } }
	if err := json.Unmarshal([]byte(reply), &r); err != nil {
		t.Fatalf("reply %.200q is not JSON: %v", reply, err)
	}
	return r.Error.Code
}

func TestMessages(t *testing.T) {
	const result = `"result":{"version":"v9","format":3}}`
	tests := map[string]struct {
		line string
		want []string // how each reply begins
	}{
		"request":                     {`{"jsonrpc":"2.0","id":1,"method":"version"}`, []string{`{"jsonrpc":"2.0","id":1,` + result}},
		"text id":                     {`{"jsonrpc":"2.0","id":"a\u0041","method":"version"}`, []string{`{"jsonrpc":"2.0","id":"a\u0041",` + result}},
		"null id":                     {`{"jsonrpc":"2.0","id":null,"method":"version"}`, []string{`{"jsonrpc":"2.0","id":null,` + result}},
		"large id":                    {`{"jsonrpc":"2.0","id":12345678901234567890123,"method":"version"}`, []string{`{"jsonrpc":"2.0","id":12345678901234567890123,` + result}},
		"null params":                 {`{"jsonrpc":"2.0","id":1,"method":"version","params":null}`, []string{`{"jsonrpc":"2.0","id":1,` + result}},
		"array params":                {`{"jsonrpc":"2.0","id":1,"method":"version","params":[1,2]}`, []string{`{"jsonrpc":"2.0","id":1,` + result}},
		"white space and CR":          {" \t{\"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\":\"version\"} \r", []string{`{"jsonrpc":"2.0","id":1,` + result}},
		"U+2028 does not end a line":  {"{\"jsonrpc\":\"2.0\",\"id\":\"\u2028\",\"method\":\"version\"}", []string{"{\"jsonrpc\":\"2.0\",\"id\":\"\u2028\"," + result}}, // pitfall 8
		"notification":                {`{"jsonrpc":"2.0","method":"version"}`, nil},
		"unknown notification":        {`{"jsonrpc":"2.0","method":"nonsense"}`, nil},
		"notification with bad value": {`{"jsonrpc":"2.0","method":"open","params":{"path":1}}`, nil},
		"blank line":                  {"  \r", nil},
		"not JSON":                    {`{"jsonrpc":"2.0",`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`}},
		"two values":                  {`{} {}`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`}},
		"NUL":                         {"\x00", []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`}},
		"a number":                    {`1`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`}},
		"no method":                   {`{"jsonrpc":"2.0","id":7}`, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,`}},
		"no version":                  {`{"id":7,"method":"version"}`, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,`}},
		"wrong version":               {`{"jsonrpc":2.0,"id":7,"method":"version"}`, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,`}},
		"method is a number":          {`{"jsonrpc":"2.0","method":1,"params":"bar"}`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`}},
		"id is an object":             {`{"jsonrpc":"2.0","id":{},"method":"version"}`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`}},
		"params is a string":          {`{"jsonrpc":"2.0","id":7,"method":"version","params":"x"}`, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,`}},
		"unknown method":              {`{"jsonrpc":"2.0","id":7,"method":"foobar"}`, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32601,`}},
		"empty batch":                 {`[]`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`}},
		"batch that is not JSON":      {`[1,`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`}},
		"batch of a number":           {`[1]`, []string{`[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`}},
		"batch of notifications":      {`[{"jsonrpc":"2.0","method":"version"},{"jsonrpc":"2.0","method":"x"}]`, nil},
		"deep nesting":                {strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000), []string{`[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := exchange(t, rpcserver.Options{Version: "v9"}, tt.line)
			if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
				t.Errorf("Serve(%.100q) sent %q; want %q", tt.line, got, tt.want)
			}
		})
	}
}

func TestBatch(t *testing.T) {
	line := `[{"jsonrpc":"2.0","id":1,"method":"inMemory"},
		{"jsonrpc":"2.0","method":"appendSessionInfo","params":["s1","named"]},
		{"foo":"boo"},
		{"jsonrpc":"2.0","id":"l","method":"list","params":{"cwd":"/p","sessionDir":"EMPTY"}},
		{"jsonrpc":"2.0","id":2,"method":"getSessionName","params":["s1"]}]`
	line = strings.ReplaceAll(strings.ReplaceAll(line, "\n", ""), "EMPTY", t.TempDir())
	replies := exchange(t, rpcserver.Options{}, line)
	var got []struct {
		ID     any
		Result any
		Error  struct{ Code int }
	}
	if len(replies) == 0 || json.Unmarshal([]byte(replies[len(replies)-1]), &got) != nil || len(got) != 4 {
		t.Fatalf("batch sent %q; want one array of 4 replies", replies)
	}
	if got[0].ID != 1.0 || got[1].Error.Code != -32600 || got[2].ID != "l" || got[3].Result != "named" {
		t.Errorf("batch = %+v; want the replies to 1, to the bad request, to l and to 2, in this order", got)
	}
}

func TestLongLine(t *testing.T) {
	c := dial(t, rpcserver.Options{})
	c.open("inMemory", with{})
	long := 10_000_000
	if testing.Short() {
		long = 200_000
	}
	text := strings.Repeat("0123456789", long)
	id := c.text("appendMessage", `["s1",{"role":"user","content":"`+text+`"}]`)
	entry := c.call("getEntry", with{"session": "s1", "id": id})
	if !strings.Contains(string(entry), text) {
		t.Errorf("getEntry returned %d bytes without the text of %d bytes", len(entry), len(text))
	}
}

func TestTooLongLineIsSkipped(t *testing.T) {
	got := exchange(t, rpcserver.Options{MaxLine: 100},
		`{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", 200_000)+`"}`, `{"jsonrpc":"2.0","id":2,"method":"methods"}`)
	if len(got) != 2 || code(t, got[0]) != -32700 || code(t, got[1]) != 0 {
		t.Errorf("Serve sent %.200q; want an error -32700 and a result", got)
	}
}

// More listings than run concurrently are all answered before Serve returns.
func TestEndOfInputWaitsForListings(t *testing.T) {
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"listAll","params":{"sessionDir":%q}}`, i, t.TempDir()))
	}
	answered := 0
	for _, reply := range exchange(t, rpcserver.Options{}, lines...) {
		if strings.Contains(reply, `"result":[]`) {
			answered++
		}
	}
	if answered != 40 {
		t.Errorf("%d of 40 listings were answered", answered)
	}
}

func TestPanicIsAnError(t *testing.T) {
	broken := rpcserver.Options{App: ops.App{Now: func() time.Time { panic("no clock") }}}
	got := exchange(t, broken, `{"jsonrpc":"2.0","id":1,"method":"inMemory"}`, `{"jsonrpc":"2.0","id":2,"method":"version"}`)
	slices.SortFunc(got, func(a, b string) int { return strings.Compare(a[:30], b[:30]) }) // sessions do not wait for each other
	if len(got) != 2 || code(t, got[0]) != -32603 || !strings.Contains(got[0], "no clock") || code(t, got[1]) != 0 {
		t.Errorf("Serve sent %.300q; want an error -32603 that says why, and a result", got)
	}
}

type brokenPipe struct{}

var errBroken = errors.New("nobody reads")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

// endless gives one line again and again.
type endless struct{ line string }

func (e endless) Read(p []byte) (int, error) { return copy(p, e.line), nil }

func TestServeEndsWhenNobodyReads(t *testing.T) {
	in := endless{`{"jsonrpc":"2.0","id":1,"method":"version"}` + "\n"}
	if err := rpcserver.Serve(context.Background(), in, brokenPipe{}, rpcserver.Options{}); !errors.Is(err, errBroken) {
		t.Errorf("Serve = %v; want %v", err, errBroken)
	}
}

func TestServeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, _ := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- rpcserver.Serve(ctx, in, io.Discard, rpcserver.Options{}) }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve = %v; want %v", err, context.Canceled)
	}
	_ = in.Close()
}

func TestServeReportsAReadError(t *testing.T) {
	in, w := io.Pipe()
	_ = w.CloseWithError(errBroken)
	if err := rpcserver.Serve(context.Background(), in, io.Discard, rpcserver.Options{}); !errors.Is(err, errBroken) {
		t.Errorf("Serve = %v; want %v", err, errBroken)
	}
}
