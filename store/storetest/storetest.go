// Package storetest is the contract of package store as tests. The test of a
// store is one line:
//
//	func TestContract(t *testing.T) { storetest.Run(t, open) }
//
// The suite names its logs with absolute paths in new temporary directories,
// and tests the contract that holds for every store. Further guarantees of a
// store, such as surviving a crash, need their own tests.
//
// Stability: outside the core. Its exported names may still change.
package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/store"
)

// Run tests the store that open returns, a new one for each test.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	tests := []struct {
		name string
		run  func(t *testing.T, s store.Store)
	}{
		{"create, append, read back", readBack},
		{"any bytes", anyBytes},
		{"read at the end", readAtEnd},
		{"open what is not there", openMissing},
		{"create what is there", createTaken},
		{"create over an empty log", createOverEmpty},
		{"create with a failing fill", createFails},
		{"create is exclusive", createExclusive},
		{"conflict writes nothing", conflict},
		{"append of nothing", appendNothing},
		{"append does not keep its argument", appendCopies},
		{"two handles", twoHandles},
		{"concurrent appenders, a handle each", appendersApart},
		{"concurrent appenders on one handle", appendersTogether},
		{"replace", replace},
		{"replace without backup", replaceWithoutBackup},
		{"replace with a taken backup name", replaceBackupTaken},
		{"replace with a failing fill", replaceFails},
		{"replace of a changed log", replaceConflict},
		{"replace of a replaced log", replaceGone},
		{"removed log", removed},
		{"removed and created again", removedAndCreated},
		{"closed log", closed},
		{"context that is done", calledOff},
		{"list", list},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { tt.run(t, open(t)) })
	}
}

// newName returns the name of a log that does not exist.
func newName(t *testing.T) string { return filepath.Join(t.TempDir(), "folder", "log.jsonl") }

// create creates a log and closes it at the end of the test.
func create(t *testing.T, s store.Store, name, content string) store.Log {
	t.Helper()
	l, err := s.Create(t.Context(), name, store.Bytes([]byte(content)))
	if err != nil {
		t.Fatalf("Create(%q) = %v; want a log", content, err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// open opens a log and closes it at the end of the test.
func open(t *testing.T, s store.Store, name string) store.Log {
	t.Helper()
	l, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatalf("Open = %v; want a log", err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func add(t *testing.T, l store.Log, at int64, p string) {
	t.Helper()
	if off, err := l.Append(t.Context(), at, []byte(p)); off != at || err != nil {
		t.Fatalf("Append(%d, %q) = %d, %v; want %d, nil", at, p, off, err, at)
	}
}

func content(t *testing.T, l store.Log) string {
	t.Helper()
	size, err := l.Size(t.Context())
	if err != nil {
		t.Fatalf("Size() = %v; want a size", err)
	}
	got, err := io.ReadAll(io.NewSectionReader(l, 0, size))
	if err != nil || int64(len(got)) != size {
		t.Fatalf("reading %d bytes = %d bytes, %v", size, len(got), err)
	}
	return string(got)
}

// holds checks that a log contains want, read through l and through a new
// handle.
func holds(t *testing.T, s store.Store, name string, l store.Log, want string) {
	t.Helper()
	if got := content(t, l); got != want {
		t.Errorf("the log holds %q; want %q", got, want)
	}
	if got := content(t, open(t, s, name)); got != want {
		t.Errorf("opened again, the log holds %q; want %q", got, want)
	}
}

func fails(t *testing.T, call string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s = %v; want an error that matches %q", call, err, want)
	}
}

func readBack(t *testing.T, s store.Store) {
	name := newName(t)
	l := create(t, s, name, "one\n")
	holds(t, s, name, l, "one\n")
	add(t, l, 4, "two\n")
	add(t, l, 8, "three\n")
	holds(t, s, name, l, "one\ntwo\nthree\n")
	if err := l.Sync(t.Context()); err != nil {
		t.Errorf("Sync() = %v; want nil", err)
	}
	part := make([]byte, 4)
	if n, err := l.ReadAt(part, 4); n != 4 || err != nil || string(part) != "two\n" {
		t.Errorf("ReadAt(4 bytes, 4) = %d, %v, %q; want 4, nil, %q", n, err, part, "two\n")
	}
}

// anyBytes appends bytes that no text contains, and bytes that look like
// escapes.
func anyBytes(t *testing.T, s store.Store) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	name := newName(t)
	want := string(all)
	l := create(t, s, name, want)
	for _, p := range []string{string(all), `{"a":"\\u001b[31m \\\\ \\ud800"}`, `\x41`, `\101`, `\`, "\x00", "'", "$1"} {
		add(t, l, int64(len(want)), p)
		want += p
	}
	holds(t, s, name, l, want)
}

func readAtEnd(t *testing.T, s store.Store) {
	l := create(t, s, newName(t), "abc")
	for _, tt := range []struct {
		off  int64
		want string
	}{{1, "bc"}, {3, ""}, {9, ""}} {
		p := make([]byte, 8)
		n, err := l.ReadAt(p, tt.off)
		if n != len(tt.want) || err != io.EOF || string(p[:n]) != tt.want {
			t.Errorf("ReadAt(8 bytes, %d) = %d, %v, %q; want %d, EOF, %q", tt.off, n, err, p[:n], len(tt.want), tt.want)
		}
	}
	if n, err := l.ReadAt(make([]byte, 1), -1); n != 0 || err == nil {
		t.Errorf("ReadAt(1 byte, -1) = %d, %v; want 0 and an error", n, err)
	}
}

func openMissing(t *testing.T, s store.Store) {
	l, err := s.Open(t.Context(), newName(t))
	if l != nil {
		t.Errorf("Open = %v; want nil", l)
	}
	fails(t, "Open", err, fs.ErrNotExist)
}

func createTaken(t *testing.T, s store.Store) {
	name := newName(t)
	l := create(t, s, name, "first")
	second, err := s.Create(t.Context(), name, store.Bytes([]byte("second")))
	if second != nil {
		t.Errorf("Create of a taken name = %v; want nil", second)
	}
	fails(t, "Create", err, store.ErrExist)
	fails(t, "Create", err, fs.ErrExist)
	holds(t, s, name, l, "first")
}

func createOverEmpty(t *testing.T, s store.Store) { // pitfalls 12, 30
	name := newName(t)
	empty := create(t, s, name, "")
	l := create(t, s, name, "full")
	holds(t, s, name, l, "full")
	_, err := empty.Append(t.Context(), 0, []byte("lost"))
	fails(t, "Append to the log that was taken over", err, store.ErrGone)
	add(t, l, 4, "er")
	holds(t, s, name, l, "fuller")
}

func createFails(t *testing.T, s store.Store) { // pitfall 30
	name := newName(t)
	cause := errors.New("out of ink")
	_, err := s.Create(t.Context(), name, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			return err
		}
		return cause
	})
	fails(t, "Create", err, cause)
	_, err = s.Open(t.Context(), name)
	fails(t, "Open after a failed Create", err, fs.ErrNotExist)
	holds(t, s, name, create(t, s, name, "whole"), "whole")
}

func conflict(t *testing.T, s store.Store) { // pitfalls 32, 165
	name := newName(t)
	l := create(t, s, name, "12345")
	for _, at := range []int64{0, 4, 6, 1 << 40} {
		_, err := l.Append(t.Context(), at, []byte("x"))
		fails(t, fmt.Sprintf("Append(%d)", at), err, store.ErrConflict)
		var c *store.ConflictError
		if !errors.As(err, &c) || *c != (store.ConflictError{Name: name, Want: at, Have: 5}) {
			t.Errorf("Append(%d) = %v; want a ConflictError{%q, %d, 5}", at, err, name, at)
		}
	}
	holds(t, s, name, l, "12345")
	add(t, l, 5, "6")
	holds(t, s, name, l, "123456")
}

func appendNothing(t *testing.T, s store.Store) {
	name := newName(t)
	l := create(t, s, name, "12345")
	add(t, l, 5, "")
	_, err := l.Append(t.Context(), 4, nil)
	fails(t, "Append(4, nil)", err, store.ErrConflict)
	holds(t, s, name, l, "12345")
}

func appendCopies(t *testing.T, s store.Store) {
	name := newName(t)
	l := create(t, s, name, "a")
	p := []byte("bc")
	add(t, l, 1, string(p))
	if _, err := l.Append(t.Context(), 3, p); err != nil {
		t.Fatalf("Append = %v; want nil", err)
	}
	copy(p, "??")
	if got := content(t, l); !bytes.Equal([]byte(got), []byte("abcbc")) {
		t.Errorf("the log holds %q after its argument changed; want %q", got, "abcbc")
	}
}

func closed(t *testing.T, s store.Store) {
	l := create(t, s, newName(t), "abc")
	if err := l.Close(); err != nil {
		t.Fatalf("Close() = %v; want nil", err)
	}
	_, err := l.Append(t.Context(), 3, []byte("d"))
	fails(t, "Append", err, fs.ErrClosed)
	_, err = l.Size(t.Context())
	fails(t, "Size", err, fs.ErrClosed)
	_, err = l.ReadAt(make([]byte, 1), 0)
	fails(t, "ReadAt", err, fs.ErrClosed)
	fails(t, "Sync", l.Sync(t.Context()), fs.ErrClosed)
	fails(t, "Close", l.Close(), fs.ErrClosed)
	_, err = s.Replace(t.Context(), l, 3, store.Bytes(nil), "")
	fails(t, "Replace", err, fs.ErrClosed)
}
