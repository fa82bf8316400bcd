//go:build unix

package filestore_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/store/memstore"
)

// A write that does nothing and says nothing ends, and leaves nothing.
func TestAppendThatWritesNothing(t *testing.T) {
	file := newFile(t, "a\n")
	idle := script{half, func(*os.File, []byte) (int, error) { return 0, nil }}
	l := open(t, filestore.New(filestore.Options{}).WithWrite(idle.write), file)
	if _, err := l.Append(t.Context(), 2, []byte("12345678\n")); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Append = %v; want ErrShortWrite", err)
	}
	if got := read(t, file); got != "a\n" {
		t.Errorf("the file holds %q; want %q", got, "a\n")
	}
}

// sameFiles fails unless a directory holds exactly these files.
func sameFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil || len(all) != len(want) {
		t.Errorf("the folder holds %v, %v; want %d files", all, err, len(want))
	}
	for name, text := range want {
		if got := read(t, filepath.Join(dir, name)); got != text {
			t.Errorf("%s holds %q; want %q", name, got, text)
		}
	}
}

// A disk error while a name is assigned leaves the directory unchanged, and the
// error names the file.
func TestLinkFails(t *testing.T) {
	file := newFile(t, "old\n")
	dir := filepath.Dir(file)
	s := filestore.New(filestore.Options{}).WithLink(func(from, to string) error {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EIO}
	})
	other := filepath.Join(dir, "new.jsonl")
	if _, err := s.Create(t.Context(), other, store.Bytes([]byte("new\n"))); !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), other) {
		t.Errorf("Create = %v; want EIO and the name", err)
	}
	if _, err := s.Replace(t.Context(), open(t, s, file), 4, store.Bytes([]byte("new\n")), file+".bak"); !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), file+".bak") {
		t.Errorf("Replace = %v; want EIO and the name of the backup", err)
	}
	sameFiles(t, dir, map[string]string{filepath.Base(file): "old\n"})
}

// Data that a program wrote during a replacement and that could not be carried
// over is reported: the new content is then in place.
func TestCarryOverFails(t *testing.T) {
	file := newFile(t, "old\n")
	syncs := 0
	s := filestore.New(filestore.Options{}).WithLink(func(from, to string) error {
		return errors.Join(os.Link(from, to), appendLockless(file, []byte("from pi\n")))
	}).WithSync(func(f *os.File) error {
		if syncs++; syncs > 1 {
			return syscall.EIO
		}
		return f.Sync()
	})
	_, err := s.Replace(t.Context(), open(t, s, file), 4, store.Bytes([]byte("new\n")), file+".bak")
	if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "in place") || !strings.Contains(err.Error(), "8 bytes") {
		t.Errorf("Replace = %v; want EIO, that the content is in place, and how much is missing", err)
	}
	if got := read(t, file+".bak"); got != "old\nfrom pi\n" {
		t.Errorf("the backup holds %q; want all that there was", got)
	}
}

// A log can be replaced only by the store that it is of, and only backed up to a
// whole path.
func TestReplaceRefuses(t *testing.T) {
	s := filestore.New(filestore.Options{})
	other, err := memstore.New().Create(t.Context(), "/a", store.Bytes([]byte("a")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Replace(t.Context(), other, 1, store.Bytes(nil), ""); err == nil {
		t.Error("a log of another store was replaced")
	}
	file := newFile(t, "a\n")
	if _, err := s.Replace(t.Context(), open(t, s, file), 2, store.Bytes(nil), "relative.bak"); err == nil {
		t.Error("a backup was made somewhere")
	}
	sameFiles(t, filepath.Dir(file), map[string]string{filepath.Base(file): "a\n"})
}

// A crash between the two names of a file leaves both. Relink, done again, finishes
// it; so does the one of systems that cannot do it in one step.
func TestRelinkAfterCrash(t *testing.T) {
	for name, relink := range map[string]func(from, to string) error{"one step": filestore.Relink, "two steps": filestore.LinkNew} {
		t.Run(name, func(t *testing.T) {
			from := newFile(t, "a\n")
			to := filepath.Join(t.TempDir(), "other.jsonl")
			if err := relink(from, to); err != nil {
				t.Fatal(err)
			}
			sameFiles(t, filepath.Dir(from), nil)
			sameFiles(t, filepath.Dir(to), map[string]string{"other.jsonl": "a\n"})
			if err := os.Link(to, from); err != nil {
				t.Fatal(err)
			}
			if err := filestore.Relink(from, to); err != nil {
				t.Errorf("Relink of two names of a file = %v", err)
			}
			sameFiles(t, filepath.Dir(from), nil)
			sameFiles(t, filepath.Dir(to), map[string]string{"other.jsonl": "a\n"})
			taken := newFile(t, "b\n")
			if err := relink(to, taken); !errors.Is(err, fs.ErrExist) || read(t, taken) != "b\n" || read(t, to) != "a\n" {
				t.Errorf("to a name that is taken: %v", err)
			}
			if err := relink(to, filepath.Join(t.TempDir(), "no", "folder")); err == nil || read(t, to) != "a\n" {
				t.Errorf("to a folder that is not there: %v", err)
			}
		})
	}
}

// Only a program that has this very file open, for writing, is one that writes to it.
func TestWriterOfAnother(t *testing.T) {
	file := newFile(t, "a\n")
	base := filepath.Base(file)
	twin := filepath.Join(t.TempDir(), base)
	if err := os.WriteFile(twin, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	reading, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	writing, err := os.OpenFile(twin, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writing.Close()
	other := exec.Command("sleep", "600")
	other.Stdin, other.Stdout = reading, writing
	if err := other.Start(); err != nil {
		t.Skip(err)
	}
	pid, _ := filestore.Writer(t.Context(), file)
	link := filepath.Join(t.TempDir(), "link.jsonl")
	linked := os.Symlink(twin, link)
	twinPID, told := filestore.Writer(t.Context(), link)
	_ = other.Process.Kill()
	_ = other.Wait()
	if pid != 0 {
		t.Errorf("Writer of a file that process %d reads = %d", other.Process.Pid, pid)
	}
	if linked != nil || told && twinPID != other.Process.Pid {
		t.Errorf("Writer by a link to the file that process %d writes = %d, %v", other.Process.Pid, twinPID, linked)
	}
	if pid, told := filestore.Writer(t.Context(), filepath.Join(t.TempDir(), "gone")); pid != 0 || told {
		t.Errorf("Writer of no file = %d, %t; want that it is not told", pid, told)
	}
}

// Facts missing from lsof's output are unknown; that no process has a file open
// is reported.
func TestAskLsof(t *testing.T) {
	for name, tt := range map[string]struct {
		program string
		told    bool
	}{
		"there is none":     {"", false},
		"nobody":            {"false", true},
		"something unknown": {"echo", true},
		"it does not know":  {"sh", false}, // which does not take such options
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.program != "" {
				program, err := exec.LookPath(tt.program)
				if err != nil {
					t.Skip(err)
				}
				if err := os.Symlink(program, filepath.Join(dir, "lsof")); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", dir)
			if pid, told := filestore.AskLsof(t.Context(), "/x"); pid != 0 || told != tt.told {
				t.Errorf("the answer is %d, %t; want 0, %t", pid, told, tt.told)
			}
		})
	}
}

// Leftovers are the files of a crash: not a file that is about to be written,
// not another kind of file, and none without a directory.
func TestLeftoversAlone(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	left := put(".pith-tmp-left", "half")
	put(".pith-tmp-young", "")
	put("s.jsonl", "x")
	if err := os.Mkdir(filepath.Join(dir, ".pith-tmp-folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	got, err := filestore.Leftovers(dir)
	if err != nil || fmt.Sprint(got) != fmt.Sprint([]string{left}) {
		t.Errorf("Leftovers = %v, %v; want %s alone", got, err, left)
	}
	if _, err := filestore.Leftovers(filepath.Join(dir, "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Leftovers of no folder = %v", err)
	}
	if err := filestore.WithDirLock(t.Context(), left, func() error { return nil }); err == nil {
		t.Error("a file was locked as a folder")
	}
}
