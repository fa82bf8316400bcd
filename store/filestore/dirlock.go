package filestore

import (
	"context"
	"fmt"
	"time"
)

// WithDirLock calls f while no other process is inside WithDirLock for the same
// folder, which it makes when it is missing. The lock ends with its process. WithDirLock
// waits for it until the context is done, for ten seconds at most.
func WithDirLock(ctx context.Context, dir string, f func() error) error {
	if err := MakeFolders(dir); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	h, err := openDirLock(dir)
	if err != nil {
		return fmt.Errorf("lock folder %s: %w", dir, err)
	}
	defer h.Close() // gives the lock back
	if err := waitForLock(ctx, h, 10*time.Second); err != nil {
		return fmt.Errorf("lock folder %s: %w", dir, err)
	}
	return f()
}
