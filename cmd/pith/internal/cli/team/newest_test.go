package team_test

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

var moreNote = regexp.MustCompile(`(?m)^pith: (\d+) more:`)

// beginsOf checks that each shorter list begins like the whole one, and that it
// counts what it leaves out.
func beginsOf(t *testing.T, d *desk, when string) {
	t.Helper()
	lines := func(args ...string) (all []string, more int) {
		t.Helper()
		code, out, told := d.run(args...)
		if code != 0 {
			t.Fatalf("%s: pith %q = %d %s", when, args, code, told)
		}
		for line := range strings.Lines(out) {
			all = append(all, strings.Join(strings.Fields(line), " "))
		}
		if m := moreNote.FindStringSubmatch(told); m != nil {
			more, _ = strconv.Atoi(m[1]) // digits
		}
		return all, more
	}
	whole, _ := lines("ls", "--limit", "0")
	for n := 1; n <= len(whole)+1; n++ {
		shown := min(n, len(whole))
		got, more := lines("ls", "--limit", strconv.Itoa(n))
		if !slices.Equal(got, whole[:shown]) || more != len(whole)-shown {
			t.Errorf("%s, ls --limit %d = %d more than\n%s\nwant %d more than\n%s", when, n, more, strings.Join(got, "\n"), len(whole)-shown, strings.Join(whole[:shown], "\n"))
			return
		}
	}
}

// A short list of a team's sessions is the beginning of the whole list, and only
// its sessions are fetched.
func TestNewestOfATeam(t *testing.T) {
	ana, bob := newTeam(t)
	laptop, tower := newDesk(t, ana, "laptop"), newDesk(t, bob, "tower")
	id := func(n int) string { return fmt.Sprintf("0199a1%02x-c3d4-7e5f-8a9b-0c1d2e3f4a5b", n) }
	begin := func(d *desk, n int, internal bool) {
		d.write(fmt.Sprintf("%s/.pi/agent/sessions/--made--/2026-02-03T10-00-00-000Z_%s.jsonl", d.home, id(n)),
			fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/w"%s}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-02-03T10:%02d:01.000Z","message":{"role":"user","content":"number %d"}}
`, id(n), map[bool]string{true: `,"internal":true,"workflow":{"runId":"r","stageId":"s","stageName":"n"}`}[internal], n*7%10, n))
	}
	for n := range 6 {
		begin(laptop, n, n == 3)
		begin(tower, 10+n, n == 4)
	}
	laptop.do("push", "--all")
	tower.do("push", "--all")
	tower.do("team", "grant", "--all", "--to", "everybody")
	reader := newDesk(t, ana, "reader")
	beginsOf(t, reader, "at first")
	if files := reader.mirrored(); len(files) > 0 {
		t.Errorf("ls mirrored %q", files)
	}

	reader.do("show", id(1)) // one is in the mirror
	beginsOf(t, reader, "with a mirrored session")
	desktop := newDesk(t, ana, "desktop")
	desktop.do("pull", id(2))
	desktop.do("push", "--all") // another copy
	desktop.local("append", id(2), "one more")
	desktop.do("push", "--all") // and a longer one
	laptop.do("team", "purge", id(5), "--yes")
	beginsOf(t, reader, "with copies and a deleted session")
	m, err := marks.Open(filepath.Join(reader.home, "state", "pith"))
	if err != nil {
		t.Fatal(err)
	}
	for n, change := range map[int]func(*marks.Marks){0: func(m *marks.Marks) { m.Pinned = true }, 11: func(m *marks.Marks) { m.Archived = true }} {
		if _, err := m.Update(id(n), "", change); err != nil {
			t.Fatal(err)
		}
	}
	beginsOf(t, reader, "with marks")
	pgtest.Exec(t, pgtest.Superuser(t), `UPDATE pith_team.log SET covered = NULL, used = NULL WHERE session = '`+id(12)+`'`)
	beginsOf(t, reader, "without the facts of a session")

	_, dsn := pgtest.Person(t, "eve")
	s, err := pgteam.Connect(t.Context(), dsn, pgstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Give(t.Context(), pgteam.Grant{Grantee: pgteam.Everybody}); err != nil {
		t.Fatal(err)
	}
	for n := 20; n < 24; n++ { // would push out those of others
		content := fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/w"}`+"\n", id(n))
		name := fmt.Sprintf("/%s/m/%s/1", s.Person(), id(n))
		l, err := s.Create(t.Context(), name, store.Bytes([]byte(content)))
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		old := time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)
		info := catalog.Info{ID: id(n), Cwd: "/w", FirstMessage: "x", Status: catalog.StatusEmpty, Size: int64(len(content)), Version: 3, Created: old, Modified: old}
		row := append(append([]byte{1, 1}, make([]byte, 32)...), info.Pack()...)
		if n%2 == 0 {
			row = row[:40]
		}
		if err := s.AddFacts(t.Context(), name, replica.NewFacts{To: int64(len(content)), Row: row, Spent: []byte{}, Used: math.MaxInt64}); err != nil {
			t.Fatal(err)
		}
	}
	beginsOf(t, reader, "with lies")
	tower.do("team", "grant", "--all", "--to", "everybody", "--revoke")
	beginsOf(t, reader, "after a revoked grant")
}
