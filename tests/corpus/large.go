package corpus

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/tests/testcache"
)

// LargeBytes is about the size of the large sessions.
const LargeBytes = 100_000_000

// LargeOptions returns the large session of the benchmarks: 100 MB, about
// 52,000 entries, compacted as often as a real one of that length, with
// branches, labels and a name.
func LargeOptions() Options {
	return Options{
		Seed: 1, Bytes: LargeBytes, Cwd: "/home/dev/big", Name: "the long one", Branches: 60, Labels: 40, CompactEvery: 1500,
	}
}

// UncompactedOptions returns a session of the same size whose context is its
// whole path: it has neither compactions nor branches.
func UncompactedOptions() Options {
	return Options{Seed: 2, Bytes: LargeBytes, Cwd: "/home/dev/big", Name: "never compacted", Labels: 40}
}

// WriteFile writes a session to the file path, which it creates or replaces.
func WriteFile(path string, o Options) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := Session(f, o); err != nil {
		f.Close() // The error of the write is more specific.
		return err
	}
	return f.Close()
}

// CachedLarge returns the path of a file with the session of LargeOptions. The
// file is made once and shared. Tests must not change it.
func CachedLarge(ctx context.Context) (string, error) {
	return cachedFile(ctx, "large", LargeOptions())
}

// CachedUncompacted is CachedLarge for UncompactedOptions.
func CachedUncompacted(ctx context.Context) (string, error) {
	return cachedFile(ctx, "uncompacted", UncompactedOptions())
}

func cachedFile(ctx context.Context, name string, o Options) (string, error) {
	dir, err := testcache.Folder(ctx, cacheName(name), func(_ context.Context, dir string) error {
		return WriteFile(filepath.Join(dir, "session.jsonl"), o)
	})
	return filepath.Join(dir, "session.jsonl"), err
}

func cacheName(name string) string { return fmt.Sprintf("corpus-v%d-%s", ContentVersion, name) }
