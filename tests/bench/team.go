package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// This file measures commands of one member of a large team, as whole
// processes. Each connects anew, with a password (SCRAM).

// queriesOfTeam are searches by kind.
var queriesOfTeam = []struct {
	name  string
	query func(t talker) string
}{
	{"a rare word", func(t talker) string { return t.oneOf(vocabulary/2, vocabulary) }},
	{"a word as people use them", talker.word},
	{"one of the 20 commonest words", func(t talker) string { return t.oneOf(0, 20) }},
	{"two words", func(t talker) string { return t.word() + " " + t.oneOf(0, 5_000) }},
	{"a phrase of two words", func(t talker) string { return `"` + t.word() + " " + t.oneOf(0, 200) + `"` }},
	{"a word that does not occur", func(t talker) string { return t.word() + "zz" }},
}

// Labels of the figures that have goals.
const (
	teamList   = "pith ls --limit 30 of a team, p95 of 20"
	teamUsage  = "pith usage of a team, p95 of 20"
	teamPush   = "pith push of one line to a team, p95 of 20"
	teamSearch = "pith search of a team, %s, p95 of 100"
)

// teamGoals are the goals of searches.
func teamGoals() (all []goal) {
	for _, kind := range queriesOfTeam {
		all = append(all, within(fmt.Sprintf(teamSearch, kind.name), 150*time.Millisecond))
	}
	return all
}

// teamTrials measures a reader of a team, and a push.
func (b *bench) teamTrials(ctx context.Context) ([]trial, error) {
	member, err := b.teamServer(ctx, b.teamSessions)
	if err != nil {
		return nil, err
	}
	pith, err := b.command(ctx)
	if err != nil {
		return nil, err
	}
	d := &teamReader{pith: pith, home: filepath.Join(b.work, "reader"), dsn: member}
	if err := os.MkdirAll(d.home, 0o700); err != nil {
		return nil, err
	}
	// Once: each figure is of 20 or 100 processes.
	return []trial{{{"pith", 1, func(ctx context.Context) (r reading, err error) {
		measure := func(label string, n int, args func() []string) {
			if err == nil {
				var p95 time.Duration
				p95, err = d.percentile(ctx, n, args)
				r.figures = append(r.figures, took(label, p95))
			}
		}
		measure(teamList, 20, func() []string { return []string{"ls", "--limit", "30"} })
		measure(teamUsage, 20, func() []string { return []string{"usage"} })
		for i, kind := range queriesOfTeam {
			t := newTalker(i)
			measure(fmt.Sprintf(teamSearch, kind.name), 100, func() []string { return []string{"search", kind.query(t)} })
		}
		if err == nil {
			err = d.mirroredNothing()
		}
		if err != nil {
			return r, err
		}
		file, text := filepath.Join(b.work, "pushed.jsonl"), bytes.Buffer{}
		newTalker(1).turns(&text, 1_000_000+int(time.Now().Unix()%1_000_000)) // not one that an earlier run has pushed
		if err = os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			return r, err
		}
		if _, err = d.run(ctx, "push", file, "--replace"); err != nil {
			return r, err
		}
		lines := 0
		measure(teamPush, 20, func() []string {
			lines++
			line := fmt.Sprintf(`{"type":"message","id":"f%07x","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"%s"}}`+"\n", lines, newTalker(lines).text())
			if werr := appendTo(file, line); werr != nil && err == nil {
				err = werr
			}
			return []string{"push", file}
		})
		return r, err
	}}}}, nil
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// A teamReader runs commands of one person.
type teamReader struct{ pith, home, dsn string }

func (d *teamReader) run(ctx context.Context, args ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, d.pith, args...)
	cmd.Env = []string{"HOME=" + d.home, "PITH_STORE=" + d.dsn, "PITH_MACHINE=m", "PATH=" + os.Getenv("PATH")}
	cmd.Dir = d.home
	start := time.Now()
	_, err := output(cmd)
	took := time.Since(start)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // nothing was found
	}
	return took, err
}

// percentile returns the 95th percentile of n runs.
func (d *teamReader) percentile(ctx context.Context, n int, args func() []string) (time.Duration, error) {
	var times []time.Duration
	for range n {
		t, err := d.run(ctx, args()...)
		if err != nil {
			return 0, err
		}
		times = append(times, t)
	}
	slices.Sort(times)
	return times[n*95/100], nil
}

// mirroredNothing returns an error if the reader has a copy of a session.
func (d *teamReader) mirroredNothing() error {
	return filepath.WalkDir(d.home, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") {
			err = fmt.Errorf("a session was copied: %s", path)
		}
		return err
	})
}

// teamServer returns the connection string of the reader of a server with that
// many sessions. PITH_TEST_DSN can name a superuser's database, in which the
// sessions are kept for the next run.
func (b *bench) teamServer(ctx context.Context, sessions int) (member string, err error) {
	owner, super := os.Getenv(pgtest.Variable), os.Getenv(pgtest.Variable)
	if super == "" {
		s, err := pgtest.Launch("shared_buffers=1GB", "max_wal_size=4GB", "wal_level=minimal", "max_wal_senders=0", "autovacuum=off")
		if err != nil {
			return "", err
		}
		b.atEnd = append(b.atEnd, s.Remove)
		super, owner = s.Superuser(), s.DSN()
	}
	config, err := pgx.ParseConfig(super)
	if err != nil {
		return "", err
	}
	member = fmt.Sprintf("host=%s port=%d dbname=%s user=%s password='%s'", config.Host, config.Port, config.Database, reader, secret)
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return "", err
	}
	defer c.Close(ctx)
	var have int
	if err := c.QueryRow(ctx, "SELECT count(*) FROM "+pgteam.Schema+".fact").Scan(&have); err == nil && have >= sessions {
		return member, readTables(ctx, c)
	}
	b.logf("making %d sessions of %d entries", sessions, entriesOfSession)
	if err := b.fillTeam(ctx, owner, super, sessions); err != nil {
		return "", err
	}
	return member, errors.Join(wantPassword(ctx, c), readTables(ctx, c))
}

// readTables reads all tables and indexes once, so that they are in the page
// cache like the files of the other sections.
func readTables(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_prewarm; SELECT sum(pg_prewarm(oid, 'read')) FROM pg_class WHERE relnamespace = '"+pgteam.Schema+
		"'::regnamespace AND relkind IN ('r', 'i')", pgx.QueryExecModeSimpleProtocol)
	return err
}

// wantPassword makes the server ask the reader for the password, as one that is
// not on the same machine would.
func wantPassword(ctx context.Context, c *pgx.Conn) error {
	var path string
	if err := c.QueryRow(ctx, "SHOW hba_file").Scan(&path); err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, append([]byte("local all "+reader+" scram-sha-256\n"), data...), 0o600); err != nil {
		return err
	}
	_, err = c.Exec(ctx, "SELECT pg_reload_conf()")
	return err
}
