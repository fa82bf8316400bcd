//go:build unix

package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/pgtest"
)

// T11: the app on a team's sessions in a real terminal. When the server goes
// away the screen stays and reports it, sessions can be opened as they were,
// and when it is back the app continues.
func TestTerminalTeam(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	home, cwd, dir := project(t)
	file := filepath.Join(dir, "one.jsonl")
	writeFile(t, file, []byte(plainHead+messageLine("aaaa0001", "null", "words for the team")), 0o600)
	m := newTerminal(t, home, cwd, 100, 30)
	m.runs("export PITH_STORE='" + server.DSN() + "' PITH_MACHINE=laptop; pith team init && pith push --all")
	m.sees("pushed 1 session")
	m.runs("clear; pith")
	m.sees("Resume Session (All)")
	m.sees("words for the team")

	server.Crash()
	m.sees("cannot connect to the team database")
	m.sees("words for the team")
	m.then("reading", "Enter")
	m.sees("words for the team")
	server.Start(t)
	m.sees("connected to the team database again")

	appendText(t, file, messageLine("aaaa0002", "aaaa0001", "said afterwards"))
	push := exec.Command(filepath.Join(strings.Split(m.path, ":")[0], "pith"), "push", "--all")
	push.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME=", "XDG_CACHE_HOME=", "XDG_DATA_HOME=", "PITH_STORE="+server.DSN(), "PITH_MACHINE=laptop")
	if out, err := push.CombinedOutput(); err != nil {
		t.Fatalf("pith push: %v: %s", err, out)
	}
	m.sees("said afterwards")
}
