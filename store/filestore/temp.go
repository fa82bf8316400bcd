package filestore

import (
	"bufio"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/store"
)

// tempPrefix is the prefix of unfinished files. The dot and the missing .jsonl
// keep them out of every session list.
const tempPrefix = ".pith-tmp-"

// abandonedAfter is the age of an unfinished directory that counts as abandoned.
// Directories have no lock.
const abandonedAfter = 24 * time.Hour

// TempName returns a new name in a directory for something unfinished.
func TempName(dir string) string { return filepath.Join(dir, tempPrefix+rand.Text()) }

// Leftovers returns the paths of unfinished files and directories in a directory
// that no process is working on. A crash left them. Each holds part of a Create,
// a Replace or a copy, and may be removed.
func Leftovers(dir string) ([]string, error) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, fault("look for leftovers in", dir, err)
	}
	var left []string
	for _, e := range all {
		if !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		switch {
		case err != nil:
		case info.IsDir() && time.Since(info.ModTime()) > abandonedAfter, info.Mode().IsRegular() && isAbandoned(path):
			left = append(left, path)
		}
	}
	return left, nil
}

// isAbandoned reports whether no living process holds an unfinished file. Its
// writer locks it right after creating it, so a recent empty file may be about
// to be locked.
func isAbandoned(path string) bool {
	f, err := openFile(path, forReading)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if info.Size() == 0 && time.Since(info.ModTime()) < time.Minute {
		return false
	}
	locked, err := tryLock(f)
	return err == nil && locked
}

// A temp is a file that does not have its final name yet. It is locked from its
// creation, which distinguishes it from a leftover and prevents appends under
// its new name before the exchange is complete.
type temp struct {
	file *os.File
	path string
	kept bool // it has its name: discard must not remove it
}

// newTemp creates a temp in dir with the output of fill, durably.
func (s *Store) newTemp(dir string, fill store.Fill) (*temp, error) {
	path := TempName(dir)
	f, err := openFile(path, forCreating)
	if err != nil {
		return nil, err
	}
	t := &temp{file: f, path: path}
	done := false
	defer func() { // also when fill panics
		if !done {
			t.discard()
		}
	}()
	if _, err := tryLock(f); err != nil {
		return nil, err
	}
	w := bufio.NewWriterSize(f, 64<<10)
	if err := fill(w); err != nil {
		return nil, &fillError{err}
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	if err := s.system.sync(f); err != nil {
		return nil, err
	}
	done = true
	return t, nil
}

// A fillError is an error returned by a store.Fill.
type fillError struct{ err error }

func (e *fillError) Error() string { return "write its content: " + e.err.Error() }
func (e *fillError) Unwrap() error { return e.err }

// log turns the temp, which now has its name, into a log and unlocks it.
func (t *temp) log(s *Store, name string) (store.Log, error) {
	l, err := s.newLog(name, t.file, nil)
	t.kept = true
	if err != nil {
		t.file.Close()
		return nil, err
	}
	unlock(t.file)
	return l, nil
}

// discard closes and removes a temp that did not get its name.
func (t *temp) discard() {
	if t.kept {
		return
	}
	t.file.Close()
	_ = os.Remove(t.path)
}
