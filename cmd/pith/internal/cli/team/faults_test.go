package team_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// A file that went back in time is not pushed, and one line says what to do.
func TestWentBackInTime(t *testing.T) {
	ana, _ := newTeam(t)
	d := newDesk(t, ana, "laptop")
	d.samples()
	path := filepath.Join(d.home, ".pi", "agent", "sessions", "--samples--", "talk.jsonl")
	d.do("push", path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(lines[:len(lines)-3], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, told := d.run("push", path)
	if code != 5 || !strings.Contains(told, "pith pull") || strings.Count(told, "\n") != 1 {
		t.Errorf("push = %d %q; want 5 and one line", code, told)
	}
	d.do("pull", "--all")
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
			commands := [][]string{{"push", "--all"}, {"pull", "--all"}, {"sync"}, {"team", "status"}}
			if tt.dsn != "" {
				commands = append(commands, []string{"ls"})
			}
			for _, args := range commands {
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
		{[]string{"push"}, 2}, {[]string{"push", "x", "--all"}, 2}, {[]string{"pull"}, 2}, {[]string{"pull", "nothing"}, 3}, {[]string{"pull", "--all", "--from", "../x"}, 1},
		{[]string{"team", "grant", "--all"}, 2}, {[]string{"team", "grant", "--all", "--to", "nobody_there"}, 3}, {[]string{"team", "purge"}, 2},
		{[]string{"append", "x", "y", "--store", ana}, 2}, {[]string{"ls", "--session-dir", d.home, "--store", ana}, 2}, {[]string{"sync", "--interval", "1ms"}, 2},
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
		{`UPDATE pith_team.version SET version = version + 1 WHERE component = 'log'`, `UPDATE pith_team.version SET version = version - 1 WHERE component = 'log'`, "upgrade pith", 1},
		{`UPDATE pith_team.version SET version = version - 1`, `UPDATE pith_team.version SET version = version + 1`, "pith team init", 1},
		{`REVOKE USAGE ON SCHEMA pith_team FROM PUBLIC`, `GRANT USAGE ON SCHEMA pith_team TO PUBLIC`, "permission denied", 7},
		{`REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA pith_team FROM PUBLIC`, ``, "permission denied", 7},
	} {
		pgtest.Exec(t, super, tt.change)
		code, _, told := d.run("push", "--all")
		if code != tt.code || !strings.Contains(told, tt.want) || strings.Count(told, "\n") != 1 {
			t.Errorf("after %s push = %d %q; want %d and one line with %q", tt.change, code, told, tt.code, tt.want)
		}
		if tt.back != "" {
			pgtest.Exec(t, super, tt.back)
		}
	}
	newDesk(t, pgtest.DSN(t), "admin").do("team", "init") // gives back what was taken
	if out := d.do("push", "--all"); strings.HasPrefix(out, "pushed 0 ") {
		t.Errorf("push printed %q; want that nothing had been pushed before", out)
	}
}

// T11: a store that goes away does not take away what was read.
func TestStoreGoesAway(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	d := newDesk(t, server.DSN(), "laptop")
	d.samples()
	d.do("team", "init")
	d.do("push", "--all")
	before := d.do("ls", "--json")
	server.Crash()
	code, out, told := d.run("ls", "--json")
	if code != 0 || out != before || !strings.Contains(told, "cannot connect to the team database") {
		t.Errorf("ls without the server = %d %q", code, told)
	}
	if code, _, told := d.run("push", "--all"); code != 1 || !strings.Contains(told, "nothing was lost") {
		t.Errorf("push without the server = %d %q", code, told)
	}
	server.Start(t)
	d.do("push", "--all")
}

// T11: a long-running command follows the database, and reports once when it
// goes away and once when it is back.
func TestFollowsTheStore(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	d, other := newDesk(t, server.DSN(), "laptop"), newDesk(t, server.DSN(), "desktop")
	d.do("team", "init")
	s := lookup.New(other.world(io.Discard, io.Discard))
	if err := s.UseTeam(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	told, ended := make(chan string, 10), make(chan struct{})
	go func() {
		s.FollowTeam(ctx, 10*time.Millisecond, func(text string, _ bool) { told <- text })
		close(ended)
	}()
	d.samples()
	d.do("push", "--all")
	for {
		files, err := filepath.Glob(filepath.Join(s.SessionDir, "*", "*.jsonl"))
		if err != nil || t.Context().Err() != nil {
			t.Fatal("the sessions never came")
		}
		if len(files) >= len(d.files()) {
			break
		}
	}
	server.Crash()
	if text := <-told; !strings.Contains(text, "cannot connect to the team database") {
		t.Errorf("told %q when the store went away", text)
	}
	server.Start(t)
	if text := <-told; !strings.Contains(text, "connected to the team database again") {
		t.Errorf("told %q when the store came back", text)
	}
	cancel()
	<-ended
}

// S9: no member can lock a table. While its owner does, commands end after a while with
// one line that says who does, and those that read show what they have.
func TestLockedTables(t *testing.T) {
	ana, bob := newTeam(t)
	for _, table := range []string{"log", "chunk", "grants", "version"} {
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
	d.do("push", "--all")
	d.do("ls")
	c, err := pgx.Connect(t.Context(), pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.WithoutCancel(t.Context()))
	if _, err := c.Exec(t.Context(), "BEGIN; LOCK TABLE pith_team.log IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	code, out, told := d.run("ls", "--all")
	if code != 0 || !strings.Contains(out, "turnip") || !strings.Contains(told, "pith (process ") || strings.Count(told, "\n") != 1 {
		t.Errorf("ls while the tables are locked = %d %q %q; want what was there, and who locks them", code, out, told)
	}
	d.local("append", oneID, "more")
	if code, _, told := d.run("push", "--all"); code != 1 || !strings.Contains(told, "pith (process ") || !strings.Contains(told, "AccessExclusiveLock on log") || strings.Count(told, "\n") != 1 {
		t.Errorf("push while the tables are locked = %d %q; want 1 and one line that says who locks them", code, told)
	}
}
