package pgstore_test

import (
	"bytes"
	"context"
	"errors"
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

// Small chunks become few large ones while several clients write, and readers
// see every byte.
func TestSmallChunksAreMerged(t *testing.T) {
	const size = 3 << 20
	dsn, schema := pgtest.DSN(t), pgtest.Schema(t)
	l := fresh(t, connect(t, dsn, pgstore.Options{Schema: schema}), "/log", nil)
	var writers sync.WaitGroup
	for w := range 3 {
		own, err := connect(t, dsn, pgstore.Options{Schema: schema}).Open(t.Context(), "/log")
		if err != nil {
			t.Fatal(err)
		}
		defer own.Close()
		random := rand.New(rand.NewPCG(1, uint64(w)))
		writers.Go(func() {
			at, err := own.Size(t.Context())
			for at < size && err == nil {
				n := 1 + random.IntN(9000)
				if random.IntN(100) == 0 {
					n = 600 << 10
				}
				if _, err = own.Append(t.Context(), at, pattern(at, n)); errors.Is(err, store.ErrConflict) || err == nil {
					at, err = own.Size(t.Context())
				}
			}
			if err != nil {
				t.Errorf("writer %d: %v", w, err)
			}
		})
	}
	written := make(chan struct{})
	go func() {
		writers.Wait()
		close(written)
	}()
	for done := false; !done; {
		select {
		case <-written:
			done = true
		default:
		}
		now, err := l.Size(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(l, 0, now))
		if err != nil || !bytes.Equal(got, pattern(0, int(now))) {
			t.Fatalf("a reader finds %d of %d bytes, %v; want all, as written", len(got), now, err)
		}
	}
	now, err := l.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	chunks := number(t, dsn, "SELECT count(*) FROM "+schema+".chunk")
	if most := now/(256<<10) + 300; chunks > most { // the last 512 KiB are in small ones
		t.Errorf("%d bytes are in %d chunks; want at most %d", now, chunks, most)
	}
}

// pattern returns the bytes of a test log from an offset.
func pattern(off int64, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		at := off + int64(i)
		p[i] = byte(at ^ at>>8 ^ at>>16)
	}
	return p
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
	fresh(t, connect(t, dsn, pgstore.Options{Schema: schema}), "/another", nil) // the first log that a store makes
	if logs, chunks := number(t, dsn, "SELECT count(*) FROM "+schema+".log"), number(t, dsn, "SELECT count(*) FROM "+schema+".chunk"); logs != 1 || chunks != 0 {
		t.Errorf("%d logs and %d chunks are left; want only the new log", logs, chunks)
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
