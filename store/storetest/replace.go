package storetest

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"github.com/pith-sessions/pith/store"
)

func replace(t *testing.T, s store.Store) { // pitfalls 33, 34
	name, backup := newName(t), newName(t)
	old := create(t, s, name, "old\n")
	next := replaceBy(t, s, old, 4, func(w io.Writer) error {
		// Fill may read the log that it replaces.
		if _, err := io.Copy(w, io.NewSectionReader(old, 0, 4)); err != nil {
			return err
		}
		_, err := io.WriteString(w, "new\n")
		return err
	}, backup)
	holds(t, s, name, next, "old\nnew\n")
	holds(t, s, backup, open(t, s, backup), "old\n")

	isGone(t, old, 4)
	p := make([]byte, 4)
	if n, err := old.ReadAt(p, 0); n != 4 || string(p) != "old\n" {
		t.Errorf("ReadAt of the replaced log = %d, %v, %q; want 4, nil, %q", n, err, p, "old\n")
	}
	add(t, next, 8, "more\n")
	holds(t, s, name, next, "old\nnew\nmore\n")
	holds(t, s, backup, open(t, s, backup), "old\n")
}

func replaceWithoutBackup(t *testing.T, s store.Store) {
	name := newName(t)
	old := create(t, s, name, "old")
	next := replaceBy(t, s, old, 3, store.Bytes([]byte("next")), "")
	holds(t, s, name, next, "next")
}

func replaceBackupTaken(t *testing.T, s store.Store) {
	name, backup := newName(t), newName(t)
	old, other := create(t, s, name, "old"), create(t, s, backup, "other")
	_, err := s.Replace(t.Context(), old, 3, store.Bytes([]byte("next")), backup)
	fails(t, "Replace", err, store.ErrExist)
	holds(t, s, name, old, "old")
	holds(t, s, backup, other, "other")
}

func replaceFails(t *testing.T, s store.Store) {
	name, backup := newName(t), newName(t)
	old := create(t, s, name, "old")
	cause := errors.New("out of ink")
	_, err := s.Replace(t.Context(), old, 3, func(io.Writer) error { return cause }, backup)
	fails(t, "Replace", err, cause)
	holds(t, s, name, old, "old")
	_, err = s.Open(t.Context(), backup)
	fails(t, "Open of the backup", err, fs.ErrNotExist)
	add(t, old, 3, "er")
	holds(t, s, name, old, "older")
}

func replaceConflict(t *testing.T, s store.Store) { // pitfall 167
	name := newName(t)
	old := create(t, s, name, "old")
	_, err := s.Replace(t.Context(), old, 3, func(w io.Writer) error {
		add(t, open(t, s, name), 3, "er") // another writer, during the fill
		_, err := io.WriteString(w, "made of old")
		return err
	}, "")
	fails(t, "Replace", err, store.ErrConflict)
	holds(t, s, name, old, "older")
}

func replaceGone(t *testing.T, s store.Store) { // pitfall 167
	name := newName(t)
	old := create(t, s, name, "old")
	next := replaceBy(t, s, old, 3, store.Bytes([]byte("new")), "")
	// The length is the same: only the identity of the log differs.
	_, err := s.Replace(t.Context(), old, 3, store.Bytes([]byte("stale")), "")
	fails(t, "Replace of the replaced log", err, store.ErrGone)
	holds(t, s, name, next, "new")
}

func removed(t *testing.T, s store.Store) { // pitfall 31
	name := newName(t)
	l := create(t, s, name, "abc")
	if !remove(t, s, name) {
		return
	}
	isGone(t, l, 3)
	_, err := s.Replace(t.Context(), l, 3, store.Bytes([]byte("new")), "")
	fails(t, "Replace", err, store.ErrGone)
	_, err = s.Open(t.Context(), name)
	fails(t, "Open", err, fs.ErrNotExist)
}

func removedAndCreated(t *testing.T, s store.Store) { // pitfall 31
	name := newName(t)
	l := create(t, s, name, "abc")
	if !remove(t, s, name) {
		return
	}
	second := create(t, s, name, "xyz")
	isGone(t, l, 3)
	holds(t, s, name, second, "xyz")
}

// replaceBy replaces a log of that size.
func replaceBy(t *testing.T, s store.Store, old store.Log, size int64, fill store.Fill, backup string) store.Log {
	t.Helper()
	next, err := s.Replace(t.Context(), old, size, fill, backup)
	if err != nil {
		t.Fatalf("Replace = %v; want a log", err)
	}
	t.Cleanup(func() { next.Close() })
	return next
}

// isGone checks that a log of that size has lost its name.
func isGone(t *testing.T, l store.Log, size int64) {
	t.Helper()
	_, err := l.Append(t.Context(), size, []byte("lost"))
	fails(t, "Append", err, store.ErrGone)
	_, err = l.Size(t.Context())
	fails(t, "Size", err, store.ErrGone)
}

// remove removes a log. It reports false if the store is no [store.Remover],
// which it need not be.
func remove(t *testing.T, s store.Store, name string) bool {
	t.Helper()
	r, ok := s.(store.Remover)
	if !ok {
		t.Log("the store cannot remove a log, so there is nothing to test")
		return false
	}
	if err := r.Remove(t.Context(), name); err != nil {
		t.Fatalf("Remove = %v; want nil", err)
	}
	return true
}
