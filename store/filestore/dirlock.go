package filestore

import (
	"context"
	"fmt"
)

// WithDirLock calls f while no other process is inside WithDirLock for the same
// directory, which it creates if missing. The lock ends with its process.
// WithDirLock waits for the lock until the context is done, for at most ten
// seconds.
func WithDirLock(ctx context.Context, dir string, f func() error) error {
	if err := MakeFolders(dir); err != nil {
		return fmt.Errorf("create directory: %w", err)
	}
	h, err := openDirLock(dir)
	if err != nil {
		return fmt.Errorf("lock directory %s: %w", dir, err)
	}
	defer h.Close() // releases the lock
	if err := waitForLock(ctx, h, longestWait); err != nil {
		return fmt.Errorf("lock directory %s: %w", dir, err)
	}
	return f()
}
