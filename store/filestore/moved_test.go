//go:build linux || darwin

package filestore_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// A rewrite does not bring back a file that a program without locks takes away
// right before the file is replaced.
func TestReplaceOfFileTakenAway(t *testing.T) {
	for name, after := range map[string]string{"moved": "", "replaced": "other\n"} {
		t.Run(name, func(t *testing.T) {
			path := newFile(t, "a\n")
			backup, moved := path+".old.bak", path+".moved"
			s := filestore.New(filestore.Options{}).WithLink(func(from, to string) error {
				err := errors.Join(os.Link(from, to), os.Rename(path, moved))
				if after != "" {
					err = errors.Join(err, os.WriteFile(path, []byte(after), 0o600))
				}
				return err
			})
			if _, err := s.Replace(t.Context(), open(t, s, path), 2, store.Bytes([]byte("b\n")), backup); !errors.Is(err, store.ErrGone) {
				t.Errorf("Replace = %v; want ErrGone", err)
			}
			if got, err := os.ReadFile(path); string(got) != after || after == "" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("at the old name: %q, %v; want %q", got, err, after)
			}
			if got := read(t, moved); got != "a\n" {
				t.Errorf("the moved file holds %q", got)
			}
			if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".pith-*")); len(left) > 0 || err != nil {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// A move waits for a rewrite of the same file, and takes the new content along.
func TestMoveWaitsForReplace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := newFile(t, "a\n")
		to := path + ".moved"
		moved := make(chan error)
		s := filestore.New(filestore.Options{}).WithLink(func(from, to2 string) error {
			go func() { moved <- artifacts.MoveFile(path, to) }()
			time.Sleep(time.Second) // until the other waits
			return os.Link(from, to2)
		})
		l, err := s.Replace(t.Context(), open(t, s, path), 2, store.Bytes([]byte("b\n")), path+".old.bak")
		if err != nil {
			t.Errorf("Replace = %v; want that it comes first", err)
		} else {
			l.Close()
		}
		if err := <-moved; err != nil {
			t.Errorf("MoveFile = %v", err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the old name is there: %v", err)
		}
		if got := read(t, to); got != "b\n" {
			t.Errorf("the moved file holds %q; want the new content", got)
		}
	})
}
