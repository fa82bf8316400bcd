package inspect_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/tests/corpus"
)

const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n"

// open opens a session with that content for reading; nil when it must be refused.
func open(t testing.TB, data []byte) *pith.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		return nil
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// script is a session of lines that are given without id, parent and time, each
// the child of the one before: a, b, c and so on.
func script(t testing.TB, lines ...string) *pith.Session {
	t.Helper()
	var b strings.Builder
	b.WriteString(head)
	parent := "null"
	for i, line := range lines {
		id := `"` + string(rune('a'+i)) + `"`
		b.WriteString(`{"id":` + id + `,"parentId":` + parent + `,"timestamp":"2026-02-03T10:00:0` + string(rune('0'+i%10)) + `.000Z",` + line[1:] + "\n")
		parent = id
	}
	s := open(t, []byte(b.String()))
	if s == nil {
		t.Fatalf("Open refused %s", b.String())
	}
	return s
}

func user(text string) string {
	return `{"type":"message","message":{"role":"user","content":` + quoted(text) + `,"timestamp":1}}`
}

func answer(blocks ...string) string {
	return `{"type":"message","message":{"role":"assistant","content":[` + strings.Join(blocks, ",") +
		`],"provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10,"cost":{"total":0.0000004}},"stopReason":"stop","timestamp":1}}`
}

func says(text string) string { return `{"type":"text","text":` + quoted(text) + `}` }

func calls(id, name, args string) string {
	return `{"type":"toolCall","id":` + quoted(id) + `,"name":` + quoted(name) + `,"arguments":` + args + `}`
}

func result(id, name, text string, failed bool) string {
	is := "false"
	if failed {
		is = "true"
	}
	return `{"type":"message","message":{"role":"toolResult","toolCallId":` + quoted(id) + `,"toolName":` + quoted(name) +
		`,"content":[{"type":"text","text":` + quoted(text) + `}],"isError":` + is + `,"timestamp":1}}`
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func reading(t testing.TB, s *pith.Session, scope inspect.Scope) *inspect.Reading {
	t.Helper()
	r, err := inspect.Open(s, scope)
	if err != nil {
		t.Fatalf("Open(%+v): %v", scope, err)
	}
	return r
}

func turn(t testing.TB, r *inspect.Reading, i int, d inspect.Detail) *inspect.Turn {
	t.Helper()
	x, err := r.Turn(i, d)
	if err != nil {
		t.Fatalf("Turn(%d, %+v): %v", i, d, err)
	}
	return x
}

// A zooFile is a session to try everything on.
type zooFile struct {
	name string
	data []byte
}

// zoo are the odd files, the demo sessions and generated ones. Files that are odd
// by their size alone are left out: see TestNothingIsLost and TestGoldenZoo.
func zoo() []zooFile {
	var out []zooFile
	for _, odd := range corpus.Odd() {
		if len(odd.Bytes) < 256<<10 {
			out = append(out, zooFile{odd.Name, odd.Bytes})
		}
	}
	for _, demo := range corpus.Demos("/sessions") {
		out = append(out, zooFile{"demo " + demo.Name, demo.Bytes})
	}
	for seed := range uint64(4) {
		out = append(out, zooFile{"generated", corpus.Bytes(corpus.Options{
			Seed: seed, Entries: 300, Branches: 5, CompactEvery: 80, Labels: 4, Images: true, Name: "n",
		})})
	}
	return out
}
