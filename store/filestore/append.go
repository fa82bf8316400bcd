package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// writing is held for reading during every write to a log.
var writing sync.RWMutex

// Freeze waits until the appends in progress have ended and blocks all further ones
// for good. A program calls it right before it exits while other goroutines run, so
// that it leaves no torn line behind.
func Freeze() { writing.Lock() }

// Append writes p at the end of the file, under its lock.
func (l *fileLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	const op = "append to"
	if err := l.beginWrite(ctx); err != nil {
		return 0, fault(op, l.name, err)
	}
	defer l.endWrite()
	if err := l.check(at); err != nil {
		return 0, fault(op, l.name, err)
	}
	if len(p) == 0 {
		return at, nil
	}
	writing.RLock()
	defer writing.RUnlock()
	written, err := l.write(p)
	off := at
	if err == nil {
		off, err = l.locate(at, p)
	}
	if err == nil && l.store.options.Sync == SyncAlways {
		err = l.store.system.sync(l.file)
	}
	if err != nil {
		return 0, l.takeBack(at, written, fault(op, l.name, err))
	}
	return off, nil
}

// write writes p, in one call unless the system stops early. Then a second call
// either completes the write or returns the reason.
func (l *fileLog) write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := l.store.system.write(l.file, p[written:])
		written += max(n, 0)
		if err != nil {
			return written, err
		}
		if n <= 0 {
			return written, io.ErrShortWrite
		}
	}
	return written, nil
}

var errScattered = errors.New("another program wrote into the middle of it")

// locate returns the offset of p, which was just written. That is at, unless a
// program without locks wrote after the check.
func (l *fileLog) locate(at int64, p []byte) (int64, error) {
	now, err := factsOf(l.file)
	if err != nil {
		return 0, err
	}
	if now.size == at+int64(len(p)) {
		return at, nil
	}
	if now.size < at+int64(len(p)) {
		return 0, fmt.Errorf("another program cut the file to %d bytes", now.size)
	}
	tail := make([]byte, now.size-at)
	n, err := l.file.ReadAt(tail, at)
	if err != nil && err != io.EOF {
		return 0, err
	}
	i := bytes.Index(tail[:n], p)
	if i < 0 {
		return 0, errScattered
	}
	return at + int64(i), nil
}

// takeBack removes the written bytes of an append that failed with cause, if
// they are the last of the file. If they are not, truncating would remove
// another program's bytes too, so they stay, and the file is made to end in a
// newline so that the next append starts on a new line. (A program that writes
// between the check and the truncation does lose its bytes; no system offers
// both in one step.)
func (l *fileLog) takeBack(at int64, written int, cause error) error {
	if written == 0 {
		return cause
	}
	now, err := factsOf(l.file)
	if err != nil {
		return fmt.Errorf("%w (and %d bytes of it may be left at offset %d: %v)", cause, written, at, err)
	}
	if now.size <= at {
		return cause
	}
	if now.size == at+int64(written) {
		err = truncate(l.file, l.name, at)
		if err == nil {
			return cause
		}
	}
	why := "another program wrote after it"
	if err != nil {
		why = fmt.Sprintf("it could not be removed: %v", err)
	}
	if err := l.seal(now.size); err != nil {
		return fmt.Errorf("%w (and a part of it is left after offset %d, not ended by a newline: %s; %v)", cause, at, why, err)
	}
	return fmt.Errorf("%w (and a part of it is left after offset %d, ended by a newline: %s)", cause, at, why)
}

// seal makes a file of that size end in a newline.
func (l *fileLog) seal(size int64) error {
	var last [1]byte
	if _, err := l.file.ReadAt(last[:], size-1); err != nil {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	_, err := l.write([]byte("\n"))
	return err
}
