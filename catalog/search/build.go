package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache"
)

// A Build configures Fill.
type Build struct {
	// Catalog selects the sessions.
	Catalog catalog.Options
	// Within is an approximate time limit; 0 means no limit.
	Within time.Duration
	// Progress is called from time to time, by one goroutine, with the number of
	// session bytes that are indexed and the total.
	Progress func(done, total int64)
}

const (
	// batchText is the number of bytes of words written in one transaction.
	batchText = 2 << 20
	// lockPause is the time between two attempts to write to a database that
	// another process is writing to, and lockTries their number.
	lockPause = 50 * time.Millisecond
	lockTries = 100
)

// errOutdated means that another process has indexed a file meanwhile.
var errOutdated = errors.New("another process was faster")

// Fill indexes the parts of all sessions that are not indexed yet, the least
// recently used session first, and removes files that are gone. If ctx ends, it
// returns early without an error, and the parts indexed until then stay. It
// waits for another process that is writing.
func (ix *Index) Fill(ctx context.Context, b Build) error {
	if b.Within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.Within)
		defer cancel()
	}
	b.Catalog.Text, b.Catalog.Progress, b.Catalog.IncludeInternal = false, nil, true
	infos, err := catalog.Sorted(catalog.ListAll(ctx, b.Catalog))
	slices.Reverse(infos)
	for last := int64(-1); err == nil; {
		var have map[string]*source
		if have, err = ix.load(ctx); err != nil {
			break
		}
		indexed := int64(0)
		for _, s := range have {
			indexed += s.mark.end
		}
		if indexed == last {
			break // no process makes progress
		}
		if err = ix.fill(ctx, b, infos, have); !errors.Is(err, errOutdated) {
			break
		}
		last, err = indexed, nil // read what is missing now
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (ix *Index) load(ctx context.Context) (have map[string]*source, err error) {
	err = ix.db.Read(ctx, func(tx *sql.Tx) error {
		have, err = sources(ctx, tx)
		return err
	})
	return have, err
}

// Pending returns the number of session bytes that are not in the index.
func (ix *Index) Pending(ctx context.Context, infos []catalog.Info) (int64, error) {
	have, err := ix.load(ctx)
	var n int64
	for i := range infos {
		n += infos[i].Size
		if s := have[infos[i].Path]; s != nil && s.mark.covers(&infos[i]) {
			n -= min(s.mark.end, infos[i].Size) // it may have grown since it was listed
		}
	}
	return n, err
}

func (ix *Index) fill(ctx context.Context, b Build, infos []catalog.Info, have map[string]*source) error {
	var done, total int64
	var jobs []job
	there := make(map[string]bool, len(infos))
	for i := range infos {
		info := &infos[i]
		there[info.Path] = true
		j := job{path: info.Path, before: have[info.Path]}
		if j.before != nil && j.before.mark.covers(info) {
			j.from = j.before.mark.end
		}
		total, done = total+info.Size, done+j.from
		if info.Size > j.from {
			jobs = append(jobs, j)
		}
	}
	var gone []int64
	for path, s := range have {
		if !there[path] {
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				gone = append(gone, s.id)
			}
		}
	}
	if err := ix.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, id := range gone {
			if err := forget(ctx, tx, id); err != nil {
				return err
			}
		}
		return nil
	}, len(gone)); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts := make(chan part, 1)
	go func() {
		defer close(parts)
		var x indexer
		for _, j := range jobs {
			if !x.file(ctx, j, parts) {
				return
			}
		}
	}()
	var batch []part
	var failed error
	text := 0
	add := func() {
		if failed == nil {
			failed = ix.write(ctx, func(ctx context.Context, tx *sql.Tx) error { return addAll(ctx, tx, batch) }, len(batch))
		}
		if failed != nil {
			cancel() // the goroutine ends when it sees that
		}
		batch, text = nil, 0
	}
	for p := range parts {
		batch = append(batch, p)
		if done += p.bytes; b.Progress != nil {
			b.Progress(done, total)
		}
		if text += p.text; text >= batchText {
			add()
		}
	}
	add() // also if the time is over: each call stores something
	return failed
}

// write writes n things to the index, and waits for another process that is
// writing. If ctx ends, it stops waiting, but a write in progress is completed,
// because its entries are worth storing.
func (ix *Index) write(ctx context.Context, do func(context.Context, *sql.Tx) error, n int) (err error) {
	if n == 0 {
		return nil
	}
	whole := context.WithoutCancel(ctx)
	for range lockTries {
		err = ix.db.Write(whole, func(tx *sql.Tx) error { return do(whole, tx) })
		if !errors.Is(err, cache.ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(lockPause):
		}
	}
	return err
}

// addAll adds parts to the index. The error is errOutdated if a file is not
// indexed as it was when a part of it was made.
func addAll(ctx context.Context, tx *sql.Tx, parts []part) error {
	var next int64
	if err := tx.QueryRowContext(ctx, "SELECT ifnull(max(id), 0) + 1 FROM entry").Scan(&next); err != nil {
		return err
	}
	place, err := tx.PrepareContext(ctx, "INSERT INTO entry (id, file, offset, length, role, sum) VALUES (?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	defer place.Close()
	words, err := tx.PrepareContext(ctx, "INSERT INTO word (rowid, text) VALUES (?, ?)")
	if err != nil {
		return err
	}
	defer words.Close()
	for i := range parts {
		p := &parts[i]
		of, err := claim(ctx, tx, p, next)
		if err != nil {
			return fmt.Errorf("index %s: %w", p.path, err)
		}
		for _, e := range p.entries {
			if _, err := place.ExecContext(ctx, next, of.id, e.offset, e.length, e.role, sumOf(next, of.id, e.offset, e.length, int64(e.role))); err != nil {
				return err
			}
			if _, err := words.ExecContext(ctx, next, string(e.words)); err != nil {
				return err
			}
			next++
		}
		m := &p.mark
		of.mark, of.last = *m, next-1
		if _, err := tx.ExecContext(ctx, "UPDATE indexed SET dev = ?, ino = ?, size = ?, mtime = ?, read_to = ?, tail_hash = ?, last = ?, sum = ? WHERE id = ?",
			m.dev, m.ino, m.size, m.mtime, m.end, m.tail, of.last, of.sum(), of.id); err != nil {
			return err
		}
	}
	return nil
}

// claim finds or creates the source of a part, whose entries have ids from next
// on.
func claim(ctx context.Context, tx *sql.Tx, p *part, next int64) (of source, err error) {
	var end, tail int64
	err = tx.QueryRowContext(ctx, "SELECT id, read_to, tail_hash, first FROM indexed WHERE path = ?", p.path).Scan(&of.id, &end, &tail, &of.first)
	switch {
	case errors.Is(err, sql.ErrNoRows) && p.before == nil:
	case errors.Is(err, sql.ErrNoRows), err == nil && (p.before == nil || end != p.before.mark.end || tail != p.before.mark.tail):
		return of, errOutdated
	case err != nil || !p.afresh:
		return of, err
	default:
		if err := forget(ctx, tx, of.id); err != nil {
			return of, err
		}
	}
	r, err := tx.ExecContext(ctx, "INSERT INTO indexed (path, dev, ino, size, mtime, read_to, tail_hash, first, last, sum) VALUES (?, 0, 0, 0, 0, 0, 0, ?, 0, 0)", p.path, next)
	if err != nil {
		return of, err
	}
	of.first = next
	of.id, err = r.LastInsertId()
	return of, err
}

// forget removes a file and its entries.
func forget(ctx context.Context, tx *sql.Tx, id int64) error {
	const entries = "(SELECT e.id FROM indexed i JOIN entry e ON e.id BETWEEN i.first AND i.last AND e.file = i.id WHERE i.id = ?)"
	for _, statement := range []string{"DELETE FROM word WHERE rowid IN " + entries, "DELETE FROM entry WHERE id IN " + entries, "DELETE FROM indexed WHERE id = ?"} {
		if _, err := tx.ExecContext(ctx, statement, id); err != nil {
			return err
		}
	}
	return nil
}
