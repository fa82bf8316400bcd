// Package scans stores the results of scanning files in pith.db, so that an
// unchanged file is not read again. It does not interpret the results.
//
// Several processes may share them: deleting them loses nothing, and if they
// cannot be used, files are read.
package scans

import (
	"context"
	"database/sql"
	"encoding/binary"
	"hash/crc32"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/foreign"
)

// Kept contains the results of one kind for many files. A nil Kept stores
// nothing. It is safe for concurrent use.
type Kept struct {
	db      *cache.DB
	kind    string
	version int
	known   map[string]scan // by path; does not change

	mu    sync.Mutex // guards the fields below
	asked map[string]bool
	fresh map[string]scan
}

// A scan is the result for one file as it was then.
type scan struct{ identity, found string }

// sum returns a checksum, because SQLite does not notice a changed byte within a
// row.
func (s *scan) sum(path string) int64 {
	return int64(crc32.ChecksumIEEE([]byte(path + "\x00" + s.identity + s.found)))
}

// coarse is the time within which two changes of a file may have the same
// timestamp.
const coarse = 2 * time.Second

// Open opens the results of a kind in a cache directory. It returns nil if
// nothing can be stored. version is that of the callers' results.
func Open(ctx context.Context, dir, kind string, version int) *Kept {
	db, err := cache.Open(dir)
	if err != nil {
		return nil
	}
	k := &Kept{db: db, kind: kind, version: version, known: map[string]scan{}, asked: map[string]bool{}, fresh: map[string]scan{}}
	err = db.Read(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT path, file, found, sum FROM scan WHERE kind = ? AND version = ?", kind, version)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var path string
			var s scan
			var sum int64
			if err := rows.Scan(&path, &s.identity, &s.found, &sum); err != nil {
				return err
			}
			if s.sum(path) == sum {
				k.known[path] = s
			}
		}
		return rows.Err()
	})
	if err != nil {
		clear(k.known)
	}
	return k
}

// Load returns the result that was saved under a path that is not a file, if its
// key is the same.
func Load(ctx context.Context, dir, kind string, version int, path, key string) (found string, ok bool) {
	db, err := cache.Open(dir)
	if err != nil {
		return "", false
	}
	defer db.Close()
	var s scan
	var sum int64
	err = db.Read(ctx, func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT file, found, sum FROM scan WHERE kind = ? AND path = ? AND version = ?", kind, path, version).
			Scan(&s.identity, &s.found, &sum)
	})
	return s.found, err == nil && s.identity == key && s.sum(path) == sum
}

// Save saves a result for Load. Failures are ignored.
func Save(ctx context.Context, dir, kind string, version int, path, key, found string) {
	db, err := cache.Open(dir)
	if err != nil {
		return
	}
	defer db.Close()
	_ = store(ctx, db, kind, version, map[string]scan{path: {key, found}}, nil)
}

// store stores results and removes those of the paths gone.
func store(ctx context.Context, db *cache.DB, kind string, version int, scans map[string]scan, gone []string) error {
	return db.Write(ctx, func(tx *sql.Tx) error {
		for _, path := range gone {
			if _, err := tx.ExecContext(ctx, "DELETE FROM scan WHERE kind = ? AND path = ?", kind, path); err != nil {
				return err
			}
		}
		put, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO scan (kind, path, version, file, found, sum) VALUES (?, ?, ?, ?, ?, ?)")
		if err != nil {
			return err
		}
		defer put.Close()
		for path, s := range scans {
			if _, err := put.ExecContext(ctx, kind, path, version, []byte(s.identity), []byte(s.found), s.sum(path)); err != nil {
				return err
			}
		}
		return nil
	})
}

const identitySize = 4 * 8

// identityOf distinguishes a file from other files and from earlier versions of
// itself.
func identityOf(info fs.FileInfo) string {
	inode := cache.InodeOf(info)
	b := make([]byte, 0, identitySize)
	for _, n := range [...]uint64{inode.Device, inode.Number, uint64(info.Size()), uint64(info.ModTime().UnixNano())} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return string(b)
}

// Of returns the result for a file: the stored one, or otherwise the one that
// look returns now. If look fails, its partial result is returned but not
// stored.
func (k *Kept) Of(path string, look func() ([]byte, error)) (string, error) {
	if k == nil {
		found, err := look()
		return string(found), err
	}
	before, err := foreign.Stat(path)
	if err != nil {
		found, err := look()
		return string(found), err
	}
	identity := identityOf(before)
	k.mu.Lock()
	k.asked[path] = true
	k.mu.Unlock()
	if was, ok := k.known[path]; ok && was.identity == identity {
		return was.found, nil
	}
	found, err := look()
	if err != nil {
		return string(found), err
	}
	after, err := foreign.Stat(path)
	if err == nil && identityOf(after) == identity && time.Since(after.ModTime()).Abs() > coarse {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.fresh[path] = scan{identity, string(found)}
	}
	return string(found), nil
}

// Close stores new results and removes those of files that are gone. Failures
// are ignored: the files are then read again.
func (k *Kept) Close(ctx context.Context) {
	if k == nil {
		return
	}
	if len(k.fresh) > 0 {
		var gone []string
		for path := range k.known {
			if k.asked[path] {
				continue
			}
			if _, err := os.Lstat(path); err != nil {
				gone = append(gone, path)
			}
		}
		_ = store(context.WithoutCancel(ctx), k.db, k.kind, k.version, k.fresh, gone)
	}
	_ = k.db.Close()
}
