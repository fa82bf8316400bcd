package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/pith-sessions/pith/store"
)

// fileLog is one opened file.
type fileLog struct {
	store    *Store
	name     string // as the caller gave it; may lead through symbolic links
	file     *os.File
	id       identity
	readOnly error // why appending is not possible; nil when it is

	use    sync.RWMutex // held for reading while file is in use, for writing by Close
	closed bool         // guarded by use

	// turn is held around the operating system's lock, which belongs to the
	// handle and so does not keep two goroutines of one handle apart.
	turn sync.Mutex
}

// newLog makes a log of an open file. On error the caller closes the file.
func (s *Store) newLog(name string, f *os.File, readOnly error) (*fileLog, error) {
	here, err := factsOf(f)
	if err != nil {
		return nil, fault("open", name, err)
	}
	if !here.regular {
		return nil, notRegular("open", name, fs.ModeIrregular)
	}
	return &fileLog{store: s, name: name, file: f, id: here.id, readOnly: readOnly}, nil
}

func (l *fileLog) ReadAt(p []byte, off int64) (int, error) {
	// os.File keeps ReadAt and Close apart by itself.
	return l.file.ReadAt(p, off)
}

func (l *fileLog) Size() (int64, error) {
	if err := l.begin(); err != nil {
		return 0, fault("size of", l.name, err)
	}
	defer l.use.RUnlock()
	size, err := l.present()
	if err != nil {
		return 0, fault("size of", l.name, err)
	}
	return size, nil
}

func (l *fileLog) Sync() error {
	if err := l.begin(); err != nil {
		return fault("sync", l.name, err)
	}
	defer l.use.RUnlock()
	if l.readOnly != nil {
		return nil // nothing was appended through this handle
	}
	if err := l.store.system.sync(l.file); err != nil {
		return fault("sync", l.name, err)
	}
	return nil
}

func (l *fileLog) Close() error {
	l.use.Lock()
	defer l.use.Unlock()
	if l.closed {
		return fault("close", l.name, fs.ErrClosed)
	}
	l.closed = true
	if err := l.file.Close(); err != nil {
		return fault("close", l.name, err)
	}
	return nil
}

// begin keeps Close away until the caller releases use.
func (l *fileLog) begin() error {
	l.use.RLock()
	if l.closed {
		l.use.RUnlock()
		return fs.ErrClosed
	}
	return nil
}

// beginWrite is begin, and takes the file's lock. The caller calls endWrite.
func (l *fileLog) beginWrite() error {
	if err := l.begin(); err != nil {
		return err
	}
	if l.readOnly != nil {
		l.use.RUnlock()
		return l.readOnly
	}
	l.turn.Lock()
	if err := waitForLock(l.file, l.store.options.LockWait); err != nil {
		l.turn.Unlock()
		l.use.RUnlock()
		return err
	}
	return nil
}

func (l *fileLog) endWrite() {
	unlock(l.file)
	l.turn.Unlock()
	l.use.RUnlock()
}

// check reports whether the file is still the one at its name and size bytes
// long. Without the lock, the answer is old when it arrives.
func (l *fileLog) check(size int64) error {
	have, err := l.present()
	if err != nil {
		return err
	}
	if have != size {
		return &store.ConflictError{Name: l.name, Want: size, Have: have}
	}
	return nil
}

// present returns the file's length, or store.ErrGone when its name leads
// nowhere or to another file.
func (l *fileLog) present() (int64, error) {
	there, err := factsAt(l.name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%w: there is no file of that name any more", store.ErrGone)
	}
	if err != nil {
		return 0, err
	}
	if there.id != l.id {
		return 0, fmt.Errorf("%w: another file has taken its name", store.ErrGone)
	}
	return there.size, nil
}
