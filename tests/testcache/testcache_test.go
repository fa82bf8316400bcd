package testcache_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pith-sessions/pith/tests/testcache"
)

func TestFolderIsFilledOnce(t *testing.T) {
	t.Setenv(testcache.Env, t.TempDir())
	var mu sync.Mutex
	fills := 0
	fill := func(_ context.Context, dir string) error {
		mu.Lock()
		fills++
		mu.Unlock()
		return os.WriteFile(filepath.Join(dir, "content"), []byte("whole"), 0o600)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			dir, err := testcache.Folder(t.Context(), "thing-v1", fill)
			if err != nil {
				t.Errorf("Folder(thing-v1) = %v", err)
				return
			}
			got, err := os.ReadFile(filepath.Join(dir, "content"))
			if string(got) != "whole" {
				t.Errorf("Folder(thing-v1) holds %q, %v; want %q", got, err, "whole")
			}
		})
	}
	wg.Wait()
	if fills != 1 {
		t.Errorf("eight callers filled the folder %d times, want 1", fills)
	}
}

func TestFolderFailureLeavesNothing(t *testing.T) {
	root := t.TempDir()
	t.Setenv(testcache.Env, root)
	broken := errors.New("no network")
	_, err := testcache.Folder(t.Context(), "thing", func(_ context.Context, dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "half"), nil, 0o600); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("Folder = %v, want %v", err, broken)
	}
	left, err := filepath.Glob(filepath.Join(root, "thing*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != "thing.lock" {
		t.Errorf("after a failure the cache holds %q, %v; want the lock file alone", left, err)
	}
}

func TestFolderStopsWaitingWithItsContext(t *testing.T) {
	t.Setenv(testcache.Env, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	_, err := testcache.Folder(t.Context(), "thing", func(context.Context, string) error {
		cancel()
		_, err := testcache.Folder(ctx, "thing", func(ctx context.Context, _ string) error { return ctx.Err() })
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Folder inside Folder, cancelled = %v, want %v", err, context.Canceled)
	}
}
