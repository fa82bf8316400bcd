package cli_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/corpus"
)

// A command on a path reads the file once, and once more the part that it
// shows: nothing for facts that are not printed. The figures are how many times
// the file may be read; the cache is empty. Bytes are counted, not seconds. A
// copy is read while it is made, not again. A command that adds up all entries
// before it shows the first reads them for that. The view of costs reads the
// path for the calls, and again for the subagent runs.
func TestCommandsReadOnce(t *testing.T) {
	data := corpus.Bytes(corpus.Options{Seed: 5, Bytes: 6_000_000, Branches: 6, Labels: 4, CompactEvery: 150, Name: "counted"})
	dir := t.TempDir()
	file := filepath.Join(dir, "s.jsonl")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	entry := someQuestion(t, file)
	once, andShown, onPath, andPath, whole, andFacts := 1.15, 1.35, 1.5, 1.65, 2.2, 3.3
	for _, tt := range []struct {
		args  string
		times float64
	}{
		{"name FILE", once}, {"name FILE renamed", once}, {"label FILE ENTRY", once}, {"label FILE ENTRY here", once},
		{"branch FILE ENTRY", once}, {"name FILE after the branch", once}, {"append FILE user again", once},
		{"context FILE --json", andShown}, {"show FILE --turns -2", andShown}, {"compact FILE --dry-run", andPath},
		{"fork FILE ENTRY", andPath}, {"clone FILE --at ENTRY", andPath}, {"fork FILE --into DIR", whole},
		{"mark FILE +counted", 0.05},
		{"tree FILE", whole}, {"tree FILE --filter user-only", andShown}, {"tree FILE --filter labeled-only", once},
		{"show FILE --view toc", onPath}, {"show FILE --view costs", 1.85}, {"show FILE --view full --all-branches", andFacts},
		{"show FILE --search nothing", andPath}, {"diff FILE FILE", 2.7}, {"doctor FILE", whole}, {"subagents FILE", onPath},
	} {
		t.Run(tt.args, func(t *testing.T) {
			cache := t.TempDir()
			env := console.System()
			var out, complaints bytes.Buffer
			env.Stdin, env.Stdout, env.Stderr = strings.NewReader(""), &out, &complaints
			env.Cwd = func() (string, error) { return dir, nil }
			t.Setenv("HOME", cache)
			t.Setenv("XDG_CACHE_HOME", "")
			t.Setenv("XDG_DATA_HOME", "")
			t.Setenv("PITH_SESSION_DIR", filepath.Join(cache, "sessions")) // for the library too, which makes the copies
			args := strings.Fields(strings.NewReplacer("FILE", file, "ENTRY", entry, "DIR", cache).Replace(tt.args))
			before := bytesRead(t)
			code := cli.Run(t.Context(), env, args)
			read := bytesRead(t) - before
			if code != 0 && code != 8 {
				t.Fatalf("pith %q = %d: %s", args, code, complaints.String())
			}
			if times := float64(read) / float64(len(data)); times > tt.times {
				t.Errorf("the file was read %.2f times, want at most %.2f", times, tt.times)
			}
		})
	}
}

// someQuestion returns a user message in the first half of a session.
func someQuestion(t *testing.T, file string) string {
	t.Helper()
	s, err := pith.Open(t.Context(), file, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := s.View()
	for i := v.Len() / 3; i < v.Len(); i++ {
		if e := v.At(i); e.Role == format.RoleUser {
			return e.ID
		}
	}
	t.Fatal("nobody asked anything")
	return ""
}

// bytesRead is how many bytes this process has read so far, cache or not.
func bytesRead(t *testing.T) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	if _, err := fmt.Sscanf(string(data), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}
