package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
)

// Names of backups are distinguished from all others, and lead back to their
// log.
func TestBackupNames(t *testing.T) {
	for n, want := range map[int]string{0: "/a.jsonl.old.bak", 1: "/a.jsonl.old-1.bak", 12: "/a.jsonl.old-12.bak"} {
		name := store.BackupName("/a.jsonl", n)
		if of, ok := store.BackupOf(name); name != want || of != "/a.jsonl" || !ok {
			t.Errorf("BackupName(%d) = %q, want %q; that is a backup of %q, %t", n, name, want, of, ok)
		}
	}
	for _, name := range []string{
		"/a.jsonl", "/a.jsonl.bak", ".old.bak", "/a.jsonl.old", "/a.jsonl.older.bak", "/a.jsonl.old-.bak", "/a.jsonl.old-x.bak",
		"/a.jsonl.old-1x.bak", "/a.jsonl.old1.bak", "/a.jsonl.old+1.bak",
	} {
		if of, ok := store.BackupOf(name); ok || of != "" {
			t.Errorf("BackupOf(%q) = %q, %t; want that it is none", name, of, ok)
		}
	}
	if of, ok := store.BackupOf("x.old.bak"); of != "x" || !ok {
		t.Errorf("BackupOf of the shortest name = %q, %t", of, ok)
	}
}

func text(t *testing.T, s store.Store, name string) string {
	t.Helper()
	log, err := s.Open(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	size, err := log.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(io.NewSectionReader(log, 0, size))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The old content of a log is kept under the first free name, each time.
func TestReplaceKeeping(t *testing.T) {
	s := memstore.New()
	log, err := s.Create(t.Context(), "/a", store.Bytes([]byte("0")))
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		next, backup, err := store.ReplaceKeeping(t.Context(), s, log, 1, store.Bytes(fmt.Append(nil, n+1)), "/a")
		if err != nil || backup != store.BackupName("/a", n) || text(t, s, backup) != fmt.Sprint(n) || text(t, s, "/a") != fmt.Sprint(n+1) {
			t.Fatalf("replacing %d: %q, %v", n, backup, err)
		}
		log = next
	}
	if _, _, err := store.ReplaceKeeping(t.Context(), s, log, 5, store.Bytes(nil), "/a"); !errors.Is(err, store.ErrConflict) {
		t.Errorf("of a log that is shorter = %v, want ErrConflict", err)
	}
}

// A full store has every name.
type full struct {
	store.Store
	asked int
}

func (f *full) Replace(context.Context, store.Log, int64, store.Fill, string) (store.Log, error) {
	f.asked++
	return nil, store.ErrExist
}

func TestReplaceKeepingEnds(t *testing.T) {
	f := &full{}
	if _, _, err := store.ReplaceKeeping(t.Context(), f, nil, 0, nil, "/a"); !errors.Is(err, store.ErrExist) || f.asked != 1001 {
		t.Errorf("after %d names: %v; want ErrExist after 1001", f.asked, err)
	}
}

// An error of a log names it, and the operation if no wrapping error does.
func TestLogError(t *testing.T) {
	for want, err := range map[string]*store.LogError{
		"append to /a: EOF": {Op: "append to", Name: "/a", Err: io.EOF},
		"/a: EOF":           {Name: "/a", Err: io.EOF},
	} {
		if err.Error() != want || !errors.Is(err, io.EOF) || err.LogName() != "/a" {
			t.Errorf("%#v: %q of %q, want %q", err, err, err.LogName(), want)
		}
	}
	if name := (&store.ConflictError{Name: "/b"}).LogName(); name != "/b" {
		t.Errorf("LogName() = %q", name)
	}
}
