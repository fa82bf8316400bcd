package mcp_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/interop/releases"
)

// desk is the command, the demo sessions, and what a client needs to run it on them.
func desk(t *testing.T) (program, sessions string, env []string) {
	t.Helper()
	dir := t.TempDir()
	program = filepath.Join(dir, "pith")
	build := exec.Command("go", "build", "-o", program, "github.com/pith-sessions/pith/cmd/pith")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released, and compiled already
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	sessions = filepath.Join(dir, "sessions")
	if err := os.Mkdir(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, demo := range corpus.Demos(sessions) {
		file := filepath.Join(sessions, filepath.Base(filepath.FromSlash(demo.Path)))
		if err := os.WriteFile(file, demo.Bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env = append(os.Environ(), "PITH_CACHE_DIR="+filepath.Join(dir, "cache"), "PI_SESSION_ID=none")
	return program, sessions, env
}

func run(t *testing.T, env []string, stdin string, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env, cmd.Stdin = env, strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v\n%s%s", name, args, err, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.Bytes()
}

// The results of the TypeScript SDK, which validates every message.
func TestTypeScriptSDK(t *testing.T) {
	folder := releases.RequirePackage(t, "@modelcontextprotocol/sdk")
	program, sessions, env := desk(t)
	calls := `[{"name":"search","arguments":{"query":"duplicate mails","budget":"900"}},{"name":"sessions","arguments":{}},` +
		`{"name":"read","arguments":{"session":"nobody"}},{"name":"files","arguments":{"path":"src/report.ts"}}]`
	var got struct {
		Server  struct{ Name string }
		Tools   []struct{ Name string }
		Answers []struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	out := run(t, env, calls, "node", "client.mjs", folder, program, "mcp", "--session-dir", sessions)
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got.Server.Name != "pith" || len(got.Tools) != 8 || len(got.Answers) != 4 {
		t.Errorf("the SDK sees %+v", got)
	}
	for i, want := range []string{"duplicate", "sessions\n", "the sessions tool lists them", `"src/report.ts"`} {
		if a := got.Answers[i]; !strings.Contains(a.Content[0].Text, want) || a.IsError != (i == 2) {
			t.Errorf("answer %d = %+v, want %q", i, a, want)
		}
	}
}

// The inspector's command line, as people try a server with it.
func TestInspector(t *testing.T) {
	folder := releases.RequirePackage(t, "@modelcontextprotocol/inspector")
	program, sessions, env := desk(t)
	var manifest struct{ Bin map[string]string }
	raw, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &manifest); err != nil || manifest.Bin["mcp-inspector"] == "" {
		t.Fatalf("package.json names no command: %v", err)
	}
	inspect := func(args ...string) string {
		t.Helper()
		all := append([]string{filepath.Join(folder, filepath.FromSlash(manifest.Bin["mcp-inspector"])), "--cli", program, "mcp", "--session-dir", sessions}, args...)
		return string(run(t, env, "", "node", all...))
	}
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"--method", "tools/list"}, `"name": "search"`},
		{[]string{"--method", "tools/call", "--tool-name", "search", "--tool-arg", "query=duplicate mails", "--tool-arg", "budget=700"}, "duplicate"},
	}
	for _, tt := range tests {
		if got := inspect(tt.args...); !strings.Contains(got, tt.want) {
			t.Errorf("inspector %q lacks %q:\n%s", tt.args, tt.want, got)
		}
	}
}
