package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/goroutineleaks"
)

func TestMain(m *testing.M) { goroutineleaks.Main(m) }

// start is when the sessions of the tests begin.
var start = time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)

// minute is a time, in minutes after start.
func minute(n int) time.Time { return start.Add(time.Duration(n) * time.Minute) }

// header is the first line of a session; more is put before its last brace.
func header(id, cwd string, more ...string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":%q%s}`,
		id, format.FormatTime(start), cwd, strings.Join(more, ""))
}

// message is a line with a message of the given role and content, both its
// times that many minutes after start.
func message(role, content string, at int) string {
	return fmt.Sprintf(`{"type":"message","id":"%08x","parentId":null,"timestamp":%q,"message":{"role":%q,"content":%s,"timestamp":%d}}`,
		at, format.FormatTime(minute(at)), role, content, minute(at).UnixMilli())
}

// name is a line that names the session.
func name(name string, at int) string {
	return fmt.Sprintf(`{"type":"session_info","id":"%08x","parentId":null,"timestamp":%q,"name":%q}`, at, format.FormatTime(minute(at)), name)
}

// session is the text of a file with these lines.
func session(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// simple is a session in which a question and an answer were said.
func simple(id, cwd string, at int) string {
	return session(header(id, cwd), message("user", `"question"`, at-1), message("assistant", `[{"type":"text","text":"answer"}]`, at))
}

// write writes a file and its parent directories.
func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// symlink makes a link, or skips the test where the system has none.
func symlink(t testing.TB, target, link string) {
	t.Helper()
	if err := os.Symlink(target, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
}

// isolated returns options that see none of the user's own sessions: the home
// directory is empty, and the environment has only these variables.
func isolated(t testing.TB, env map[string]string) catalog.Options {
	t.Helper()
	return catalog.Options{Home: realTempDir(t), Getenv: func(name string) string { return env[name] }}
}

// realTempDir returns a temporary directory whose path contains no links.
func realTempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// piFolder returns pi's session directory of a project below a home directory.
func piFolder(home, cwd string) string {
	return filepath.Join(home, ".pi", "agent", "sessions", format.ProjectDir(cwd))
}

// ids are the ids of sessions in their order.
func ids(infos []catalog.Info) string {
	var out []string
	for _, i := range infos {
		out = append(out, i.ID)
	}
	return strings.Join(out, " ")
}
