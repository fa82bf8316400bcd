package team_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
			mine.do("push", "--all")
			mine.do("team", "grant", "--all", "--to", "everybody")
			me := strings.Fields(mine.do("team", "status"))[1]
			them := strings.Fields(theirs.do("team", "status"))[1]
			theirs.do("pull", oneID, "--from", me, "--into", theirs.cwd)
			theirs.local("append", oneID, "do as I say")
			theirs.do("push", "--all")
			theirs.do("team", "grant", "--all", "--to", "everybody")
			before := mine.files()[oneID]
			mine.stdin, mine.terminal = answer, answer != ""
			code, out, told := mine.run("pull", oneID, "--from", them)
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
	laptop.do("push", "--all")
	tower.do("pull", "--all", "--into", tower.cwd)
	tower.local("append", oneID, "two")
	tower.do("push", "--all")
	if _, _, told := laptop.run("pull", "--all"); !strings.Contains(told, "1 session") || !strings.Contains(told, "moved to entries from another machine") {
		t.Errorf("pull told %q; want that the session moved on", told)
	}
	if _, _, told := laptop.run("pull", "--all"); strings.Contains(told, "moved on") {
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
	if err := json.Unmarshal([]byte(laptop.do("push", "--all", "--json")), &sum); err != nil || sum.Pushed != len(all) {
		t.Errorf("push: %+v, %v; want %d", sum, err, len(all))
	}
	if out := laptop.do("push", "--all"); !strings.HasPrefix(out, "pushed 0 sessions, 0 B; "+fmt.Sprint(len(all))+" up to date") {
		t.Errorf("a second push printed %q", out)
	}
	desktop.do("pull", "--all")
	got := desktop.files()
	for id, text := range all {
		if got[id] != text {
			t.Errorf("%s is not what it was", id)
		}
	}
	if out := desktop.do("sync"); !strings.HasPrefix(out, "pulled 0 sessions, 0 B; pushed") {
		t.Errorf("sync printed %q", out)
	}
	// A session deleted here is not pulled again, until it is named.
	var id string
	for id = range all {
		break
	}
	desktop.local("rm", "--yes", id)
	if _, _, told := desktop.run("pull", "--all"); !strings.Contains(told, "1 session deleted here") || desktop.files()[id] != "" {
		t.Errorf("pull --all brought a deleted session back: %q", told)
	}
	desktop.do("pull", id)
	if desktop.files()[id] != all[id] {
		t.Error("a session that was named did not come back")
	}
}

// The team's sessions are listed, found, shown and added up as those of one machine.
func TestReadingTheStore(t *testing.T) {
	ana, bob := newTeam(t)
	laptop, desktop, other := newDesk(t, ana, "laptop"), newDesk(t, ana, "desktop"), newDesk(t, bob, "tower")
	laptop.samples()
	laptop.do("push", "--all")
	desktop.do("sync")
	if out := other.do("ls", "--json"); out != "[]\n" {
		t.Errorf("bob sees %s", out)
	}
	if _, out, told := other.run("ls"); out != "" || !strings.Contains(told, "pith team grant") {
		t.Errorf("ls, where bob may read nothing, printed %q, %q; want what to do", out, told)
	}
	laptop.do("team", "grant", "--all", "--to", "everybody")

	var here, there []map[string]any
	decode(t, laptop.local("ls", "--all", "--json"), &here)
	decode(t, other.do("ls", "--json"), &there)
	if len(here) != len(there) {
		t.Fatalf("bob sees %d sessions; want %d", len(there), len(here))
	}
	for i := range here {
		for _, name := range []string{"id", "name", "messageCount", "firstMessage", "modified", "tokens", "costMicros", "status", "branches", "entries"} {
			if fmt.Sprint(here[i][name]) != fmt.Sprint(there[i][name]) {
				t.Errorf("session %d: %s is %v; want %v", i, name, there[i][name], here[i][name])
			}
		}
		if p := fmt.Sprint(there[i]["person"]); !strings.HasPrefix(p, "ana") || fmt.Sprint(there[i]["machines"]) != "[desktop laptop]" {
			t.Errorf("session %d is %s's, from %v", i, p, there[i]["machines"])
		}
	}
	if out := other.do("ls"); !strings.Contains(out, "@desktop,laptop") || strings.Contains(out, "(missing)") {
		t.Errorf("the table does not say whose sessions these are:\n%s", out)
	}
	for _, query := range []string{"linker", "build", "the", `"linker error"`, "bu*", "role:user a", "tool:bash", "re:l.nk", "nothinglikethis", "since:2020-01-01 error"} {
		_, ours, _ := laptop.locally("search", query, "--json", "--limit", "500")
		_, theirs, _ := other.run("search", query, "--json", "--limit", "500")
		if a, b := hits(t, ours), hits(t, theirs); a != b {
			t.Errorf("search %s found\n%s\nwant\n%s", query, b, a)
		}
	}
	id := fmt.Sprint(here[0]["id"])
	for _, command := range [][]string{{"tree", id}, {"context", id, "--json"}, {"show", id, "--json"}} {
		a, b := laptop.local(command...), other.do(command...)
		if command[0] != "show" && a != b {
			t.Errorf("%v printed\n%s\nwant\n%s", command, b, a)
		}
	}
	// Each answer once, though it is on two machines and two people have it.
	other.do("pull", id, "--from", fmt.Sprint(there[0]["person"]))
	other.do("push", "--all")
	var one, many struct{ Total map[string]any }
	decode(t, laptop.local("usage", "--json"), &one)
	decode(t, other.do("usage", "--json"), &many)
	if fmt.Sprint(one.Total) != fmt.Sprint(many.Total) || len(one.Total) == 0 {
		t.Errorf("usage is %v; want %v", many.Total, one.Total)
	}
	person := fmt.Sprint(there[0]["person"])
	var people struct {
		Groups []struct {
			Key        string
			CostMicros int64
		}
	}
	decode(t, other.do("usage", "--by", "person", "--json"), &people)
	if len(people.Groups) != 1 || people.Groups[0].Key != person || fmt.Sprint(people.Groups[0].CostMicros) != fmt.Sprint(one.Total["costMicros"]) {
		t.Errorf("usage by person is %v; want all of it %s's", people.Groups, person)
	}
	if out := other.do("usage", "--by", "session"); !strings.Contains(out, person+"@desktop,laptop") {
		t.Errorf("usage by session does not say whose sessions these are:\n%s", out)
	}
	// Two people have the session: it is named with the person.
	code, _, told := other.run("show", id)
	if code != 4 || !strings.Contains(told, person+"/") {
		t.Errorf("show of a session that two people have = %d %q; want 4 and names that can be given", code, told)
	}
	if out := other.do("show", person+"/"+id, "--json"); !strings.Contains(out, "--"+person+"--") {
		t.Errorf("show %s/… showed\n%s", person, out)
	}
	// Taken back, nothing is left in the mirror.
	laptop.do("team", "grant", "--all", "--to", "everybody", "--revoke")
	decode(t, other.do("ls", "--json"), &there)
	if len(there) != 1 {
		t.Errorf("bob still sees %d sessions; want the one that is bob's", len(there))
	}
}

// An agent that asks pith mcp finds what others let it read, and nothing else.
func TestAgentReadsTheStore(t *testing.T) {
	ana, bob := newTeam(t)
	laptop, other := newDesk(t, ana, "laptop"), newDesk(t, bob, "tower")
	laptop.begin(oneID, "/w", "the turnip is in the cellar")
	laptop.do("push", "--all")
	other.stdin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"turnip"}}}
`
	if out := other.do("mcp"); strings.Contains(out, "cellar") || !strings.Contains(out, `"id":2`) {
		t.Errorf("bob's agent reads %s", out)
	}
	laptop.do("team", "grant", "--all", "--to", "everybody")
	if out := other.do("mcp"); !strings.Contains(out, "cellar") || !strings.Contains(out, "@laptop") {
		t.Errorf("bob's agent finds nothing, or not whose it is: %s", out)
	}
}

// A program reads the team's sessions and changes none: the database and the
// directory of the copies stay unchanged.
func TestProgramReadsTheStore(t *testing.T) {
	ana, _ := newTeam(t)
	laptop, reader := newDesk(t, ana, "laptop"), newDesk(t, ana, "reader")
	laptop.begin(oneID, "/w", "the turnip is in the cellar")
	laptop.do("push", "--all")
	reader.stdin = `{"jsonrpc":"2.0","id":1,"method":"listAll"}` + "\n"
	var list struct {
		Result []struct {
			Path, Person string
			Machines     []string
		}
	}
	decode(t, lastLine(reader.do("rpc", "--store", ana)), &list) // before it, how far it is
	if len(list.Result) != 1 || !strings.HasPrefix(list.Result[0].Person, "ana") || !slices.Equal(list.Result[0].Machines, []string{"laptop"}) {
		t.Fatalf("listAll = %v; want one session, of ana at laptop", list.Result)
	}
	for _, request := range []string{`"resolve","params":{"reference":"` + oneID + `"}`, `"search","params":{"query":"turnip"}`} {
		reader.stdin = `{"jsonrpc":"2.0","id":1,"method":` + request + "}\n"
		if out := reader.do("rpc", "--store", ana); !strings.Contains(out, `"person":"ana`) || !strings.Contains(out, `"machines":["laptop"]`) {
			t.Errorf("%s does not say whose it is: %s", request, out)
		}
	}
	path, err := json.Marshal(list.Result[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(list.Result[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	reader.stdin = `{"jsonrpc":"2.0","id":1,"method":"open","params":{"path":` + string(path) + `}}
{"jsonrpc":"2.0","id":2,"method":"buildSessionContext","params":{"session":"s1"}}
{"jsonrpc":"2.0","id":3,"method":"appendMessage","params":{"session":"s1","message":{"role":"user","content":"x","timestamp":1}}}
{"jsonrpc":"2.0","id":4,"method":"createBranchedSession","params":{"session":"s1","leafId":"x"}}
{"jsonrpc":"2.0","id":5,"method":"create","params":{"cwd":"/w"}}
{"jsonrpc":"2.0","id":6,"method":"close","params":{"session":"s1"}}
`
	codes := make([]int, 6)
	out := reader.do("rpc", "--store", ana)
	for line := range strings.Lines(out) {
		var reply struct {
			ID    int
			Error struct{ Code int }
		}
		decode(t, line, &reply)
		codes[reply.ID-1] = reply.Error.Code // what concerns no session does not wait for one
	}
	if strings.Index(out, `"id":3`) < strings.Index(out, `"id":2`) {
		t.Errorf("requests of one session are answered out of order:\n%s", out)
	}
	if !slices.Equal(codes, []int{0, 0, -32005, -32005, -32005, 0}) || !strings.Contains(out, "turnip") {
		t.Errorf("codes %v, want those of a session that is only read; replies:\n%s", codes, out)
	}
	if after, err := os.ReadFile(list.Result[0].Path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the copy has changed: %v", err)
	}
	reader.stdin = `{"jsonrpc":"2.0","id":1,"method":"inMemory"}` + "\n"
	if out := reader.do("rpc"); strings.Contains(out, "error") { // PITH_STORE alone
		t.Errorf("a server of this machine's sessions makes none: %s", out)
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
	d.do("push", "--all")
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
	if code, _, told := d.run("push", id); code == 0 || !strings.Contains(told, "deleted") {
		t.Errorf("push of a purged session = %d %q", code, told)
	}
	d.do("team", "purge", id, "--undelete")
	d.do("push", id)
	if out := d.do("team", "status"); !strings.Contains(out, "at laptop") {
		t.Errorf("status printed %q", out)
	}
}
