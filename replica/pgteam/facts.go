package pgteam

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pith-sessions/pith/replica"
)

var _ replica.FactStore = (*Store)(nil)

// KeepsFacts reports whether the tables hold facts. Those of an older version
// do not until Init updates them.
func (s *Store) KeepsFacts() bool { return !s.factless }

// rows runs a statement and calls each for its rows, after it stored their
// columns in dst. It calls start first, and again if it tries again. Arguments and results are in the binary format, which takes
// half the bytes and a tenth of the time. It prepares no statement, because that
// takes a round trip.
func (s *Store) rows(ctx context.Context, op, sql string, args []any, start func(), dst []any, each func() error) error {
	return s.Do(ctx, op, func(ctx context.Context, pool *pgxpool.Pool) error {
		start()
		return pool.AcquireFunc(ctx, func(pooled *pgxpool.Conn) error {
			c := pooled.Conn()
			values, types, formats := make([][]byte, len(args)), make([]uint32, len(args)), make([]int16, len(args))
			for i, arg := range args {
				t, _ := c.TypeMap().TypeForValue(arg)
				if t == nil {
					return fmt.Errorf("argument %d has the type %T", i+1, arg)
				}
				value, err := c.TypeMap().Encode(t.OID, pgx.BinaryFormatCode, arg, []byte{})
				if err != nil {
					return err
				}
				values[i], types[i], formats[i] = value, t.OID, pgx.BinaryFormatCode
			}
			_, err := pgx.ForEachRow(pgx.RowsFromResultReader(c.TypeMap(), c.PgConn().ExecParams(ctx, sql, values, types, formats, []int16{pgx.BinaryFormatCode})), dst, each)
			return err
		})
	})
}

// FactsCovered implements replica.FactStore.
func (s *Store) FactsCovered(ctx context.Context, name string) (covered int64, err error) {
	if covered, ok := s.prepared.coverage(name); ok {
		return covered, nil
	}
	err = s.rows(ctx, "read facts", `SELECT covered FROM `+s.function("facts_covered")+`($1)`, []any{[]byte(name)}, func() {}, []any{&covered}, func() error { return nil })
	return covered, err
}

// AddFacts implements replica.FactStore.
func (s *Store) AddFacts(ctx context.Context, name string, f replica.NewFacts) error {
	offsets, sizes, words := make([]int64, len(f.Lines)), make([]int32, len(f.Lines)), make([]string, len(f.Lines))
	for i, t := range f.Lines {
		offsets[i], sizes[i], words[i] = t.Offset, int32(t.Size), t.Words
	}
	return s.rows(ctx, "write facts", `SELECT FROM `+s.function("add_facts")+`($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		[]any{[]byte(name), f.From, f.To, some(f.Row), some(f.Spent), offsets, sizes, words, f.Used, some(f.Sums)}, func() {}, nil, func() error { return nil })
}

// MissingFacts returns the names of this person's logs whose facts are missing or do
// not cover all of the log.
func (s *Store) MissingFacts(ctx context.Context) (names map[string]bool, err error) {
	var name []byte
	err = s.rows(ctx, "read facts", `SELECT name FROM `+s.function("facts_missing")+`()`, nil, func() { names = map[string]bool{} }, []any{&name}, func() error {
		names[string(name)] = true
		return nil
	})
	return names, err
}

// Facts returns the logs that this person may read, with their facts.
func (s *Store) Facts(ctx context.Context) (all []replica.LogFacts, err error) {
	var f replica.LogFacts
	var name, data, sums []byte
	err = s.rows(ctx, "read facts", `SELECT id, name, len, COALESCE(covered, -1), COALESCE(data, ''), COALESCE(sums, '') FROM `+s.function("facts")+`()`, nil,
		func() { all = nil }, []any{&f.Number, &name, &f.Size, &f.Covered, &data, &sums}, func() error {
			f.Name, f.Row, f.Sums = string(name), string(data), string(sums)
			all = append(all, f)
			return nil
		})
	return all, err
}

// Others are the sessions that Newest leaves out.
type Others struct {
	Count int      // of those that a list counts
	IDs   []string // of all
	Logs  []int64  // with most = 0: of those that a list counts; in any order
	Used  []int64  // when each of Logs was used: see [replica.Used]
}

// Newest returns the logs of the most recently used sessions with their facts,
// at most that many, and always those of the given sessions, and of sessions
// that have several logs or incomplete facts. Used is set in those that it
// chose by time.
func (s *Store) Newest(ctx context.Context, most int, sessions []string) (logs []replica.LogFacts, rest Others, err error) {
	var f replica.LogFacts
	var name, data []byte
	err = s.rows(ctx, "read facts", `SELECT COALESCE(id, 0), name, len, COALESCE(covered, -1), COALESCE(data, ''), COALESCE(used, 0), logs, uses FROM `+s.function("newest")+`($1, $2)`,
		[]any{int64(most), some(sessions)}, func() { logs, rest = nil, Others{} },
		[]any{&f.Number, &name, &f.Size, &f.Covered, &data, &f.Used, &rest.Logs, &rest.Used}, func() error {
			if f.Number == 0 {
				rest.Count, rest.IDs = int(f.Size), strings.Fields(string(name))
				return nil
			}
			f.Name, f.Row = string(name), string(data)
			logs = append(logs, f)
			return nil
		})
	return logs, rest, err
}

// Costs returns the pieces of usage of some logs, by number, in the order of
// the logs' bytes.
func (s *Store) Costs(ctx context.Context, logs []int64) (pieces map[int64][]string, err error) {
	if len(logs) == 0 {
		return nil, nil
	}
	var log int64
	var data []byte
	start := func() { pieces = make(map[int64][]string, len(logs)) }
	err = s.rows(ctx, "read costs", `SELECT log, data FROM `+s.function("costs")+`($1)`, []any{logs}, start, []any{&log, &data}, func() error {
		pieces[log] = append(pieces[log], string(data))
		return nil
	})
	return pieces, err
}

// A Search describes lines to find: those that contain all terms, as
// [search.Query.Needs] returns them.
type Search struct {
	Logs            []int64  // logs to search
	Without         []string // people whose logs are left out
	Words, Prefixes []string
	Most            int // number of lines
}

// A Place is the place of a line in a log.
type Place struct {
	Log    int64 // number of the log
	Offset int64
	Size   int32
	Facts  *replica.LogFacts // for the first line of a log in a result
}

// Search finds lines: those of the first log first, and the last line of each
// log first. Lines come from facts and may not contain the words.
func (s *Store) Search(ctx context.Context, q Search) (found []Place, err error) {
	var p Place
	var f replica.LogFacts
	var name, data []byte
	err = s.rows(ctx, "search", `SELECT log, off, size, name, COALESCE(len, 0), COALESCE(covered, -1), data FROM `+s.function("search")+`($1, $2, $3, $4, $5)`,
		[]any{some(q.Logs), some(q.Without), some(q.Words), some(q.Prefixes), int64(q.Most)}, func() { found = nil },
		[]any{&p.Log, &p.Offset, &p.Size, &name, &f.Size, &f.Covered, &data}, func() error {
			if p.Facts = nil; name != nil {
				p.Facts = &replica.LogFacts{Number: p.Log, Name: string(name), Size: f.Size, Covered: f.Covered, Row: string(data)}
			}
			found = append(found, p)
			return nil
		})
	return found, err
}

// some returns list, or an empty array for nil, which would be NULL.
func some[E any](list []E) []E {
	if list == nil {
		return []E{}
	}
	return list
}

// Lines reads lines of logs. The result has nil for one that this person may
// not read or that does not exist.
func (s *Store) Lines(ctx context.Context, places []Place) (lines [][]byte, err error) {
	logs, offsets, sizes := make([]int64, len(places)), make([]int64, len(places)), make([]int32, len(places))
	for i, p := range places {
		logs[i], offsets[i], sizes[i] = p.Log, p.Offset, p.Size
	}
	var number int64
	var data []byte
	start := func() { lines = make([][]byte, len(places)) }
	err = s.rows(ctx, "read lines", `SELECT nr, data FROM `+s.function("lines")+`($1, $2, $3)`, []any{logs, offsets, sizes}, start, []any{&number, &data}, func() error {
		lines[number-1] = append(lines[number-1], data...)
		return nil
	})
	return lines, err
}
