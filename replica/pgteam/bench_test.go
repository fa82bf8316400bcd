package pgteam_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pith-sessions/pith/replica/pgteam"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

// BenchmarkAppend compares an append through the functions of a team with a bare insert,
// on the same connection, in turns.
func BenchmarkAppend(b *testing.B) {
	dsn := pgtest.Start(b, "fsync=off").DSN()
	pgtest.Exec(b, dsn, `CREATE TABLE bare (log bigint, off bigint, data bytea, PRIMARY KEY (log, off))`)
	s, err := pgteam.Init(b.Context(), dsn+" pool_max_conns=1", "", pgstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	l, err := s.Create(b.Context(), "/"+pgtest.User+"/m/s/1", store.Bytes(nil))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	line := bytes.Repeat([]byte("x"), 400)
	var inserts, appends []time.Duration
	err = s.Do(b.Context(), "compare", func(ctx context.Context, pool *pgxpool.Pool) error {
		for at := int64(0); b.Loop(); at += int64(len(line)) {
			start := time.Now()
			if _, err := pool.Exec(ctx, `INSERT INTO public.bare (log, off, data) VALUES ($1, $2, $3)`, 1, at, line); err != nil {
				return err
			}
			between := time.Now()
			if _, err := l.Append(ctx, at, line); err != nil {
				return err
			}
			inserts, appends = append(inserts, between.Sub(start)), append(appends, time.Since(between))
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(inserts)
	slices.Sort(appends)
	insert, add := inserts[len(inserts)/2], appends[len(appends)/2]
	b.ReportMetric(float64(add)/float64(insert), "append/insert")
}
