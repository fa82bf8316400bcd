package team_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pith-sessions/pith/tests/pgtest"
)

// A file that went back in time is not pushed, and one line says what to do.
func TestWentBackInTime(t *testing.T) {
	ana, _ := newTeam(t)
	d := newDesk(t, ana, "laptop")
	d.samples()
	path := filepath.Join(d.home, ".pi", "agent", "sessions", "--samples--", "talk.jsonl")
	d.do("team", "push", path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-3], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, told := d.run("team", "push", path)
	if code != 5 || !strings.Contains(told, "pith team pull") || strings.Count(told, "\n") != 1 {
		t.Errorf("push = %d %q; want 5 and one line", code, told)
	}
	d.do("team", "pull", "--all")
	if got, _ := os.ReadFile(path); string(got) != string(data) {
		t.Error("the pull did not bring the rest back")
	}
}

// Problems with a team database are reported in one line, without the password.
func TestBadStores(t *testing.T) {
	ana, _ := newTeam(t)
	for name, tt := range map[string]struct {
		dsn, want string
		code      int
	}{
		"none":         {"", "no team database configured", 2},
		"not there":    {"host=/nonexistent user=x password=hunter22 dbname=x", "cannot connect to the team database", 1},
		"no database":  {strings.Replace(ana, "dbname=pith", "dbname=nothing", 1) + " password=hunter22", "refused", 1},
		"unreadable":   {"postgres://u:hunter22%zz@h/db", "invalid connection string", 2},
		"not a team's": {strings.Replace(ana, "dbname=pith", "dbname=postgres", 1), "pith team init", 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, tt.dsn, "laptop")
			d.samples()
			for _, args := range [][]string{{"team", "push", "--all"}, {"team", "pull", "--all"}, {"team", "sync"}, {"team", "status"}} {
				code, out, told := d.run(args...)
				if code != tt.code || !strings.Contains(told, tt.want) || strings.Count(told, "\n") != 1 || strings.Contains(told+out, "hunter22") {
					t.Errorf("pith %q = %d %q; want %d and one line with %q", args, code, told, tt.code, tt.want)
				}
			}
		})
	}
	d := newDesk(t, ana, "laptop")
	for _, tt := range []struct {
		args []string
		code int
	}{
		{[]string{"team", "push"}, 2}, {[]string{"team", "push", "x", "--all"}, 2}, {[]string{"team", "pull"}, 2}, {[]string{"team", "pull", "nothing"}, 3}, {[]string{"team", "pull", "../x"}, 3}, {[]string{"team", "search", "re:x"}, 2}, {[]string{"team", "sync", "/nonexistent"}, 3},
		{[]string{"team", "grant", "--all"}, 2}, {[]string{"team", "grant", "--all", "--to", "nobody_there"}, 3}, {[]string{"team", "purge"}, 2},
		{[]string{"append", "x", "y", "--store", ana}, 2}, {[]string{"ls", "--store", ana}, 2}, {[]string{"team", "sync", "--interval", "1ms"}, 2},
	} {
		if code, _, told := d.run(tt.args...); code != tt.code || strings.Count(told, "\n") != 1 {
			t.Errorf("pith %q = %d %q; want %d and one line", tt.args, code, told, tt.code)
		}
	}
}

// Tables of another version, and a database whose tables are not for this user: one line
// that says what to do.
func TestTablesOfOthers(t *testing.T) {
	ana, _ := newTeam(t)
	d := newDesk(t, ana, "laptop")
	d.samples()
	super := pgtest.Superuser(t)
	for _, tt := range []struct {
		change, back, want string
		code               int
	}{
		{`UPDATE pith_team.version SET version = version + 1 WHERE component = 'team'`, `UPDATE pith_team.version SET version = version - 1 WHERE component = 'team'`, "upgrade pith", 1},
		{`UPDATE pith_team.version SET version = version - 1`, `UPDATE pith_team.version SET version = version + 1`, "pith team init", 1},
		{`REVOKE USAGE ON SCHEMA pith_team FROM PUBLIC`, `GRANT USAGE ON SCHEMA pith_team TO PUBLIC`, "permission denied", 7},
		{`REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA pith_team FROM PUBLIC`, ``, "permission denied", 7},
	} {
		pgtest.Exec(t, super, tt.change)
		code, _, told := d.run("team", "push", "--all")
		if code != tt.code || !strings.Contains(told, tt.want) || strings.Count(told, "\n") != 1 {
			t.Errorf("after %s push = %d %q; want %d and one line with %q", tt.change, code, told, tt.code, tt.want)
		}
		if tt.back != "" {
			pgtest.Exec(t, super, tt.back)
		}
	}
	newDesk(t, pgtest.DSN(t), "admin").do("team", "init") // gives back what was taken
	if out := d.do("team", "push", "--all"); strings.HasPrefix(out, "pushed 0 ") {
		t.Errorf("push printed %q; want that nothing had been pushed before", out)
	}
}

// S9: no member can lock a table. While its owner does, commands end after a while with
// one line that says so.
func TestLockedTables(t *testing.T) {
	ana, bob := newTeam(t)
	for _, table := range []string{"log", "chunk", "granted", "version"} {
		c, err := pgx.Connect(t.Context(), bob)
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Exec(t.Context(), "BEGIN; LOCK TABLE pith_team."+table+" IN EXCLUSIVE MODE")
		if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != "42501" {
			t.Errorf("a member locks %s: %v; want no right to it", table, err)
		}
		c.Close(t.Context())
	}
	d := newDesk(t, ana+" lock_timeout=200", "laptop")
	d.begin(oneID, "/w", "the turnip is in the cellar")
	d.do("team", "push", "--all")
	c, err := pgx.Connect(t.Context(), pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	if _, err := c.Exec(t.Context(), "BEGIN; LOCK TABLE pith_team.log IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	d.local("append", oneID, "more")
	if code, _, told := d.run("team", "push", "--all"); code != 1 || !strings.Contains(told, "the tables are locked") || strings.Count(told, "\n") != 1 {
		t.Errorf("push while the tables are locked = %d %q; want 1 and one line that says so", code, told)
	}
}
