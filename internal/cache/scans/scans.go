// Package scans keeps what was found in files, so that one that has not changed since
// is not read again. It knows nothing of what it keeps.
//
// It is a cache on the disk that several processes may use at once: deleting it
// loses nothing, and where it cannot be used files are read.
package scans

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pith-sessions/pith/internal/cache/index"
)

// Kept is what was found in many files. A nil Kept keeps nothing. It may be used by
// several goroutines.
type Kept struct {
	files *index.Files
	known map[string]scan // does not change

	mu    sync.Mutex // guards what follows
	asked map[string]bool
	fresh []index.FileRow
}

// A scan is what was found in a file.
type scan struct{ identity, found string }

// coarse is within which two changes of a file may have the same time.
const coarse = 2 * time.Second

// Open opens what is kept under a name in a folder; nil where nothing can be kept.
// version is that of what callers keep; it must not be 0.
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

// Files are the files of what is kept under a name, whether they exist or not.
func Files(dir, name string) []string { return index.FilesOf(filepath.Join(dir, name)) }

// Clear forgets what is kept under a name. Others may be using it, so its files are
// emptied; they are removed only where they cannot be opened.
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

// identityOf tells a file from others, and from what it was before it changed.
func identityOf(info fs.FileInfo) string {
	inode := index.InodeOf(info)
	b := make([]byte, 0, identitySize)
	for _, n := range [...]uint64{inode.Device, inode.Number, uint64(info.Size()), uint64(info.ModTime().UnixNano())} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return string(b)
}

// Of is what is found in a file: what was kept of it, or else what a look finds now.
// What a look finds before it fails is returned too, and not kept.
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

// Close keeps what is new and forgets what is gone. That this was not possible is no
// error of anybody's: it is read again.
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
