package foreign_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/store"
)

// sessionOf returns a session with n lines of a size, under a new root.
func sessionOf(t *testing.T, n, size int) *foreign.Session {
	t.Helper()
	root := t.TempDir()
	path := filepath.Join(root, "s.jsonl")
	if err := os.WriteFile(path, []byte("as its program writes it"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &foreign.Session{Path: path, Original: path, Lines: func(context.Context) iter.Seq2[[]byte, error] {
		return func(yield func([]byte, error) bool) {
			for i := range n {
				if !yield(bytes.Repeat([]byte{byte('a' + i%26)}, size), nil) {
					return
				}
			}
			yield(nil, &foreign.DamagedError{Err: errors.New("a part is damaged")})
		}
	}}
	foreign.Add(root, []*foreign.Session{s})
	return s
}

// A small session is read in memory; a large one in a temporary file, which is
// gone when it is closed.
func TestOpen(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for _, n := range []int{3, 70} {
		s := sessionOf(t, n, 1<<20)
		f, err := foreign.Open(t.Context(), s.Path)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		if err != nil || len(data) != n*(1<<20+1) || strings.Count(string(data), "\n") != n || data[1<<20+1] != 'b' {
			t.Errorf("%d lines: read %d bytes, %v", n, len(data), err)
		}
		if info, err := f.Stat(); err != nil || info.Size() != int64(len(data)) {
			t.Errorf("Stat = %v, %v; want %d bytes", info, err, len(data))
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
			t.Errorf("%d lines: %v is left, %v", n, left, err)
		}
	}
}

// A log of a session refuses to be written, and notices that its original
// changed.
func TestStore(t *testing.T) {
	ctx := t.Context()
	s := sessionOf(t, 2, 3)
	st := foreign.StoreOf(s.Path)
	log, err := st.Open(ctx, s.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for range 2 {
		if n, err := log.Size(ctx); n != 8 || err != nil {
			t.Errorf("Size = %d, %v; want 8", n, err)
		}
	}
	if _, err := log.Append(ctx, 8, []byte("x\n")); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Append = %v; want ErrReadOnly", err)
	}
	if _, err := st.Create(ctx, s.Path, store.Bytes(nil)); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Create = %v; want ErrReadOnly", err)
	}
	if err := os.WriteFile(s.Original, []byte("more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := log.Size(ctx); !errors.Is(err, store.ErrGone) {
		t.Errorf("Size = %v after a change; want ErrGone", err)
	}
}

// A session is found by its path and behind symbolic links to its root; other
// paths are files.
func TestFind(t *testing.T) {
	s := sessionOf(t, 1, 1)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(s.Path), link); err != nil {
		t.Skip(err)
	}
	foreign.Add(link, []*foreign.Session{{Path: filepath.Join(link, "t.jsonl")}})
	for path, want := range map[string]bool{
		s.Path: true, filepath.Join(link, "t.jsonl"): true, filepath.Join(filepath.Dir(s.Path), "t.jsonl"): true,
		filepath.Dir(s.Path): false, s.Path + "x": false, "": false,
	} {
		if got := foreign.Find(path); (got != nil) != want {
			t.Errorf("Find(%s) = %v; want one: %v", path, got, want)
		}
	}
	if st := foreign.StoreOf(s.Path + "x"); st != nil {
		t.Errorf("StoreOf another path = %v; want nil", st)
	}
}
