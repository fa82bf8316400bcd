package cost

import (
	"context"
	"encoding/binary"
	"math"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/spending"
)

// A row is a response as the cache stores it.
type row struct {
	high, low int64 // of its key
	at        int64 // milliseconds, or noTime
	spending.Response
}

const noTime = math.MinInt64

var columns = []string{
	"key_high", "key_low", "at", "model", "kind", "input", "output", "cache_read", "cache_write", "cache_write_1h", "tokens", "cost", "unpriced", "entry", "call",
}

func (r *row) fields() []any {
	u := &r.Spent
	return []any{
		&r.high, &r.low, &r.at, &r.Model, &r.Kind, &u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.CacheWrite1h, &u.Tokens, (*int64)(&u.Cost), &u.Unpriced,
		&r.Entry, &r.Call,
	}
}

// rowOf returns the row of a response.
func rowOf(f *spending.Response) row {
	r := row{int64(binary.BigEndian.Uint64(f.Key[:8])), int64(binary.BigEndian.Uint64(f.Key[8:])), noTime, *f}
	if !f.Time.IsZero() {
		r.at = f.Time.UnixMilli()
	}
	return r
}

// response returns the response of a row.
func (r *row) response() spending.Response {
	binary.BigEndian.PutUint64(r.Key[:8], uint64(r.high))
	binary.BigEndian.PutUint64(r.Key[8:], uint64(r.low))
	if r.at != noTime {
		r.Time = time.UnixMilli(r.at)
	}
	return r.Response
}

// A reader reads the spending recorded in files.
type reader struct {
	lines jsonl.Lines
	scan  spending.Scanner
	kept  *cache.Table[row] // results of earlier reads
}

// openRows opens the results of earlier reads.
func openRows(ctx context.Context, dir string) *cache.Table[row] {
	return cache.OpenTable(ctx, dir, "response", columns, (*row).fields)
}

// file finds all responses in a session file, in file order. info is that of the
// file, if it is in the list. The file is read unless the list did so or the
// result of an earlier read is stored.
func (r *reader) file(ctx context.Context, path string, info *catalog.Info) (spending.Found, error) {
	var found spending.Found
	kept, err := r.kept.Of(path, func() (_ cache.Found[row], err error) {
		if listed, ok := responsesOf(info); ok && isUnchanged(info) {
			found = listed
		} else {
			found, err = r.read(ctx, path)
		}
		rows := make([]row, len(found.Responses))
		for i := range rows {
			rows[i] = rowOf(&found.Responses[i])
		}
		return cache.Found[row]{Rows: rows, Mark: found.Runs}, err
	})
	if found.Responses == nil {
		found.Runs, found.Responses = kept.Mark, make([]spending.Response, len(kept.Rows))
		for i := range kept.Rows {
			found.Responses[i] = kept.Rows[i].response()
		}
	}
	return found, err
}

// responsesOf returns the responses that a list found.
func responsesOf(info *catalog.Info) (found spending.Found, ok bool) {
	if info != nil {
		found, ok = info.Responses.(spending.Found)
	}
	return found, ok
}

func (r *reader) read(ctx context.Context, path string) (spending.Found, error) {
	in, err := foreign.Open(ctx, path)
	if err != nil {
		return spending.Found{}, err
	}
	defer in.Close()
	r.scan.Reset()
	_, err = r.lines.Each(ctx, in, 0, math.MaxInt64, func(line *jsonl.Line) error { r.scan.Line(line.Data); return nil })
	return r.scan.Found(), err
}

// isUnchanged reports whether a file is as it was when it was listed.
func isUnchanged(info *catalog.Info) bool {
	now, err := foreign.Stat(info.Path)
	return err == nil && (now.Size() == info.Size || info.Inode.Device == cache.ForeignDevice) && now.ModTime().Equal(info.FileTime) && catalog.Inode(cache.InodeOf(now)) == info.Inode
}
