package filestore

import (
	"fmt"
	"time"
)

// WithDirLock calls f while no other process is inside WithDirLock for the same
// folder, which it makes when it is missing. The lock ends with its process.
func WithDirLock(dir string, f func() error) error {
	if err := MakeFolders(dir); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	h, err := openDirLock(dir)
	if err != nil {
		return fmt.Errorf("lock folder %s: %w", dir, err)
	}
	defer h.Close() // gives the lock back
	if err := waitForLock(h, 10*time.Second); err != nil {
		return fmt.Errorf("lock folder %s: %w", dir, err)
	}
	return f()
}
