package catalog

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/edits"
	"github.com/pith-sessions/pith/internal/spending"
)

// This file has what a read collects on request beside the facts: the responses
// of models, and the files that tools touched.

// A collection is what was collected of a file: all of it, or what follows the
// row that another one continues.
type collection struct {
	responses []responseRow
	touches   []edits.Touch
}

var (
	responseTable = cache.Table[responseRow]{
		Name: "response",
		Columns: []string{
			"key_high", "key_low", "at", "model", "kind", "input", "output", "cache_read", "cache_write", "cache_write_1h", "tokens", "cost", "unpriced", "entry", "call",
		},
		Fields: (*responseRow).fields,
	}
	touchedTable = cache.Table[edits.Touch]{
		Name:    "touched",
		Columns: []string{"path", "renamed_from", "reads", "call_at", "call_size", "result_at", "result_size"},
		Fields: func(t *edits.Touch) []any {
			return []any{&t.Path, &t.From, &t.Reads, &t.Call.At, &t.Call.Size, &t.Result.At, &t.Result.Size}
		},
	}
)

// A responseRow is a response as the index stores it.
type responseRow struct {
	high, low int64 // of its key
	at        int64 // milliseconds, or noTime
	spending.Response
}

const noTime = math.MinInt64

func (r *responseRow) fields() []any {
	u := &r.Spent
	return []any{
		&r.high, &r.low, &r.at, &r.Model, &r.Kind, &u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.CacheWrite1h, &u.Tokens, (*int64)(&u.Cost), &u.Unpriced,
		&r.Entry, &r.Call,
	}
}

func responseRowOf(f *spending.Response) responseRow {
	r := responseRow{int64(binary.BigEndian.Uint64(f.Key[:8])), int64(binary.BigEndian.Uint64(f.Key[8:])), noTime, *f}
	if !f.Time.IsZero() {
		r.at = f.Time.UnixMilli()
	}
	return r
}

func (r *responseRow) response() spending.Response {
	binary.BigEndian.PutUint64(r.Key[:8], uint64(r.high))
	binary.BigEndian.PutUint64(r.Key[8:], uint64(r.low))
	if r.at != noTime {
		r.Time = time.UnixMilli(r.at)
	}
	return r.Response
}

// collects returns the query for a read of a file that was read before: what was
// collected of it is collected again, so that a list does not lose it.
func (q query) collects(old *row, path string) query {
	if old != nil && old.path == path {
		q.spent, q.touched = q.spent || old.responses >= 0, q.touched || old.touches >= 0
	}
	return q
}

// collected puts what was collected into a row. base is the row that it continues,
// or nil.
func (is *row) collected(f *facts, base *row) {
	is.responses, is.touches, is.base = -1, -1, base
	if base == nil {
		base = &row{}
	}
	if f.query.spent {
		found := f.responses.Found()
		is.found.responses = make([]responseRow, len(found.Responses))
		for i := range found.Responses {
			is.found.responses[i] = responseRowOf(&found.Responses[i])
		}
		is.responses, is.runs = base.responses+len(found.Responses), base.runs || found.Runs
		is.responsesSum = responseTable.Sum(base.responsesSum, is.found.responses)
	}
	if f.query.touched {
		is.found.touches = f.touches.Touches()
		is.touches = base.touches + len(is.found.touches)
		is.touchesSum = touchedTable.Sum(base.touchesSum, is.found.touches)
		open, _ := json.Marshal(f.touches.Open()) // of plain values
		is.openCalls = string(open)
	}
}

// gives adds what the query asks for to the info of a row.
func (r *row) gives(info *Info, q *query) {
	var before collection
	if r.base != nil {
		before = r.base.found
	}
	if q.spent && r.responses >= 0 {
		found := spending.Found{Responses: make([]spending.Response, 0, r.responses), Runs: r.runs}
		for _, rows := range [...][]responseRow{before.responses, r.found.responses} {
			for i := range rows {
				found.Responses = append(found.Responses, rows[i].response())
			}
		}
		info.Responses = found
	}
	if q.touched && r.touches >= 0 {
		info.Touched = slices.Concat(before.touches, r.found.touches)
	}
}

// isWhole reports whether everything that was collected for a row was loaded, if
// the query asks for it.
func (r *row) isWhole(q *query) bool {
	if q.spent && r.responses >= 0 && (len(r.found.responses) != r.responses || responseTable.Sum(0, r.found.responses) != r.responsesSum) {
		return false
	}
	return !q.touched || r.touches < 0 || len(r.found.touches) == r.touches && touchedTable.Sum(0, r.found.touches) == r.touchesSum
}
