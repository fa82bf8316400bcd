// Package scans stores the results of scanning files, so that an unchanged file
// is not read again. It does not interpret the results.
//
// It is a cache on disk that several processes may share: deleting it loses
// nothing, and if it cannot be used, files are read.
package scans

import (
	"context"
	"encoding/binary"
	"errors"
	"github.com/pith-sessions/pith/internal/cache"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pith-sessions/pith/internal/cache/index"
)

// Kept contains the results of many files. A nil Kept stores nothing. It is
// safe for concurrent use.
type Kept struct {
	files *index.Files
	known map[string]scan // does not change

	mu    sync.Mutex // guards the fields below
	asked map[string]bool
	fresh []index.FileRow
}

// A scan is the result for one file.
type scan struct{ identity, found string }

// coarse is the time within which two changes of a file may have the same
// timestamp.
const coarse = 2 * time.Second

// Open opens the cache of that name in a directory. It returns nil if nothing
// can be stored. version is the version of the callers' results; it must not be
// 0.
func Open(ctx context.Context, dir, name string, version int) *Kept {
	if dir == "" {
		return nil
	}
	files, err := index.OpenFiles(filepath.Join(dir, name), version)
	if err != nil {
		return nil
	}
	k := &Kept{files: files, known: map[string]scan{}, asked: map[string]bool{}}
	err = files.Load(ctx, func(path string, value []byte) {
		if len(value) >= identitySize {
			k.known[path] = scan{string(value[:identitySize]), string(value[identitySize:])}
		}
	})
	if err != nil {
		clear(k.known)
	}
	return k
}

// Files returns the paths of the files of a cache, whether they exist or not.
func Files(dir, name string) []string { return index.FilesOf(filepath.Join(dir, name)) }

// Clear empties a cache. Other processes may be using it, so its files are
// removed only if they cannot be opened.
func Clear(ctx context.Context, dir, name string, version int) error {
	if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	files, err := index.OpenFiles(filepath.Join(dir, name), version)
	if err == nil {
		return errors.Join(files.Clear(ctx), files.Close())
	}
	return index.Remove(Files(dir, name))
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
	before, err := os.Stat(path)
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
	after, err := os.Stat(path)
	if err == nil && identityOf(after) == identity && time.Since(after.ModTime()).Abs() > coarse {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.fresh = append(k.fresh, index.FileRow{Path: path, Facts: append([]byte(identity), found...)})
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
		_ = k.files.Write(context.WithoutCancel(ctx), k.fresh, gone)
	}
	_ = k.files.Close()
}
