// Package filestore keeps logs as files. The name of a log is the absolute path
// of its file.
//
// It keeps no files next to the log: no lock file, no journal, no index. It
// never truncates or rewrites a log in place, except to undo its own failed
// write. It does not interpret the bytes, with one exception: if a failed write
// cannot be undone, it is terminated with a newline, so that the next line
// stays whole.
//
// # Invariants
//
//	FS1  An append is one write to a file opened for appending, under a lock of
//	     the operating system that is held for that write alone and ends with
//	     its process.
//	FS2  The lock belongs to the file, not to its name: symbolic and hard links
//	     to one file share it.
//	FS3  Programs that take no locks may write at any time. Length and identity
//	     of the file are checked under the lock before a write, and the length
//	     after it.
//	FS4  A new file is complete and durable before its name appears. It is
//	     private (0600, directories 0700). A replacement keeps mode and owner.
//
// # Assumptions
//
// The file system does not lose either of two concurrent writes to files opened
// for appending. Network file systems often do. If the file system has no
// locks, FS1 holds without the lock.
//
// Stability: core. Its exported names are stable.
package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/store"
)

// A SyncPolicy determines when appended bytes are made durable.
type SyncPolicy int

const (
	// SyncNever leaves it to the caller to call Sync. Appended bytes survive
	// the end of the process, but not a power failure.
	SyncNever SyncPolicy = iota
	// SyncAlways makes every append durable before it returns.
	SyncAlways
)

// Options configure a Store. The zero value is ready to use.
type Options struct {
	// Sync determines when appended bytes are made durable.
	Sync SyncPolicy

	// LockWait is how long to wait for another writer's lock before returning
	// store.ErrLocked. Zero means 10 seconds.
	LockWait time.Duration
}

// A Store keeps logs as files.
type Store struct {
	options Options
	system  system
}

// system holds the system calls that tests replace.
type system struct {
	write func(f *os.File, p []byte) (int, error)
	sync  func(f *os.File) error
	link  func(from, to string) error
	wait  func(time.Duration)
}

var _ store.Store = (*Store)(nil)

// Is reports whether a store keeps its logs in files. Programs that take no
// locks may open and rewrite these too.
func Is(s store.Store) bool {
	_, ok := s.(*Store)
	return ok
}

// New returns a file store.
func New(o Options) *Store {
	o.LockWait = cmp.Or(o.LockWait, longestWait)
	return &Store{
		options: o,
		system:  system{write: writeOnce, sync: (*os.File).Sync, link: os.Link, wait: time.Sleep},
	}
}

// Open opens the file of that name. Only regular files can be opened: a
// directory, a pipe or a device is refused without being opened.
func (s *Store) Open(ctx context.Context, name string) (store.Log, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault("open", name, err)
	}
	l, err := s.open(name)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (s *Store) open(name string) (*fileLog, error) {
	if err := checkName("open", name); err != nil {
		return nil, err
	}
	// Opening a device can have side effects, and opening a pipe can block, so
	// check the kind of file first, and check the opened file again.
	info, err := os.Stat(name)
	if err != nil {
		return nil, fault("open", name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular("open", name, info.Mode())
	}
	var readOnly error
	f, err := openFile(name, forAppending)
	if isDenied(err) {
		readOnly = bare(err)
		f, err = openFile(name, forReading)
	}
	if err != nil {
		return nil, fault("open", name, err)
	}
	l, err := s.newLog(name, f, readOnly)
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

func checkName(op, name string) error {
	if !filepath.IsAbs(name) {
		return fmt.Errorf("%s %q: the name of a log must be an absolute path", op, name)
	}
	return nil
}

func notRegular(op, name string, mode fs.FileMode) error {
	kind := "not a regular file"
	switch {
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a named pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return &store.LogError{Op: op, Name: name, Err: fmt.Errorf("it is %s, not a session file", kind)}
}

// fault returns an error that names the operation, the file, the cause and a
// remedy, or nil for a nil error.
func fault(op, name string, err error) error {
	var conflict *store.ConflictError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &conflict):
		return fmt.Errorf("%s %w", op, conflict) // it already names the file
	}
	err = bare(err)
	var fill *fillError
	switch {
	case isDiskFull(err):
		err = fmt.Errorf("disk full: %w; free some space and try again", err)
	case isDenied(err) && !errors.As(err, &fill): // a fill concerns other files
		err = fmt.Errorf("%w: %w; check the permissions of the file and its directory", store.ErrReadOnly, err)
	}
	return &store.LogError{Op: op, Name: name, Err: err}
}

// bare removes the path and call that package os adds; the caller names them
// itself.
func bare(err error) error {
	switch e := err.(type) {
	case *fs.PathError:
		return e.Err
	case *os.LinkError:
		return e.Err
	case *os.SyscallError:
		return e.Err
	}
	return err
}
