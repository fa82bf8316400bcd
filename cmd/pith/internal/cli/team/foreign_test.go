package team_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Sessions of other agents are pushed as they are read, redacted like all others, and
// again when they grow. Whoever may read them sees the agent, cannot write, and
// can import them.
func TestPushOfOtherAgents(t *testing.T) {
	ana, bob := newTeam(t)
	mine, theirs := newDesk(t, ana, "laptop"), newDesk(t, bob, "desk")
	dir := filepath.Join(mine.home, ".claude", "projects", "-p")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	const id, secret = "c1a0de00-0000-4000-8000-000000000001", "AKIAQ3EGRT5ZJ7WXPM4D"
	lines := []string{
		`{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","cwd":"/p","version":"2.1.325","message":{"role":"user","content":"fix the parser"}}`,
		`{"type":"assistant","uuid":"a1","parentUuid":"u1","timestamp":"2026-11-17T01:49:55.368Z","message":{"id":"m1","role":"assistant","model":"x","content":[{"type":"text","text":"The key is ` + secret + `."}]}}`,
		`{"type":"last-prompt","leafUuid":"u1","explicit":true}`, // from here on the translation ends with another line than the session
		`{"type":"user","uuid":"u2","parentUuid":"a1","timestamp":"2026-11-17T01:49:56.368Z","message":{"role":"user","content":"thank you"}}`,
	}
	for n := 2; n <= len(lines); n++ {
		if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(strings.Join(lines[:n], "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := mine.do("push", "--all", "--redact", "all"); !strings.Contains(out, "pushed 1 session,") {
			t.Errorf("with %d lines: push --all = %s", n, out)
		}
		if out := mine.do("push", "--all", "--redact", "all"); !strings.Contains(out, "1 up to date") {
			t.Errorf("with %d lines: a second push --all = %s", n, out)
		}
	}
	person := regexp.MustCompile(`(?:ana|bob)_\w+`)
	mine.do("team", "grant", id, "--to", person.FindString(bob))
	if out := theirs.do("tree", id); !strings.Contains(out, "thank you") {
		t.Errorf("the end is missing: %s", out)
	}
	if out := theirs.do("show", id); !strings.Contains(out, "agent     Claude Code") {
		t.Errorf("show = %s, want the agent", out)
	}
	for _, args := range [][]string{{"ls", "--all"}, {"search", "parser"}, {"usage"}, {"ls", "--projects"}} {
		code, out, told := theirs.run(append(args, "--source", "claude")...)
		if code != 2 || out != "" || !strings.Contains(told, "--source does not work with a team database") {
			t.Errorf("%s --source claude = %d, %q, %q; want an error, since the database does not record agents", args[0], code, out, told)
		}
	}
	theirs.do("pull", id, "--from", person.FindString(ana))
	if got := theirs.files()[id]; !strings.Contains(got, "The key is ") || strings.Contains(got, secret) {
		t.Errorf("others read the secret, or nothing: %s", got)
	}
	code, _, told := theirs.run("append", id, "more")
	if want := "pith: Claude Code sessions are read-only; import it first: pith import " + id + "\n"; code != 7 || told != want {
		t.Errorf("append = %d, %s; want 7, %s", code, told, want)
	}
	if out := theirs.do("import", id); !strings.Contains(out, "created  fix the parser") {
		t.Errorf("import = %s", out)
	}
}
