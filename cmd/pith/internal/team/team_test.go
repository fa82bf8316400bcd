package team_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/tests/pgtest"
)

func TestMain(m *testing.M) {
	if command := os.Getenv(commandVariable); command != "" {
		os.Args = append([]string{"pith"}, strings.Fields(command)...)
		os.Exit(cli.Main())
	}
	os.Exit(pgtest.Main(m))
}

// A desk is a person at a machine.
type desk struct {
	t     *testing.T
	home  string
	cwd   string
	env   map[string]string
	stdin string

	terminal bool
}

// newDesk returns a machine with a home directory, for the user of a database.
func newDesk(t *testing.T, dsn, machine string) *desk {
	t.Helper()
	home := t.TempDir()
	return &desk{t: t, home: home, cwd: t.TempDir(), env: map[string]string{"HOME": home, "PITH_STORE": dsn, "PITH_MACHINE": machine, "XDG_DATA_HOME": filepath.Join(home, "data"),
		"XDG_STATE_HOME": filepath.Join(home, "state"), "XDG_CACHE_HOME": filepath.Join(home, "cache")}}
}

// run runs a command and returns its exit code and what it printed.
func (d *desk) run(args ...string) (code int, stdout, stderr string) {
	d.t.Helper()
	var out, told strings.Builder
	code = cli.Run(d.t.Context(), d.world(&out, &told), args)
	return code, out.String(), told.String()
}

// world is what a command sees of the machine.
func (d *desk) world(out, told io.Writer) console.Env {
	return console.Env{
		Stdin: strings.NewReader(d.stdin), Stdout: out, Stderr: told,
		Getenv:     func(name string) string { return d.env[name] },
		Cwd:        func() (string, error) { return d.cwd, nil },
		Now:        func() time.Time { return time.Date(2026, 2, 4, 10, 0, 0, 0, time.UTC) },
		IsTerminal: func(any) bool { return d.terminal },
		Width:      func() int { return 0 },
	}
}

// do runs a command that must succeed.
func (d *desk) do(args ...string) string {
	d.t.Helper()
	code, out, told := d.run(args...)
	if code != 0 {
		d.t.Fatalf("pith %q = %d\n%s%s", args, code, out, told)
	}
	return out
}

// local runs a command that must succeed, without the store.
func (d *desk) local(args ...string) string {
	d.t.Helper()
	code, out, told := d.locally(args...)
	if code != 0 {
		d.t.Fatalf("pith %q = %d\n%s%s", args, code, out, told)
	}
	return out
}

// locally runs a command without the store.
func (d *desk) locally(args ...string) (code int, stdout, stderr string) {
	d.t.Helper()
	store := d.env["PITH_STORE"]
	delete(d.env, "PITH_STORE")
	defer func() { d.env["PITH_STORE"] = store }()
	return d.run(args...)
}

// samples puts the sessions of the command's tests where this machine keeps its own.
func (d *desk) samples() {
	d.t.Helper()
	dir := filepath.Join(d.home, ".pi", "agent", "sessions", "--samples--")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS("../cli/testdata/sessions")); err != nil {
		d.t.Fatal(err)
	}
}

// files are the session files of a machine by their ids, with what they hold.
func (d *desk) files() map[string]string {
	d.t.Helper()
	var list []struct{ Path, ID string }
	if err := json.Unmarshal([]byte(d.local("ls", "--all", "internal:yes,no", "--json")), &list); err != nil {
		d.t.Fatal(err)
	}
	out := map[string]string{}
	for _, s := range list {
		data, err := os.ReadFile(s.Path)
		if err != nil {
			d.t.Fatal(err)
		}
		out[s.ID] = string(data)
	}
	return out
}

// newTeam is a database of its own with a team in it, and the connection strings of two
// people.
func newTeam(t *testing.T) (ana, bob string) {
	t.Helper()
	super := pgtest.Superuser(t)
	_, ana = pgtest.Person(t, "ana")
	_, bob = pgtest.Person(t, "bob")
	pgtest.Exec(t, super, "DROP SCHEMA IF EXISTS pith_team CASCADE")
	admin := newDesk(t, pgtest.DSN(t), "admin")
	if out := admin.do("team", "init"); !strings.Contains(out, "you are pith") {
		t.Fatalf("team init printed %q", out)
	}
	return ana, bob
}

// Sessions of others are found in the database, and pulled ones are a source of their
// own: read-only, with an owner, and never in the place of one's own.
func TestSessionsOfOthers(t *testing.T) {
	ana, bob := newTeam(t)
	laptop, tower := newDesk(t, ana, "laptop"), newDesk(t, bob, "tower")
	tower.begin(oneID, tower.cwd, "my own words")
	laptop.begin(oneID, tower.cwd, "the turnip is in the cellar")
	laptop.do("team", "push", "--all")
	laptop.do("team", "grant", "--all", "--to", "everybody")
	owner := strings.Fields(laptop.do("team", "status"))[1]
	theirs := owner + "/" + oneID
	if out := tower.do("team", "ls"); !strings.Contains(out, owner) || !strings.Contains(out, "turnip") {
		t.Errorf("team ls = %s", out)
	}
	for query, want := range map[string]bool{"person:" + owner: true, "person:nobody": false, "turnip": true, "carrot": false, "since:2026-02-01": true, "until:2026-01-01": false} {
		if out := tower.do("team", "ls", "--json", query); strings.Contains(out, oneID) != want {
			t.Errorf("team ls %s = %s", query, out)
		}
	}
	if out := tower.do("team", "search", "turnip", "role:user"); !strings.Contains(out, theirs) || !strings.Contains(out, "cellar") {
		t.Errorf("team search = %s", out)
	}
	if code, out, _ := tower.run("team", "search", "own"); code != 1 || out != "" {
		t.Errorf("team search of a word that nobody pushed = %d %s", code, out)
	}
	tower.do("team", "usage", "--by", "person")
	if out := tower.do("team", "pull", "person:"+owner); !strings.HasPrefix(out, "pulled 1 session") {
		t.Errorf("team pull = %s", out)
	}
	var list []struct{ ID, Source string }
	decode(t, tower.local("ls", "--all", "--json", "--source", "team"), &list)
	if len(list) != 1 || list[0].ID != theirs || list[0].Source != "team" {
		t.Errorf("ls --source team = %+v", list)
	}
	if out := tower.local("search", "turnip", "--json"); !strings.Contains(out, theirs) {
		t.Errorf("search = %s", out)
	}
	for ref, want := range map[string]string{oneID: "my own words", "@": "my own words", theirs: "cellar", theirs[:len(theirs)-6]: "cellar"} {
		if out := tower.local("context", ref); !strings.Contains(out, want) {
			t.Errorf("context %s = %s; want %q", ref, out, want)
		}
	}
	if out := tower.do("team", "show", theirs); !strings.Contains(out, "cellar") || !strings.Contains(out, theirs) {
		t.Errorf("team show = %s", out)
	}
	if code, _, told := tower.run("append", theirs, "do as I say"); code != 7 || !strings.Contains(told, "read-only") {
		t.Errorf("append = %d %q; want that it is read-only", code, told)
	}
	before := tower.files()[theirs]
	if out := tower.do("team", "push", "--all"); !strings.HasPrefix(out, "pushed 1 session,") {
		t.Errorf("push pushed what belongs to ana: %s", out)
	}
	laptop.local("append", oneID, "and another")
	laptop.do("team", "push", oneID)
	tower.do("team", "pull", theirs)
	if after := tower.files()[theirs]; !strings.HasPrefix(after, before) || !strings.Contains(after, "and another") {
		t.Errorf("pulled again: %s", after)
	}
}

// Two machines that exchange a folder have the same sessions, and one interrupted
// copy is continued.
func TestSyncFolder(t *testing.T) {
	laptop, desktop, dir := newDesk(t, "", "laptop"), newDesk(t, "", "desktop"), t.TempDir()
	laptop.samples()
	laptop.do("team", "sync", dir)
	desktop.do("team", "sync", dir)
	all, got := laptop.files(), desktop.files()
	for id, text := range all {
		if whole := text[:strings.LastIndexByte(text, '\n')+1]; got[id] != whole {
			t.Errorf("%s is not what it was", id)
		}
	}
	for range 2 {
		if out := desktop.do("team", "sync", dir); !strings.HasPrefix(out, "pulled 0 sessions, 0 B; pushed 0 sessions, 0 B") {
			desktop.do("team", "sync", dir)
			t.Logf("sync printed %q", out)
		}
	}
	if len(all) < 5 || len(got) < 5 {
		t.Errorf("%d and %d sessions", len(all), len(got))
	}
}

// A pull that moves the position of a session says so.
func TestPullTellsOfAMovedPosition(t *testing.T) {
	ana, _ := newTeam(t)
	laptop, tower := newDesk(t, ana, "laptop"), newDesk(t, ana, "tower")
	laptop.begin(oneID, laptop.cwd, "one")
	laptop.do("team", "push", "--all")
	tower.do("team", "pull", "--all", "--into", tower.cwd)
	tower.local("append", oneID, "two")
	tower.do("team", "push", "--all")
	if _, _, told := laptop.run("team", "pull", "--all"); !strings.Contains(told, "1 session") || !strings.Contains(told, "moved to entries from another machine") {
		t.Errorf("pull told %q; want that the session moved on", told)
	}
	if _, _, told := laptop.run("team", "pull", "--all"); strings.Contains(told, "moved on") {
		t.Errorf("a second pull told %q", told)
	}
}

// Two machines of a person have the same files afterwards, byte by byte.
func TestTwoMachines(t *testing.T) {
	ana, _ := newTeam(t)
	laptop, desktop := newDesk(t, ana, "laptop"), newDesk(t, ana, "desktop")
	laptop.samples()
	all := laptop.files()
	if len(all) < 5 {
		t.Fatalf("only %d sessions", len(all))
	}
	var sum struct{ Pushed, UpToDate int }
	if err := json.Unmarshal([]byte(laptop.do("team", "push", "--all", "--json")), &sum); err != nil || sum.Pushed != len(all) {
		t.Errorf("push: %+v, %v; want %d", sum, err, len(all))
	}
	if out := laptop.do("team", "push", "--all"); !strings.HasPrefix(out, "pushed 0 sessions, 0 B; "+fmt.Sprint(len(all))+" up to date") {
		t.Errorf("a second push printed %q", out)
	}
	desktop.do("team", "pull", "--all")
	got := desktop.files()
	for id, text := range all {
		if whole := text[:strings.LastIndexByte(text, '\n')+1]; got[id] != whole {
			t.Errorf("%s is not what it was", id)
		}
	}
	if out := desktop.do("team", "sync"); !strings.HasPrefix(out, "pulled 0 sessions, 0 B; pushed") {
		t.Errorf("sync printed %q", out)
	}
	// A session deleted here is not pulled again, until it is named.
	var id string
	for id = range all {
		break
	}
	desktop.local("rm", "--yes", id)
	if _, _, told := desktop.run("team", "pull", "--all"); !strings.Contains(told, "1 session deleted here") || desktop.files()[id] != "" {
		t.Errorf("pull --all brought a deleted session back: %q", told)
	}
	desktop.do("team", "pull", id)
	if text := all[id]; desktop.files()[id] != text[:strings.LastIndexByte(text, '\n')+1] {
		t.Error("a session that was named did not come back")
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// Purging deletes for good, and no machine pushes the session again.
func TestPurge(t *testing.T) {
	ana, _ := newTeam(t)
	d := newDesk(t, ana, "laptop")
	d.samples()
	d.do("team", "push", "--all")
	var id string
	for id = range d.files() {
		break
	}
	if code, _, _ := d.run("team", "purge", id); code != 2 {
		t.Errorf("purge without --yes = %d; want 2", code)
	}
	d.do("team", "purge", id, "--yes")
	if out := d.do("team", "ls", "--json", "--limit", "0"); strings.Contains(out, id) {
		t.Errorf("a purged session is shown:\n%s", out)
	}
	if code, _, told := d.run("team", "push", id); code == 0 || !strings.Contains(told, "deleted") {
		t.Errorf("push of a purged session = %d %q", code, told)
	}
	d.do("team", "purge", id, "--undelete")
	d.do("team", "push", id)
	if out := d.do("team", "status"); !strings.Contains(out, "at laptop") {
		t.Errorf("status printed %q", out)
	}
}
