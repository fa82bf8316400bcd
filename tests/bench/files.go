package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/testcache"
)

// warmed returns a file or directory of sessions, making it if necessary, and
// reads it once, so that no program is the first to touch it.
func warmed(ctx context.Context, get func(context.Context) (string, error)) (string, error) {
	path, err := get(ctx)
	if err != nil {
		return "", err
	}
	return path, filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(io.Discard, f)
		return err
	})
}

// ownFile returns a warmed session that only this program needs. Its name in
// the cache must change when its content does.
func (b *bench) ownFile(ctx context.Context, name string, write func(io.Writer) error) (string, error) {
	return warmed(ctx, func(ctx context.Context) (string, error) {
		dir, err := testcache.Folder(ctx, fmt.Sprintf("bench-v%d-%s", corpus.ContentVersion, name), func(_ context.Context, dir string) error {
			b.logf("making %s", name)
			f, err := os.Create(filepath.Join(dir, "session.jsonl"))
			if err != nil {
				return err
			}
			if err := write(f); err != nil {
				f.Close() // The error of the write is more specific.
				return err
			}
			return f.Close()
		})
		return filepath.Join(dir, "session.jsonl"), err
	})
}

// sized returns the large session, made longer or shorter in proportion.
func (b *bench) sized(ctx context.Context, mb int64) (string, error) {
	o := corpus.LargeOptions()
	if o.Bytes == mb*1e6 {
		return warmed(ctx, corpus.CachedLarge)
	}
	o.Branches = int(int64(o.Branches) * mb * 1e6 / o.Bytes)
	o.Labels = int(int64(o.Labels) * mb * 1e6 / o.Bytes)
	o.Bytes = mb * 1e6
	return b.ownFile(ctx, fmt.Sprintf("large-%dmb", mb), func(w io.Writer) error { return corpus.Session(w, o) })
}
