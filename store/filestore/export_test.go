package filestore

import (
	"os"
	"time"
)

// WithWrite makes a store write through f.
func (s *Store) WithWrite(f func(*os.File, []byte) (int, error)) *Store {
	s.system.write = f
	return s
}

// WithSync makes a store sync files through f.
func (s *Store) WithSync(f func(*os.File) error) *Store {
	s.system.sync = f
	return s
}

// WithLink makes a store make hard links through f.
func (s *Store) WithLink(f func(from, to string) error) *Store {
	s.system.link = f
	return s
}

// WithWait makes a store wait through f.
func (s *Store) WithWait(f func(time.Duration)) *Store {
	s.system.wait = f
	return s
}

// WriteOnce is the write that a store does when no test is in the way.
var WriteOnce = writeOnce

// Freezing reports whether Freeze was called.
func Freezing() bool {
	if !writing.TryRLock() {
		return true
	}
	writing.RUnlock()
	return false
}
