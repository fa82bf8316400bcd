package cli_test

import (
	"strings"
	"testing"
)

// A mistyped word gets the nearest command and the nearest session.
func TestUnknownWordSuggests(t *testing.T) {
	dir := sessionsCopy(t)
	d := desk{cwd: dir, env: map[string]string{"HOME": t.TempDir(), "PITH_SESSION_DIR": dir}}
	if code, _, stderr := d.run(t, "name", "talk.jsonl", "serch"); code != 0 {
		t.Fatal(stderr)
	}
	for line, want := range map[string]string{
		"serhc":                `unknown command or session "serhc"; did you mean pith search or pith serch? see pith --help`,
		"nothing-like-it":      `unknown command or session "nothing-like-it"; see pith --help`,
		"forck a b":            `unknown command "forck"; did you mean pith fork? see pith --help`,
		"ls --jsno":            `unknown flag --jsno; did you mean --json? see pith ls --help`,
		"ls --nothing":         `unknown flag --nothing; see pith ls --help`,
		"new extra":            `unexpected argument "extra"; see pith new --help`,
		"team foo":             `unknown command "foo" for pith team (sync, init, status, push, grant, ls, search, usage, show, pull, purge)`,
		"rm":                   `missing SESSION; see pith rm --help`,
		"label talk.jsonl":     `missing ENTRY; see pith label --help`,
		"show --view foo":      `invalid --view "foo": use conversation, toc, full, issues, tools, costs; see pith show --help`,
		"show --budget x":      `invalid --budget "x": not a number; see pith show --help`,
		"ls --since foo":       `invalid since "foo"; use 2026-01-31, 2026-01-31T15:04, 12h, 7d, yesterday or last-week; see pith ls --help`,
		"gc":                   `specify at least one of --older-than, --keep, --empty, --max-total; see pith gc --help`,
		"rm talk.jsonl":        `not a terminal; pass --yes to move 1 session to the trash; see pith rm --help`,
		"team push":            `no team database configured; pass --store, or set PITH_STORE or store in pith's settings; see pith team push --help`,
		"team push --all":      `no team database configured; pass --store, or set PITH_STORE or store in pith's settings; see pith team push --help`,
		"move /a /no/such":     `/no/such does not exist; create it first`,
		"append ./new.jsonl x": `no such session: ./new.jsonl; add --create to start one`,
		"show " + dir:          dir + ` is a directory; pass a session file, or list its sessions with pith ls --all --session-dir ` + dir,
		"show .":               dir + ` is a directory; pass a session file, or list its sessions with pith ls --all --session-dir ` + dir,
	} {
		code, stdout, stderr := d.run(t, strings.Fields(line)...)
		if stderr != "pith: "+want+"\n" || code == 0 || stdout != "" {
			t.Errorf("pith %s = %d\n%s%swant\npith: %s", line, code, stdout, stderr, want)
		}
	}
	code, stdout, stderr := d.run(t, "serch")
	if code != 0 || !strings.Contains(stdout, "talk.jsonl") {
		t.Errorf("pith serch = %d\n%s%swant the session of that name", code, stdout, stderr)
	}
}
