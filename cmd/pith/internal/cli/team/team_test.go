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

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

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
	if err := os.CopyFS(dir, os.DirFS("../testdata/sessions")); err != nil {
		d.t.Fatal(err)
	}
}

// files are the session files of a machine by their ids, with what they hold.
func (d *desk) files() map[string]string {
	d.t.Helper()
	var list []struct{ Path, ID string }
	if err := json.Unmarshal([]byte(d.local("ls", "--all", "--internal", "--json")), &list); err != nil {
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

// Entries that another person wrote into one's own session come as a fork, or
// into the session after a question; the leaf stays, and the command says so.
func TestPullFromSomebodyWhoWroteIntoMySession(t *testing.T) {
	for answer, merged := range map[string]bool{"": false, "f\n": false, "m\n": true} {
		t.Run(strings.TrimSpace(answer), func(t *testing.T) {
			ana, bob := newTeam(t)
			mine, theirs := newDesk(t, ana, "laptop"), newDesk(t, bob, "lair")
			path := mine.begin(oneID, mine.cwd, "one")
			mine.do("team", "push", "--all")
			mine.do("team", "grant", "--all", "--to", "everybody")
			me := strings.Fields(mine.do("team", "status"))[1]
			them := strings.Fields(theirs.do("team", "status"))[1]
			theirs.do("team", "pull", oneID, "--from", me, "--into", theirs.cwd)
			theirs.local("append", oneID, "do as I say")
			theirs.do("team", "push", "--all")
			theirs.do("team", "grant", "--all", "--to", "everybody")
			before := mine.files()[oneID]
			mine.stdin, mine.terminal = answer, answer != ""
			code, out, told := mine.run("team", "pull", oneID, "--from", them)
			if code != 0 {
				t.Fatalf("pull = %d %s%s", code, out, told)
			}
			files := mine.files()
			if got := strings.Contains(files[oneID], "do as I say"); got != merged || !merged && files[oneID] != before {
				t.Errorf("the session is\n%s", files[oneID])
			}
			if asked := strings.Contains(told, them) && strings.Contains(told, "[F/m/s]"); asked != (answer != "") {
				t.Errorf("pull told %q", told)
			}
			if merged {
				if text := mine.local("context", path); strings.Contains(text, "do as I say") {
					t.Errorf("the session stands where the other person is:\n%s", text)
				}
				return
			}
			if len(files) != 2 || !strings.Contains(told, "fork") {
				t.Errorf("there are %d sessions, and pull told %q; want a fork", len(files), told)
			}
		})
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
		if got[id] != text {
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
	if desktop.files()[id] != all[id] {
		t.Error("a session that was named did not come back")
	}
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// hits are those of a search, without where the files are.
func hits(t *testing.T, text string) string {
	t.Helper()
	var r struct{ Matches []map[string]any }
	decode(t, text, &r)
	var b strings.Builder
	for _, h := range r.Matches {
		for _, name := range []string{"path", "source", "person", "machines", "score"} {
			delete(h, name)
		}
		line, _ := json.Marshal(h)
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
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
	if out := d.do("ls", "--json"); strings.Contains(out, `"id": "`+id) || strings.Contains(out, `"id":"`+id) {
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
