package team_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// S4: copies that are not what they claim to be, which a member lets everybody read, do
// not keep anybody else from reading: they are passed over, with one line that says so.
func TestLies(t *testing.T) {
	ana, bob := newTeam(t)
	_, eve := pgtest.Person(t, "eve")
	laptop, other := newDesk(t, ana, "laptop"), newDesk(t, bob, "tower")
	laptop.begin(oneID, "/w", "the turnip is in the cellar")
	laptop.do("push", "--all")
	laptop.do("team", "grant", "--all", "--to", "everybody")
	lie(t, eve)
	readsAll(t, other, "all at once")
	// Data that was read before is still there when the rest of it is
	// corrupted.
	pgtest.Exec(t, pgtest.Superuser(t), `UPDATE pith_team.log SET len = len + 100 WHERE owner LIKE 'eve%' AND key IS NOT NULL`)
	readsAll(t, other, "all longer than they are")
	pgtest.Exec(t, pgtest.Superuser(t), `UPDATE pith_team.chunk SET off = off + 7 WHERE log IN (SELECT id FROM pith_team.log WHERE owner LIKE 'eve%')`)
	readsAll(t, newDesk(t, bob, "new"), "none with its first bytes")
	pgtest.Exec(t, pgtest.Superuser(t), `DELETE FROM pith_team.chunk WHERE log IN (SELECT id FROM pith_team.log WHERE owner LIKE 'eve%')`)
	readsAll(t, other, "all without bytes")
	readsAll(t, newDesk(t, bob, "newer"), "all without bytes, on a new machine")
}

// readsAll checks that every command that reads works on ana's session, and what it says
// besides is at most one line.
func readsAll(t *testing.T, d *desk, when string) {
	t.Helper()
	d.cwd = "/w"
	ana := d.person("ana")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"ls", "--all", "--json"}, oneID}, {[]string{"ls"}, "turnip"}, {[]string{"search", "turnip", "--json"}, oneID}, {[]string{"usage", "--json"}, "responses"},
		{[]string{"ls", "--projects", "--json"}, "/w"}, {[]string{"show", "@"}, ""}, {[]string{"show", ana + "/" + oneID}, "turnip"}, {[]string{"tree", ana + "/" + oneID}, "turnip"},
		{[]string{"context", ana + "/" + oneID}, "turnip"}, {[]string{"team", "status"}, "at laptop"},
	} {
		code, out, told := d.run(tt.args...)
		if code != 0 || !strings.Contains(out, tt.want) || strings.Count(told, "\n") > 1 {
			t.Errorf("%s: pith %q = %d; want 0 with %q and at most one note:\n%.2000s%.2000s", when, tt.args, code, tt.want, out, told)
		}
		if strings.Contains(out+told, "00000 TB") || strings.ContainsAny(out+told, "\x1b\x00\u202e") {
			t.Errorf("%s: pith %q shows what was lied about as it is: %.2000q", when, tt.args, out+told)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	printed, print := io.Pipe()
	var told strings.Builder
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, d.world(print, &told), []string{"serve", "--json"})
		print.Close()
	}()
	var address struct{ URL string }
	if err := json.NewDecoder(printed).Decode(&address); err != nil || address.URL == "" {
		t.Errorf("%s: serve = %d: %s", when, <-ended, told.String())
	} else {
		stop()
		<-ended
	}
	for _, from := range []string{"ana", "eve"} { // eve's own are passed over one by one
		person := d.person(from)
		if person == "" {
			continue
		}
		code, out, told := d.run("pull", "--all", "--from", person)
		if from == "ana" && code != 0 || !strings.HasPrefix(out, "pulled ") || strings.ContainsAny(out+told, "\x1b\x00") {
			t.Errorf("%s: pull --from %s = %d %q %.2000q", when, from, code, out, told)
		}
	}
}

// person is the whole name of one who shares something with this desk.
func (d *desk) person(name string) string {
	d.t.Helper()
	var status struct{ Machines []struct{ Person string } }
	decode(d.t, d.do("team", "status", "--json"), &status)
	for _, m := range status.Machines {
		if strings.HasPrefix(m.Person, name) {
			return m.Person
		}
	}
	return ""
}

// lie puts copies into the database that no pith would have made, as a member
// can, and as anyone can who writes to the tables.
func lie(t *testing.T, dsn string) {
	t.Helper()
	s, err := pgteam.Connect(t.Context(), dsn, pgstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Give(t.Context(), pgteam.Grant{Grantee: pgteam.Everybody}); err != nil {
		t.Fatal(err)
	}
	header := func(id, more string) string {
		return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/w"` + more + "}\n"
	}
	id := func(n int) string { return fmt.Sprintf("0199eeee-0000-7000-8000-%012d", n) }
	contents := []string{
		header(id(0), ""), "", "\x00\x00\x00\x00", strings.Repeat("\x00", 1<<20), "no JSON at all\n", "{", `{"type":"session"}` + "\n", header(id(7), `,"version":99`), header("../../../etc/passwd", ""),
		header(oneID, ""), `{"type":"session","version":3,"id":"\u001b[31m","timestamp":"x","cwd":"\u001b]0;x\u0007\u202e"}` + "\n", header(id(11), `,"parentSession":"/etc/passwd"`),
		header(id(12), "") + `{"type":"message","id":"00000001","parentId":"00000001","timestamp":"never","message":{"role":"user","content":"loop"}}` + "\n",
		header(id(13), "") + strings.Repeat(`{"type":"message","id":"1","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"\u0000\u001b[2J"}}`+"\n", 50),
		"\xff\xfe" + header(id(14), ""), strings.Repeat("[", 100_000) + "\n", header(id(16), "") + `{"type":"message","message":{"usage":{"input":9e308,"output":-1,"cost":{"total":1e308}},"role":"assistant","content":[]}}` + "\n",
	}
	person := s.Person()
	for n, content := range contents {
		name := fmt.Sprintf("/%s/m/%s/1", person, id(n))
		if _, err := s.Create(t.Context(), name, store.Bytes([]byte(content))); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for _, rest := range []string{"", "/", "m", "m/", "m//1", "m/" + id(0), "m/../1", "m/x/1/2/3", "../../x/1", "m/\x1b[31m/1", "m/\x00/1", "m/a\nb/1", "m/x/0", "m/x/-1", "m/x/99999999999999999999", "m/\xff\xfe/1",
		"-deleted/" + oneID, "-deleted/../x", "m/-journal", "m/-journal.age", "m/" + id(1) + "/1.age", strings.Repeat("x", 3000)} {
		if _, err := s.Create(t.Context(), "/"+person+"/"+rest, store.Bytes([]byte("{\"session\":\"x\"}\n\x00"))); err != nil {
			t.Fatalf("%q: %v", rest, err)
		}
	}
	for n, change := range []string{"len = len + 5", "len = len - 5, merged = 0", "len = 1000000000", "merged = 0, gen = -1", "head = '\\xff'", "head = ''"} {
		name := fmt.Sprintf("/%s/lies/%s/1", person, id(100+n))
		if _, err := s.Create(t.Context(), name, store.Bytes([]byte(header(id(100+n), "")))); err != nil {
			t.Fatal(err)
		}
		pgtest.Exec(t, pgtest.Superuser(t), "UPDATE pith_team.log SET "+change+" WHERE name = '"+name+"'")
	}
	pgtest.Exec(t, pgtest.Superuser(t), "UPDATE pith_team.log SET len = len + 1000000 WHERE name = '/"+person+"/m/-journal'")
}
