package artifacts_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/internal/artifacts"
	"github.com/pith-sessions/pith/store/storetest"
)

// newFolder makes a directory with files, links and directories of several
// permissions.
func newFolder(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(tempDir(t), "session")
	closed := filepath.Join(dir, "closed")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "open"), 0o755), os.Chmod(filepath.Join(dir, "open"), 0o755), os.Mkdir(closed, 0o700),
		os.WriteFile(filepath.Join(closed, "secret"), []byte(strings.Repeat("secret ", 1000)), 0o600), os.Chmod(closed, 0o500),
		os.WriteFile(filepath.Join(dir, "open", "run"), []byte("run"), 0o600), os.Chmod(filepath.Join(dir, "open", "run"), 0o755),
		os.WriteFile(filepath.Join(dir, "empty"), nil, 0o640), os.Chmod(filepath.Join(dir, "empty"), 0o440),
		os.Symlink("closed/secret", filepath.Join(dir, "inner")), os.Symlink("/nowhere", filepath.Join(dir, "dangling")), os.Symlink("..", filepath.Join(dir, "loop")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tempDir is t.TempDir for closed directories, which only root can remove.
func tempDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(path, 0o700)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	return dir
}

// describe lists the content of a directory: names, modes, content and the
// targets of links.
func describe(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := ""
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		case info.Mode().Type() == fs.ModeSymlink:
			if text, err = os.Readlink(path); err != nil {
				return err
			}
		}
		out = append(out, fmt.Sprint(strings.TrimPrefix(path, dir), " ", info.Mode(), " ", text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCopy(t *testing.T) {
	from := newFolder(t)
	want := describe(t, from)
	to := filepath.Join(tempDir(t), "new", "copy")
	if err := artifacts.Copy(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	if got := describe(t, to); !slices.Equal(got, want) {
		t.Errorf("the copy is\n%q\nwant\n%q", got, want)
	}
	if got := describe(t, from); !slices.Equal(got, want) {
		t.Errorf("the original became\n%q", got)
	}
	// A name that is taken stays what it is.
	if err := artifacts.Copy(t.Context(), newFolder(t), to); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Copy to a name that is taken = %v; want ErrExist", err)
	}
	if got := describe(t, to); !slices.Equal(got, want) {
		t.Errorf("the folder that was there became\n%q", got)
	}
	// A link to the directory is followed.
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(from, link); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(tempDir(t), "copy")
	if err := artifacts.Copy(t.Context(), link, other); err != nil || !slices.Equal(describe(t, other), want) {
		t.Errorf("Copy of a link = %v", err)
	}
}

// Whichever file, directory or link cannot be made, nothing is left of the
// copy, and the original is unchanged.
func TestFaultAtEachStep(t *testing.T) {
	for name, copyTo := range map[string]func(from, to string) error{
		"Copy": func(from, to string) error { return artifacts.Copy(t.Context(), from, to) },
		"Move": artifacts.Move,
	} {
		t.Run(name, func(t *testing.T) {
			for inodes := 2; ; inodes++ {
				from := newFolder(t)
				want := describe(t, from)
				disk := storetest.Disk(t, fmt.Sprintf("256k,nr_inodes=%d", inodes))
				to := filepath.Join(disk, "copy")
				err := copyTo(from, to)
				if err == nil {
					if got := describe(t, to); !slices.Equal(got, want) {
						t.Errorf("the copy is\n%q\nwant\n%q", got, want)
					}
					if inodes < 8 {
						t.Errorf("a copy with %d files was made on a disk for %d", len(want), inodes)
					}
					return
				}
				if !errors.Is(err, unix.ENOSPC) {
					t.Fatalf("%s on a disk for %d files = %v; want ENOSPC", name, inodes, err)
				}
				if left, err := os.ReadDir(disk); len(left) != 0 || err != nil {
					t.Errorf("%s on a disk for %d files left %v, %v", name, inodes, left, err)
				}
				if got := describe(t, from); !slices.Equal(got, want) {
					t.Errorf("%s on a disk for %d files made the original\n%q\nwant\n%q", name, inodes, got, want)
				}
			}
		})
	}
}

// Copy leaves a pipe out; a move to another device, which would lose it, is refused.
func TestPipe(t *testing.T) {
	from := newFolder(t)
	want := describe(t, from)
	if err := unix.Mkfifo(filepath.Join(from, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(tempDir(t), "copy")
	if err := artifacts.Copy(t.Context(), from, to); err != nil || !slices.Equal(describe(t, to), want) {
		t.Errorf("Copy = %v; want all but the pipe", err)
	}
	disk := storetest.Disk(t, "256k")
	if err := artifacts.Move(from, filepath.Join(disk, "copy")); err == nil {
		t.Error("Move of a pipe to another device = nil; want an error")
	}
	if left, err := os.ReadDir(disk); len(left) != 0 || err != nil {
		t.Errorf("Move left %v, %v", left, err)
	}
	if got := describe(t, from); len(got) != len(want)+1 {
		t.Errorf("Move made the original %q", got)
	}
}

// A file never takes the name of another, on the same device or on another one, and
// keeps its mode and time.
func TestMoveFile(t *testing.T) {
	for name, dir := range map[string]string{"same device": t.TempDir(), "other device": storetest.Disk(t, "256k")} {
		t.Run(name, func(t *testing.T) {
			from, to := filepath.Join(t.TempDir(), "a.jsonl"), filepath.Join(dir, "b.jsonl")
			if err := errors.Join(os.WriteFile(from, []byte("a"), 0o640), os.Chmod(from, 0o640), os.WriteFile(to, []byte("b"), 0o600)); err != nil {
				t.Fatal(err)
			}
			before, err := os.Lstat(from)
			if err != nil {
				t.Fatal(err)
			}
			if err := artifacts.MoveFile(from, to); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), to) {
				t.Errorf("MoveFile to a name that is taken = %v; want ErrExist and the name", err)
			}
			if data, err := os.ReadFile(to); string(data) != "b" || err != nil {
				t.Errorf("the other file holds %q, %v", data, err)
			}
			if err := errors.Join(os.Remove(to), artifacts.MoveFile(from, to)); err != nil {
				t.Fatal(err)
			}
			after, err := os.Lstat(to)
			if err != nil || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) {
				t.Errorf("after the move: %v, %v; want %v", after, err, before)
			}
			if _, err := os.Lstat(from); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Lstat of the old name = %v; want ErrNotExist", err)
			}
		})
	}
}
