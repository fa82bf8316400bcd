package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
	"github.com/pith-sessions/pith/tests/testcache"
)

// worthTelling is how long getting a file takes when it had to be made.
const worthTelling = 10 * time.Millisecond

// file gets a file or folder of sessions, making it if need be, and reads it
// once, so that no program is the first to touch it.
func (b *bench) file(ctx context.Context, what string, get func(context.Context) (string, error)) (string, error) {
	start := time.Now()
	path, err := get(ctx)
	if err != nil {
		return "", fmt.Errorf("make %s: %w", what, err)
	}
	if took := time.Since(start); took > worthTelling {
		b.logf("made %s in %s", what, secondsUnit.text(took.Seconds()))
	}
	return path, warm(path)
}

// store is the folder of sessions that lists, searches and sums are taken of.
func (b *bench) store(ctx context.Context) (string, error) {
	return b.file(ctx, "the 1,000 sessions of 500 MB", corpus.CachedStore)
}

// ownFile is file for a session that only this program needs. Its name in the
// cache must change when its content does.
func (b *bench) ownFile(ctx context.Context, what, name string, write func(path string) error) (string, error) {
	return b.file(ctx, what, func(ctx context.Context) (string, error) {
		dir, err := testcache.Folder(ctx, fmt.Sprintf("bench-v%d-%s", corpus.ContentVersion, name),
			func(_ context.Context, dir string) error { return write(filepath.Join(dir, sessionFile)) })
		return filepath.Join(dir, sessionFile), err
	})
}

const sessionFile = "session.jsonl"

// warm brings everything at path into the page cache.
func warm(path string) error {
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
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
