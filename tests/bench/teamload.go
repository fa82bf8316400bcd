package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/internal/spending"
	"github.com/pith-sessions/pith/replica"
	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
	"github.com/pith-sessions/pith/store/pgstore"
)

// This file fills a team database with the sessions of many people. Some
// sessions are pushed to a store in memory, and COPY moves their bytes and facts
// to PostgreSQL as sessions of everybody: as many pushes would take hours.

const (
	people = 1_000
	reader = "p0" // the person who is measured
	// secret is the password of the reader.
	secret = "an ordinary password"
)

// grantsOf returns the statements that share the sessions of a person, none of
// whom is the reader: 80 of 100 share everything with the reader, 5 with
// others, 5 share single sessions, 5 have revoked a grant, and 5 never gave one.
func grantsOf(person, sessions int) []string {
	give := func(session, grantee string) string {
		return fmt.Sprintf("INSERT INTO %s.grants VALUES ('p%d', '%s', '%s')", pgteam.Schema, person, session, grantee)
	}
	switch n := person % 20; {
	case person == 0:
		return nil
	case n < 8:
		return []string{give("", pgteam.Everybody)}
	case n < 16:
		return []string{give("", fmt.Sprintf("team%d", n%4))} // the reader is in four teams
	case n == 16:
		return []string{give("", "strangers")}
	case n == 17:
		return []string{give(sessionID(person*sessions), "team0"), give(sessionID(person*sessions+sessions-1), reader)}
	case n == 18:
		return []string{give("", reader), fmt.Sprintf("DELETE FROM %s.grants WHERE owner = 'p%d'", pgteam.Schema, person)}
	}
	return nil
}

func sessionID(n int) string { return fmt.Sprintf("0199a1b2-c3d4-7e5f-8a9b-%012x", n) }

// turns writes the n-th session: turns of a question, a tool call, its result
// and an answer.
func (t talker) turns(w *bytes.Buffer, n int) {
	now := time.Unix(1_770_000_000+int64(n)*600, 0).UTC()
	stamp := func() string { now = now.Add(time.Second); return now.Format(time.RFC3339) }
	fmt.Fprintf(w, `{"type":"session","version":3,"id":"%s","timestamp":"%s","cwd":"/home/project%d"}`+"\n", sessionID(n), stamp(), n%50)
	parent := "null"
	for i := range entriesOfSession {
		fmt.Fprintf(w, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"%s","message":`, i, parent, stamp())
		parent = fmt.Sprintf(`"%08x"`, i)
		const usage = `"provider":"anthropic","model":"claude-%d","usage":{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":0,"totalTokens":%d,"cost":{"input":0.01,"output":0.02,"cacheRead":0.001,"cacheWrite":0,"total":0.031}}`
		in, out, kept := t.random.IntN(1000), t.random.IntN(1000), t.random.IntN(50_000)
		spent := fmt.Sprintf(usage, n%3, in, out, kept, in+out+kept)
		switch i % 4 {
		case 0:
			fmt.Fprintf(w, `{"role":"user","content":"%s"}}`+"\n", t.text())
		case 1:
			fmt.Fprintf(w, `{"role":"assistant","content":[{"type":"text","text":"%s"},{"type":"toolCall","id":"c%d","name":"bash","arguments":{"command":"%s"}}],"stopReason":"toolUse",%s}}`+"\n", t.text(), i, t.word(), spent)
		case 2:
			fmt.Fprintf(w, `{"role":"toolResult","toolCallId":"c%d","toolName":"bash","content":[{"type":"text","text":"%s"}],"isError":false}}`+"\n", i-1, t.text())
		case 3:
			fmt.Fprintf(w, `{"role":"assistant","content":[{"type":"text","text":"%s"}],"stopReason":"stop",%s}}`+"\n", t.text(), spent)
		}
	}
}

func (t talker) text() string {
	words := make([]string, wordsOfEntry)
	for i := range words {
		words[i] = t.word()
	}
	return strings.Join(words, " ")
}

// A factsRecorder is a store in memory that records facts.
type factsRecorder struct {
	*memstore.Store
	facts []replica.NewFacts
}

func (*factsRecorder) KeepsFacts() bool                                    { return true }
func (*factsRecorder) FactsCovered(context.Context, string) (int64, error) { return 0, nil }

func (s *factsRecorder) AddFacts(_ context.Context, _ string, f replica.NewFacts) error {
	s.facts = append(s.facts, f)
	return nil
}

// A pushedSession is what a push writes.
type pushedSession struct {
	id    string
	data  []byte
	facts replica.NewFacts
	parts [64][]string // the distinct words of all lines, as add_facts divides them
}

// pushTurns pushes the n-th session.
func pushTurns(ctx context.Context, n int) (p pushedSession, err error) {
	var text bytes.Buffer
	newTalker(n).turns(&text, n)
	p.id, p.data = sessionID(n), text.Bytes()
	s, local := &factsRecorder{Store: memstore.New()}, memstore.New()
	team, err := replica.New(s, replica.Options{Person: "p", Machine: "m", Local: local})
	if err != nil {
		return p, err
	}
	if _, err := local.Create(ctx, "/session.jsonl", store.Bytes(p.data)); err != nil {
		return p, err
	}
	if _, err := team.Push(ctx, "/session.jsonl", replica.PushOptions{}); err != nil {
		return p, err
	}
	if len(s.facts) != 1 {
		return p, fmt.Errorf("a push wrote facts %d times", len(s.facts))
	}
	p.facts = s.facts[0]
	seen := map[string]bool{}
	for _, l := range p.facts.Lines {
		for item := range strings.FieldsSeq(l.Words) {
			if word, _, _ := strings.Cut(item, ":"); !seen[word] {
				seen[word] = true
				nr := sha256.Sum256([]byte(word))[0] & 63
				p.parts[nr] = append(p.parts[nr], word)
			}
		}
	}
	return p, nil
}

// differentSessions is the number of sessions with different words.
const differentSessions = 500

// pushAll pushes that many sessions.
func pushAll(ctx context.Context) ([]pushedSession, error) {
	all := make([]pushedSession, differentSessions)
	var next atomic.Int64
	var failed [2]error
	var wg sync.WaitGroup
	for i := range failed {
		wg.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(all) && failed[i] == nil; n = int(next.Add(1)) - 1 {
				all[n], failed[i] = pushTurns(ctx, n)
			}
		})
	}
	wg.Wait()
	return all, errors.Join(failed[:]...)
}

// fillTeam fills the database of a superuser's connection string.
func (b *bench) fillTeam(ctx context.Context, dsn, super string, sessions int) error {
	s, err := pgteam.Init(ctx, dsn, "", pgstore.Options{})
	if err != nil {
		return err
	}
	s.Close()
	admin, err := pgx.Connect(ctx, super)
	if err != nil {
		return err
	}
	defer admin.Close(ctx)
	sql := []string{"DROP INDEX " + pgteam.Schema + ".line_words"}
	role := func(name string) {
		sql = append(sql, fmt.Sprintf("DO $$ BEGIN CREATE ROLE %s LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$", name))
	}
	for i := range 4 {
		role(fmt.Sprintf("team%d", i))
	}
	for p := range people {
		role(fmt.Sprintf("p%d", p))
		sql = append(sql, grantsOf(p, sessions/people)...)
	}
	sql = append(sql, fmt.Sprintf("ALTER ROLE %s PASSWORD '%s'", reader, secret), "GRANT team0, team1, team2, team3 TO "+reader)
	if _, err := admin.Exec(ctx, strings.Join(sql, ";"), pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	if err := copyPeople(ctx, super, sessions/people); err != nil {
		return err
	}
	b.logf("building the index")
	_, err = admin.Exec(ctx, strings.ReplaceAll(`SET maintenance_work_mem = '1GB'; CREATE INDEX line_words ON S.line USING gin (words) WITH (fastupdate = off);
		SELECT setval(pg_get_serial_sequence('S.log', 'id'), (SELECT max(id) FROM S.log))`, "S.", pgteam.Schema+"."), pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return err
	}
	_, err = admin.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// copyPeople copies the sessions of everybody to the tables.
func copyPeople(ctx context.Context, dsn string, each int) error {
	all, err := pushAll(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tables := map[string]*bufio.Writer{}
	var pipes []*io.PipeWriter
	var wg sync.WaitGroup
	for _, columns := range []string{"log (id, name, head, session, owner, key, len, gen, merged, covered, used)", "chunk (log, off, data)",
		"fact (log, data, sums, merged)", "part (log, nr, words)", "spent (log, off, data)", "line (log, off, size, words)"} {
		r, w := io.Pipe()
		table, _, _ := strings.Cut(columns, " ")
		tables[table], pipes = bufio.NewWriterSize(w, 1<<20), append(pipes, w)
		wg.Go(func() {
			if err := copyTo(ctx, dsn, columns, r); err != nil {
				cancel(err)
				r.CloseWithError(err)
			}
		})
	}
	id := int64(0)
	for n := range people * each {
		if ctx.Err() != nil {
			break
		}
		id++
		if err := all[n*7919%len(all)].write(tables, id, n, each); err != nil {
			cancel(err)
		}
	}
	for _, t := range tables {
		if err := t.Flush(); err != nil {
			cancel(err)
		}
	}
	for _, p := range pipes {
		_ = p.CloseWithError(context.Cause(ctx)) // always nil
	}
	wg.Wait()
	return context.Cause(ctx)
}

// copyTo copies lines to a table in one transaction that empties it first, so that the
// server need not log each row.
func copyTo(ctx context.Context, dsn, columns string, from io.Reader) error {
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx))
	table, _, _ := strings.Cut(columns, " ")
	empty := fmt.Sprintf("TRUNCATE %s.%s", pgteam.Schema, table)
	if table == "log" {
		empty = "" // others refer to it
	}
	if _, err := c.Exec(ctx, "SET session_replication_role = replica; BEGIN; "+empty, pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	if _, err := c.PgConn().CopyFrom(ctx, from, fmt.Sprintf("COPY %s.%s FROM STDIN", pgteam.Schema, columns)); err != nil {
		return fmt.Errorf("%s: %w", table, err)
	}
	_, err = c.Exec(ctx, "COMMIT")
	return err
}

// write writes the rows of the n-th session of all, where each person has as
// many.
func (p *pushedSession) write(tables map[string]*bufio.Writer, id int64, n, each int) error {
	person := fmt.Sprintf("p%d", n/each)
	name := fmt.Sprintf("/%s/m/%s/1", person, sessionID(n))
	key, sum := sha256.Sum256([]byte(name)), sha256.Sum256([]byte(person))
	scope := base64.StdEncoding.EncodeToString(sum[:3])
	data := bytes.ReplaceAll(p.data, []byte(p.id), []byte(sessionID(n)))
	const head = 2 + sha256.Size // of a row: see package replica
	info, err := catalog.UnpackInfo(string(p.facts.Row[head:]))
	if err != nil {
		return err
	}
	info.ID, info.Modified = sessionID(n), time.Unix(1_780_000_000-int64(n*7%(people*each)), 0).UTC()
	row := append(bytes.Clone(p.facts.Row[:head]), info.Pack()...)
	fmt.Fprintf(tables["log"], "%d\t%s\t%[2]s\t%s\t%s\t%s\t%d\t1\t%[6]d\t%d\t%d\n", id, bytea([]byte(name)), sessionID(n), person, bytea(key[:]), len(data), p.facts.To, replica.Used(&info))
	const piece = 256 << 10
	for off := 0; off < len(data); off += piece {
		fmt.Fprintf(tables["chunk"], "%d\t%d\t%s\n", id, off, bytea(data[off:min(off+piece, len(data))]))
	}
	spent, sums, err := ownResponses(p.facts.Spent, id)
	if err != nil {
		return err
	}
	fmt.Fprintf(tables["fact"], "%d\t%s\t%s\t%d\n", id, bytea(row), bytea(sums), p.facts.To)
	for nr, words := range p.parts {
		if len(words) > 0 {
			fmt.Fprintf(tables["part"], "%d\t%d\t%s\n", id, nr, strings.Join(words, " "))
		}
	}
	fmt.Fprintf(tables["spent"], "%d\t0\t%s\n", id, bytea(spent))
	for _, l := range p.facts.Lines {
		fmt.Fprintf(tables["line"], "%d\t%d\t%d\t%[4]s#%[1]d.%[5]d %[4]s%[6]s\n", id, l.Offset, l.Size, scope, l.Offset>>20, strings.ReplaceAll(l.Words, " ", " "+scope))
	}
	return nil
}

// ownResponses returns the costs of a session with responses of its own: as
// copies of another's, they would not count.
func ownResponses(piece []byte, id int64) (spent, sums []byte, err error) {
	var s spending.Scanner
	if err := s.Unpack(string(piece[1:])); err != nil {
		return nil, nil, err
	}
	for i := range s.Found {
		binary.BigEndian.PutUint64(s.Found[i].Key[:], uint64(id)<<32|uint64(i))
	}
	all := s.Pack()
	return append(piece[:1:1], all...), cost.Sum(string(all)), nil
}

// bytea returns bytes in the text format of COPY.
func bytea(p []byte) string { return `\\x` + hex.EncodeToString(p) }
