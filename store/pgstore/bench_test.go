package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// durable is a server as it comes: it waits for the disk. The benchmarks of appends
// need that.
func durable(b *testing.B) string {
	b.Helper()
	return pgtest.Start(b, "max_connections=100").DSN()
}

// BenchmarkAppend compares an append with the cheapest insert that could keep the same
// bytes, on the same connection. They take turns, so that a busy machine slows both.
func BenchmarkAppend(b *testing.B) {
	for _, setting := range []string{"synchronous_commit=on", "synchronous_commit=off", "fsync=off"} {
		b.Run(setting, func(b *testing.B) {
			dsn := pgtest.Start(b, setting).DSN()
			pgtest.Exec(b, dsn, `CREATE TABLE bare (log bigint, off bigint, data bytea, PRIMARY KEY (log, off))`)
			s := connect(b, dsn+" pool_max_conns=1", pgstore.Options{Schema: "bench"})
			err := s.Do(b.Context(), "compare", func(ctx context.Context, pool *pgxpool.Pool) error {
				return compareAppends(b, pool, fresh(b, s, "/bench/append", nil))
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

func compareAppends(b *testing.B, pool *pgxpool.Pool, l store.Log) error {
	line := bytes.Repeat([]byte("x"), 400)
	var inserts, appends []time.Duration
	for at := int64(0); b.Loop(); at += int64(len(line)) {
		start := time.Now()
		if _, err := pool.Exec(b.Context(), `INSERT INTO public.bare (log, off, data) VALUES ($1, $2, $3)`, 1, at, line); err != nil {
			return err
		}
		between := time.Now()
		if _, err := l.Append(b.Context(), at, line); err != nil {
			return err
		}
		inserts, appends = append(inserts, between.Sub(start)), append(appends, time.Since(between))
	}
	insert, add := median(inserts), median(appends)
	b.ReportMetric(float64(insert.Microseconds()), "µs/insert")
	b.ReportMetric(float64(add.Microseconds()), "µs/append")
	b.ReportMetric(float64(add)/float64(insert), "append/insert")
	return nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// BenchmarkManyWriters lets 64 writers append concurrently: 1,000 lines each to
// their own logs, and fewer to a shared one, where all but one of those that
// try at the same moment must try again.
func BenchmarkManyWriters(b *testing.B) {
	const writers = 64
	round := 0
	for _, tt := range []struct {
		name        string
		logs, lines int
	}{{"a log each", writers, 1000}, {"one log", 1, 20}} {
		logs, lines := tt.logs, tt.lines
		b.Run(tt.name, func(b *testing.B) {
			dsn := durable(b)
			s := connect(b, dsn+" pool_max_conns=32", pgstore.Options{Schema: "bench"})
			line := bytes.Repeat([]byte("x"), 400)
			bare := bareAppender(b, dsn)
			var alone, together time.Duration
			for b.Loop() {
				round++
				start := time.Now()
				bare(line, lines)
				alone += time.Since(start)
				start = time.Now()
				var wg sync.WaitGroup
				for w := range writers {
					name := fmt.Sprintf("/bench/%d/%d", round, w%logs)
					if w < logs {
						fresh(b, s, name, nil)
					}
					wg.Go(func() {
						l, err := s.Open(b.Context(), name)
						for err != nil {
							l, err = s.Open(b.Context(), name)
						}
						defer l.Close()
						for range lines {
							if err := persist(l, line); err != nil {
								b.Error(err)
								return
							}
						}
					})
				}
				wg.Wait()
				together += time.Since(start)
				for w := range logs {
					l, err := s.Open(b.Context(), fmt.Sprintf("/bench/%d/%d", round, w))
					if err != nil {
						b.Fatal(err)
					}
					if size, err := l.Size(b.Context()); err != nil || size != int64(writers/logs*lines*len(line)) {
						b.Fatalf("the log has %d bytes, %v", size, err)
					}
					l.Close()
				}
			}
			b.ReportMetric(float64(writers*lines*b.N)/together.Seconds(), "appends/s")
			b.ReportMetric(float64(lines*b.N)/alone.Seconds(), "alone/s")
		})
	}
}

// bareAppender appends to a log of its own with the statement alone, over one connection,
// one line after the other: more than one log can take at a time.
func bareAppender(b *testing.B, dsn string) func(line []byte, times int) {
	pgtest.Exec(b, dsn, `CREATE TABLE bare_log (id bigint PRIMARY KEY, len bigint) WITH (fillfactor = 50);
		INSERT INTO bare_log VALUES (1, 0); CREATE TABLE bare_chunk (log bigint, off bigint, data bytea, PRIMARY KEY (log, off))`)
	c, err := pgx.Connect(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close(context.Background()) })
	at := int64(0)
	return func(line []byte, times int) {
		for range times {
			done, err := c.Exec(b.Context(), `WITH l AS (UPDATE bare_log SET len = len + $2 WHERE id = 1 AND len = $1 RETURNING id)
				INSERT INTO bare_chunk SELECT id, $1, $3 FROM l`, at, int64(len(line)), line)
			if err != nil || done.RowsAffected() != 1 {
				b.Fatal(done, err)
			}
			at += int64(len(line))
		}
	}
}

// BenchmarkRead reads 100 MB as an opening session does, in blocks of 256 KiB.
func BenchmarkRead(b *testing.B) {
	const size = 100 << 20
	s := connect(b, pgtest.DSN(b), pgstore.Options{})
	l := fresh(b, s, "/bench/read", func(w io.Writer) error { return writeLines(w, size) })
	block := make([]byte, 256<<10)
	b.SetBytes(size)
	for b.Loop() {
		for off := int64(0); off < size; off += int64(len(block)) {
			if _, err := l.ReadAt(block, off); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// writeLines writes size bytes that look like a session's.
func writeLines(w io.Writer, size int) error {
	for i := 0; size > 0; i++ {
		line := fmt.Appendf(nil, `{"type":"message","id":"%08x","parentId":"%08x","message":{"role":"user","content":"%d %x"}}`+"\n", i, i-1, i*7919, bytes.Repeat([]byte{byte(i), byte(i >> 3)}, 600))
		n := min(size, len(line))
		if _, err := w.Write(line[:n]); err != nil {
			return err
		}
		size -= n
	}
	return nil
}

// fresh makes a log that is closed with the test.
func fresh(tb testing.TB, s store.Store, name string, fill store.Fill) store.Log {
	tb.Helper()
	if fill == nil {
		fill = store.Bytes(nil)
	}
	l, err := s.Create(tb.Context(), name, fill)
	if err != nil {
		tb.Fatalf("Create(%s) = %v; want a log", name, err)
	}
	tb.Cleanup(func() { l.Close() })
	return l
}

// persist appends p as soon as no other writer is in the way.
func persist(l store.Log, p []byte) error {
	size, err := l.Size(context.Background())
	for err == nil {
		_, err = l.Append(context.Background(), size, p)
		var conflict *store.ConflictError
		if !errors.As(err, &conflict) {
			return err
		}
		size, err = conflict.Have, nil
	}
	return err
}
