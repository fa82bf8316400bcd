package pgteam

import (
	"context"
	"encoding/json"
	"iter"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pith-sessions/pith/replica"
)

// A Session is a copy of a session as a list shows it.
type Session struct {
	Number  int64
	Person  string
	Machine string
	ID      string
	Used    time.Time // never in the future
	Size    int64
	Facts   replica.Facts
}

func (x *Session) scan(row pgx.CollectableRow, more ...any) error {
	var facts []byte
	err := row.Scan(append([]any{&x.Number, &x.Person, &x.Machine, &x.ID, &x.Used, &x.Size, &facts}, more...)...)
	if err == nil && json.Unmarshal(facts, &x.Facts) != nil {
		x.Facts = replica.Facts{} // a lie shows only on the liar's own session
	}
	x.Facts.Modified = x.Used
	return err
}

// page is how many sessions are read at a time.
const page = 200

// Sessions yields the sessions that this person may read, the most recently
// used first. A session with copies on several machines comes once, as on the
// machine that used it last. An error comes once, last.
func (s *Store) Sessions(ctx context.Context) iter.Seq2[Session, error] {
	return func(yield func(Session, error) bool) {
		used, number := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), int64(math.MaxInt64)
		seen := map[[2]string]bool{}
		for {
			list, err := rows(ctx, s, "list", func(row pgx.CollectableRow) (x Session, err error) { return x, x.scan(row) },
				"SELECT id, person, machine, session, used, len, facts FROM {schema}.sessions($1, $2, $3)", int32(page), used, number)
			if err != nil {
				yield(Session{}, err)
				return
			}
			for _, x := range list {
				used, number = x.Used, x.Number
				key := [2]string{x.Person, x.ID}
				if !seen[key] && replica.ValidName(x.Person) && !yield(x, nil) {
					return
				}
				seen[key] = true
			}
			if len(list) < page {
				return
			}
		}
	}
}

// A Match is a line that has all words of a search.
type Match struct {
	Session Session
	Offset  int64
	Line    []byte
}

// Search finds at most that many lines that contain all terms, as
// [search.Query.Needs] returns them: in the most recently used session first,
// and in it the last line first.
func (s *Store) Search(ctx context.Context, words, prefixes []string, most int) ([]Match, error) {
	return rows(ctx, s, "search", func(row pgx.CollectableRow) (m Match, err error) {
		err = m.Session.scan(row, &m.Offset, &m.Line)
		return m, err
	}, "SELECT id, person, machine, session, used, len, facts, off, line FROM {schema}.search($1, $2, $3)", words, prefixes, int32(most))
}

// Usage is what the responses of models with one key consumed. Cost is in
// millionths of a dollar.
type Usage struct {
	Key       string `json:"key"`
	Responses int64  `json:"responses"`
	Tokens    int64  `json:"tokens"`
	Cost      int64  `json:"costMicros"`
}

// Usage adds up responses by "day", "month", "model", "person" or "session".
// Days and months are those of UTC. Zero times mean no limit.
func (s *Store) Usage(ctx context.Context, by string, since, until time.Time) ([]Usage, error) {
	return rows(ctx, s, "add up", pgx.RowToStructByPos[Usage], "SELECT key, responses, tokens, cost FROM {schema}.usage($1, $2, $3)", by, orNull(since), orNull(until))
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
