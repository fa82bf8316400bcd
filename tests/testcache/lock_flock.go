//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package testcache

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// pollEvery is how often a waiter tries to lock. The holder is busy for
// seconds, with a download or with writing a hundred megabytes.
const pollEvery = 100 * time.Millisecond

// lock locks the file path for this process until the returned function is
// called. It leaves the lock file: removing it would let a third process lock a
// new file while the second still waits on the old one.
func lock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, err
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}
