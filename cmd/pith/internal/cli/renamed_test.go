package cli_test

import (
	"strings"
	"testing"
)

// Old names of flags and commands do the same as the new ones, and help shows the new
// ones alone.
func TestOldNamesWork(t *testing.T) {
	for old, now := range map[string]string{
		"show talk.jsonl --leaf aa000009":                            "show talk.jsonl --at aa000009",
		"show talk.jsonl --max-content 5":                            "show talk.jsonl --max-chars 5",
		"show talk.jsonl --raw":                                      "show talk.jsonl --view raw",
		"show talk.jsonl --view toc --format json":                   "show talk.jsonl --view toc --json",
		"show talk.jsonl --run aa000009":                             "show talk.jsonl --subagent aa000009",
		"subagents talk.jsonl --leaf aa000002":                       "subagents talk.jsonl --at aa000002",
		"context compacted.jsonl --valid":                            "context compacted.jsonl --repair",
		"export talk.jsonl --leaf aa000002 --yes -o - --format md":   "export talk.jsonl --at aa000002 --yes -o - --format md",
		"export talk.jsonl --yes -o - --format md --names":           "export talk.jsonl --yes -o - --format md --redact-identity",
		"export talk.jsonl --yes -o talk.jsonl --force":              "export talk.jsonl --yes -o talk.jsonl --overwrite",
		"secrets talk.jsonl --names":                                 "secrets talk.jsonl --identity",
		"ls --all --json --whole":                                    "ls --all --json --full",
		"ls --all -n 2":                                              "ls --all --limit 2",
		"search the -n 1":                                            "search the --limit 1",
		"gc --max-size 1KB --named":                                  "gc --max-total 1KB --include-named",
		"compact talk.jsonl --dry-run --keep 5 --summarizer extract": "compact talk.jsonl -n --keep-tokens 5 --summarizer no-model",
		"compact talk.jsonl -n --keep 5 --summarizer none":           "compact talk.jsonl -n --keep-tokens 5 --summarizer no-model",
		"sync --every 1ms":                                           "sync --interval 1ms",
		"pull --all --project /nowhere":                              "pull --all --into /nowhere",
		"goto talk.jsonl":                                            "branch talk.jsonl",
		"--force branch talk.jsonl aa000002":                         "--ignore-open branch talk.jsonl aa000002",
		"branch talk.jsonl aa000002 --force":                         "branch talk.jsonl aa000002 --ignore-open",
	} {
		run := func(line string) (int, string, string) {
			dir := sessionsCopy(t)
			d := desk{cwd: dir, env: map[string]string{"HOME": t.TempDir(), "PITH_SESSION_DIR": dir}}
			code, stdout, stderr := d.run(t, strings.Fields(line)...)
			return code, strings.ReplaceAll(stdout, dir, "DIR"), strings.ReplaceAll(stderr, dir, "DIR")
		}
		oldCode, oldOut, oldErr := run(old)
		code, out, errs := run(now)
		if oldCode != code || oldOut != out || oldErr != errs {
			t.Errorf("pith %s = %d\n%s%spith %s = %d\n%s%s", old, oldCode, oldOut, oldErr, now, code, out, errs)
		}
		if strings.Contains(errs, "unknown flag") || strings.Contains(errs, "unknown command") {
			t.Errorf("pith %s: %s", now, errs)
		}
	}
	shown := map[string]string{
		"show": "--leaf --max-content --raw --run --rest", "subagents": "--leaf", "context": "--valid", "export": "--leaf --names --force",
		"secrets": "--names", "ls": "--whole -n,", "search": "-n,", "gc": "--max-size --named", "compact": "--keep\x20",
		"sync": "--every", "pull": "--project",
	}
	for command, words := range shown {
		d := desk{}
		_, help, _ := d.run(t, command, "--help")
		for _, word := range strings.Fields(words) {
			if strings.Contains(help, word+" ") {
				t.Errorf("help of %s shows %s:\n%s", command, word, help)
			}
		}
	}
}

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
		"forck a b":            `unknown command "forck"; did you mean fork? see pith --help`,
		"ls --jsno":            `unknown flag --jsno; did you mean --json? see pith ls --help`,
		"ls --nothing":         `unknown flag --nothing; see pith ls --help`,
		"ls extra":             `unexpected argument "extra"; see pith ls --help`,
		"team foo":             `unknown command "foo" for pith team (init, status, grant, purge)`,
		"rm":                   `missing SESSION; see pith rm --help`,
		"label talk.jsonl":     `missing ENTRY; see pith label --help`,
		"show --view foo":      `invalid --view "foo": use conversation, toc, turn, issues, overview, full, tools, costs, subagents, files, raw; see pith show --help`,
		"show --last x":        `invalid --last "x": not a number; see pith show --help`,
		"ls --since foo":       `invalid --since "foo": use 2026-01-31, 2026-01-31T15:04, 12h, 7d, yesterday or last-week; see pith ls --help`,
		"gc":                   `specify at least one of --older-than, --keep, --empty, --max-total; see pith gc --help`,
		"rm talk.jsonl":        `not a terminal; pass --yes to move 1 session to the trash; see pith rm --help`,
		"push":                 `no team database configured; pass --store or set PITH_STORE; see pith push --help`,
		"push --all":           `no team database configured; pass --store or set PITH_STORE; see pith push --help`,
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
