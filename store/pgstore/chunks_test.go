package pgstore_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// Small chunks become few large ones, and concurrent readers see every byte.
func TestSmallChunksAreMerged(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	s, other := connect(t, dsn, pgstore.Options{Schema: schema}), connect(t, dsn, pgstore.Options{Schema: schema})
	l := fresh(t, s, "/log", nil)
	random := rand.New(rand.NewPCG(1, 2))
	var want []byte
	for len(want) < 3<<20 {
		p := make([]byte, 1+random.IntN(9000))
		if random.IntN(100) == 0 {
			p = make([]byte, 300<<10)
		}
		for i := range p {
			p[i] = byte(random.Uint32())
		}
		if _, err := l.Append(t.Context(), int64(len(want)), p); err != nil {
			t.Fatalf("Append = %v", err)
		}
		want = append(want, p...)
	}
	var wg sync.WaitGroup
	for _, s := range []*pgstore.Store{s, other} { // two that merge concurrently
		wg.Go(func() {
			for range 3 {
				_ = s.Tidy(t.Context()) // one of them finds the other at work
			}
		})
	}
	for range 20 {
		same(t, l, want)
	}
	wg.Wait()
	if err := s.Tidy(t.Context()); err != nil {
		t.Errorf("Tidy = %v; want nil", err)
	}
	same(t, l, want)
	chunks := number(t, dsn, "SELECT count(*) FROM "+schema+".chunk")
	if most := int64(len(want)/(256<<10) + 200); chunks > most {
		t.Errorf("%d bytes are in %d chunks after tidying; want at most %d", len(want), chunks, most)
	}
}

// Reads at every place and of every length give the bytes that are there, before and
// after they were merged, and so do large appends.
func TestReadAnywhere(t *testing.T) {
	s := connect(t, pgtest.DSN(t), pgstore.Options{})
	var want bytes.Buffer
	if err := writeLines(&want, 5<<20); err != nil {
		t.Fatal(err)
	}
	l := fresh(t, s, "/log", store.Bytes(want.Bytes()[:1<<20]))
	if _, err := l.Append(t.Context(), 1<<20, want.Bytes()[1<<20:]); err != nil { // in one transaction
		t.Fatalf("Append of 4 MB = %v", err)
	}
	same(t, l, want.Bytes())
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		off := random.Int64N(int64(want.Len()))
		p := make([]byte, random.IntN(1<<20))
		n, err := l.ReadAt(p, off)
		expect := want.Bytes()[off:min(int(off)+len(p), want.Len())]
		if !bytes.Equal(p[:n], expect) || (n < len(p)) != (err == io.EOF) {
			t.Fatalf("ReadAt(%d bytes, %d) = %d, %v; want %d bytes of the log", len(p), off, n, err, len(expect))
		}
	}
}

// A log that lost its name is kept while it is open, and removed later.
func TestNamelessLogsAreRemoved(t *testing.T) {
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	s := connect(t, dsn, pgstore.Options{Schema: schema})
	l := fresh(t, s, "/log", store.Bytes([]byte("abc")))
	next, err := s.Replace(t.Context(), l, 3, store.Bytes([]byte("next")), "")
	if err != nil {
		t.Fatalf("Replace = %v", err)
	}
	defer next.Close()
	if err := s.Tidy(t.Context()); err != nil {
		t.Fatalf("Tidy = %v", err)
	}
	p := make([]byte, 3)
	if n, err := l.ReadAt(p, 0); n != 3 || err != nil {
		t.Errorf("ReadAt of a replaced log = %d, %v; want 3, nil", n, err)
	}
	if err := s.Remove(t.Context(), "/log"); err != nil { // its bytes are removed immediately
		t.Fatalf("Remove = %v", err)
	}
	if _, err := next.ReadAt(p, 0); err == nil {
		t.Error("ReadAt of a removed log = nil; want an error")
	}
	pgtest.Exec(t, dsn, "UPDATE "+schema+".log SET since = now() - interval '2 days'")
	if err := s.Tidy(t.Context()); err != nil {
		t.Fatalf("Tidy = %v", err)
	}
	if n := number(t, dsn, "SELECT count(*) FROM "+schema+".log") + number(t, dsn, "SELECT count(*) FROM "+schema+".chunk"); n != 0 {
		t.Errorf("%d rows are left; want none", n)
	}
}

// Where the server does not wait for the disk, Sync does.
func TestSync(t *testing.T) {
	server := pgtest.Start(t, "synchronous_commit=off", "wal_writer_delay=10s")
	s := connect(t, server.DSN(), pgstore.Options{Schema: "pith"})
	l := fresh(t, s, "/log", nil)
	if _, err := l.Append(t.Context(), 0, []byte("abc")); err != nil {
		t.Fatal(err)
	}
	if err := l.Sync(t.Context()); err != nil {
		t.Fatalf("Sync = %v", err)
	}
	server.Crash()
	server.Start(t)
	if size, err := l.Size(t.Context()); size != 3 || err != nil {
		t.Errorf("Size after the crash = %d, %v; want 3, nil", size, err)
	}
}

// T1, T5: behind pgbouncer in transaction mode each statement can get another
// connection.
func TestBehindPgbouncer(t *testing.T) {
	dsn := pgtest.Start(t, "fsync=off").Pooler(t)
	o := pgstore.Options{Schema: "pith", Patience: 30 * time.Second}
	s, other := connect(t, dsn, o), connect(t, dsn, o)
	l := fresh(t, s, "/log", nil)
	var wg sync.WaitGroup
	const writers, lines = 8, 40
	for range writers {
		wg.Go(func() {
			own, err := other.Open(t.Context(), "/log")
			if err != nil {
				t.Errorf("Open = %v", err)
				return
			}
			defer own.Close()
			for range lines {
				if err := persist(own, []byte("0123456789")); err != nil {
					t.Errorf("Append = %v", err)
					return
				}
			}
		})
	}
	wg.Wait()
	same(t, l, bytes.Repeat([]byte("0123456789"), writers*lines))
	next, err := s.Replace(t.Context(), l, 10*writers*lines, store.Bytes([]byte("new")), "/backup")
	if err != nil {
		t.Fatalf("Replace = %v", err)
	}
	defer next.Close()
	same(t, next, []byte("new"))
	if err := s.Tidy(t.Context()); err != nil {
		t.Errorf("Tidy = %v", err)
	}
}

// same checks that a log holds want, read as a walk over it.
func same(t *testing.T, l store.Log, want []byte) {
	t.Helper()
	size, err := l.Size(t.Context())
	if err != nil || size != int64(len(want)) {
		t.Fatalf("Size = %d, %v; want %d", size, err, len(want))
	}
	got := make([]byte, 0, size)
	for block := make([]byte, 200<<10); len(got) < len(want); {
		n, err := l.ReadAt(block[:min(len(block), len(want)-len(got))], int64(len(got)))
		if err != nil {
			t.Fatalf("ReadAt = %v", err)
		}
		got = append(got, block[:n]...)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("the log does not hold what was written")
	}
}

// number is the answer to a question.
func number(t *testing.T, dsn, sql string) (n int64) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if err := c.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// hold runs a statement in a transaction that lasts until the result is called.
func hold(t *testing.T, dsn, sql string) (end func()) {
	t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := c.Begin(ctx)
	if err == nil {
		_, err = tx.Exec(ctx, sql)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = tx.Rollback(ctx)
		_ = c.Close(ctx)
	}
}
