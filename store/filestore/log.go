package filestore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/pith-sessions/pith/store"
)

type fileLog struct {
	store    *Store
	name     string // as given by the caller; may contain symbolic links
	file     *os.File
	id       identity
	readOnly error // why appending is impossible, or nil

	use    sync.RWMutex // held for reading while file is in use, for writing by Close
	closed bool         // guarded by use

	// turn holds a token that a writer takes before it takes the operating
	// system's lock. That lock belongs to the handle, so it does not exclude
	// two goroutines that share a handle.
	turn chan struct{}
}

// newLog returns a log of an open file. On error the caller closes the file.
func (s *Store) newLog(name string, f *os.File, readOnly error) (*fileLog, error) {
	here, err := factsOf(f)
	if err != nil {
		return nil, fault("open", name, err)
	}
	if !here.regular {
		return nil, notRegular("open", name, fs.ModeIrregular)
	}
	return &fileLog{store: s, name: name, file: f, id: here.id, readOnly: readOnly, turn: make(chan struct{}, 1)}, nil
}

func (l *fileLog) ReadAt(p []byte, off int64) (int, error) {
	// os.File synchronizes ReadAt and Close itself.
	return l.file.ReadAt(p, off)
}

// Seek and Stat let readers find the holes of a sparse file. The file's offset is used
// for nothing else.
func (l *fileLog) Seek(off int64, whence int) (int64, error) { return l.file.Seek(off, whence) }

func (l *fileLog) Stat() (fs.FileInfo, error) { return l.file.Stat() }

func (l *fileLog) Size(ctx context.Context) (int64, error) {
	if err := l.begin(ctx); err != nil {
		return 0, fault("size of", l.name, err)
	}
	defer l.use.RUnlock()
	size, err := l.present()
	return size, fault("size of", l.name, err)
}

func (l *fileLog) Sync(ctx context.Context) error {
	if err := l.begin(ctx); err != nil {
		return fault("sync", l.name, err)
	}
	defer l.use.RUnlock()
	if l.readOnly != nil {
		return nil // nothing was appended through this handle
	}
	return fault("sync", l.name, l.store.system.sync(l.file))
}

func (l *fileLog) Close() error {
	l.use.Lock()
	defer l.use.Unlock()
	if l.closed {
		return fault("close", l.name, fs.ErrClosed)
	}
	l.closed = true
	return fault("close", l.name, l.file.Close())
}

// begin blocks Close until the caller releases use. It fails if the context is
// done.
func (l *fileLog) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.use.RLock()
	if l.closed {
		l.use.RUnlock()
		return fs.ErrClosed
	}
	return nil
}

// beginWrite is begin and also takes the file's lock. The caller must call
// endWrite.
func (l *fileLog) beginWrite(ctx context.Context) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	if l.readOnly != nil {
		l.use.RUnlock()
		return l.readOnly
	}
	err := l.takeTurn(ctx)
	if err != nil {
		l.use.RUnlock()
	}
	return err
}

// takeTurn waits for other writers on this handle and on others.
func (l *fileLog) takeTurn(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := waitForLock(ctx, l.file, l.store.options.LockWait); err != nil {
		<-l.turn
		return err
	}
	return nil
}

func (l *fileLog) endWrite() {
	unlock(l.file)
	<-l.turn
	l.use.RUnlock()
}

// check returns an error unless the file is still the one at its name and size
// bytes long. Without the lock, the result may be out of date.
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

// present returns the file's length, or store.ErrGone if its name leads nowhere
// or to another file.
func (l *fileLog) present() (int64, error) {
	there, err := factsAt(l.name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%w: the file no longer exists", store.ErrGone)
	}
	if err != nil {
		return 0, err
	}
	if there.id != l.id {
		return 0, fmt.Errorf("%w: another file replaced it", store.ErrGone)
	}
	return there.size, nil
}
