package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/mcpserver"
	"github.com/pith-sessions/pith/sessiondir"
)

// now is when questions are asked in tests.
var now = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// A world is sessions on a disk, of one or more projects.
type world struct {
	t    testing.TB
	dir  string // of the sessions
	home string // a project
	day  int
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return &world{t: t, dir: t.TempDir(), home: t.TempDir()}
}

// id is a session's id that begins like no other.
func id(n int) string { return fmt.Sprintf("019c%04d-aaaa-7000-8000-%012d", n, n) }

// session writes the file of a session, each later than the one before, and returns
// its path.
func (w *world) session(id, cwd, parent string, entries ...string) string {
	w.t.Helper()
	w.day++
	at := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, w.day)
	header := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":%q`, id, stamp(at), cwd)
	if parent != "" {
		header += fmt.Sprintf(`,"parentSession":%q`, parent)
	}
	lines := []string{header + "}"}
	for i, e := range entries {
		lines = append(lines, strings.ReplaceAll(e, "TIME", stamp(at.Add(time.Duration(i+1)*time.Minute))))
	}
	path := filepath.Join(w.dir, strings.NewReplacer(":", "-", ".", "-").Replace(stamp(at))+"_"+id+".jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at.Add(time.Hour)); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }

// chain links entries, each to the one before.
func chain(entries ...string) []string {
	out := make([]string, len(entries))
	for i, e := range entries {
		parent := "null"
		if i > 0 {
			parent = fmt.Sprintf(`"e%d"`, i-1)
		}
		out[i] = strings.NewReplacer("ID", fmt.Sprintf("e%d", i), "PARENT", parent).Replace(e)
	}
	return out
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func user(text string) string { return message("user", `"content":`+quote(text)) }

func answer(text string) string {
	return message("assistant", `"content":[{"type":"text","text":`+quote(text)+`}],"provider":"p","model":"m","stopReason":"stop"`)
}

func toolCall(tool, arguments string) string {
	return message("assistant", fmt.Sprintf(`"content":[{"type":"toolCall","id":"c1","name":%q,"arguments":%s}],"provider":"p","model":"m","stopReason":"toolUse"`, tool, arguments))
}

func result(tool, text string) string {
	return message("toolResult", fmt.Sprintf(`"toolCallId":"c1","toolName":%q,"isError":false,"content":[{"type":"text","text":%s}]`, tool, quote(text)))
}

func message(role, members string) string {
	return fmt.Sprintf(`{"type":"message","id":"ID","parentId":PARENT,"timestamp":"TIME","message":{"role":%q,%s,"timestamp":1}}`, role, members)
}

// options are those of a server over the world.
func (w *world) options() mcpserver.Options {
	var o mcpserver.Options
	o.App.Dir, o.App.Now = w.dir, func() time.Time { return now }
	o.App.Environment = sessiondir.Environment{Getenv: func(string) string { return "" }, Home: w.home}
	return o
}

// indexed adds indexes to options.
func indexed(t testing.TB, o mcpserver.Options) mcpserver.Options {
	t.Helper()
	dir := t.TempDir()
	facts, err := catalog.OpenIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	words, err := search.OpenIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { facts.Close(); words.Close() })
	o.App.Index = func() *catalog.Index { return facts }
	o.App.Words = func() *search.Index { return words }
	if err := words.Fill(t.Context(), search.Build{Catalog: o.App.Listing()}); err != nil {
		t.Fatal(err)
	}
	return o
}

// A client is a client of a server that runs for the length of a test.
type client struct {
	*mcp.ClientSession
	t testing.TB
}

func connect(t testing.TB, o mcpserver.Options) *client {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- mcpserver.Serve(context.Background(), fromClient, toClient, o)
		toClient.Close()
	}()
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		toServer.Close()
		if err := <-done; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
	return &client{s, t}
}

// call calls a tool; failed says that the answer is an error.
func (c *client) call(tool string, arguments map[string]any) (text string, failed bool) {
	c.t.Helper()
	r, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		c.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// ask calls a tool that must not fail.
func (c *client) ask(tool string, arguments map[string]any) string {
	c.t.Helper()
	text, failed := c.call(tool, arguments)
	if failed {
		c.t.Fatalf("%s %v failed: %s", tool, arguments, text)
	}
	return text
}

type with = map[string]any

// has reports texts that an answer lacks, and lacks those that it must not hold.
func has(t testing.TB, answer string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(answer, w) {
			t.Errorf("the answer lacks %q:\n%s", w, answer)
		}
	}
}

func lacks(t testing.TB, answer string, unwanted ...string) {
	t.Helper()
	for _, u := range unwanted {
		if strings.Contains(answer, u) {
			t.Errorf("the answer holds %q:\n%s", u, answer)
		}
	}
}
