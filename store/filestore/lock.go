package filestore

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/pith-sessions/pith/store"
)

const (
	firstPause   = 20 * time.Microsecond
	longestPause = 2 * time.Millisecond
	longestWait  = 10 * time.Second // unless a store has another limit
)

// WithLock calls f while it holds the lock of the file at path, so that no append
// and no Replace happens meanwhile. A file that cannot be opened has no other
// writer to wait for; f is called without the lock.
func WithLock(ctx context.Context, path string, f func() error) error {
	for {
		file, err := openFile(path, forAppending)
		if isDenied(err) {
			file, err = openFile(path, forReading)
		}
		switch {
		case isDenied(err):
			return f()
		case err != nil:
			return err
		}
		current, err := lockNamed(ctx, file, path)
		if err == nil && current {
			err = f()
		}
		file.Close() // releases the lock
		if err != nil || current {
			return err
		}
	}
}

// lockNamed locks a file and reports whether it still has its name.
func lockNamed(ctx context.Context, file *os.File, path string) (bool, error) {
	if err := waitForLock(ctx, file, longestWait); err != nil {
		return false, err
	}
	own, err := file.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(own, there), err
}

// waitForLock takes the exclusive lock of a file. It polls instead of blocking
// in the system, because a stopped process can hold a lock forever and a
// blocked call cannot be cancelled.
func waitForLock(ctx context.Context, f *os.File, limit time.Duration) error {
	var start time.Time // set only once there is a reason to wait
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		locked, err := tryLock(f)
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		if locked {
			return nil
		}
		if start.IsZero() {
			start = time.Now()
		} else if time.Since(start) > limit {
			return fmt.Errorf("%w: %s held it for more than %v; wait for it or stop it, then try again",
				store.ErrLocked, lockHolder(f), limit)
		}
		if err := sleep(ctx, pause); err != nil {
			return fmt.Errorf("wait for the lock: %w", err)
		}
	}
}

// sleep waits for d or until the context is done.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
