//go:build unix

package filestore_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// pitfall 40: new files and directories are private, whatever the umask.
func TestModeOfNewFiles(t *testing.T) {
	defer unix.Umask(unix.Umask(0))
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b", "log.jsonl")
	l, err := filestore.New(filestore.Options{}).Create(t.Context(), file, store.Bytes([]byte("a\n")))
	if err != nil {
		t.Fatalf("Create = %v; want a log", err)
	}
	defer l.Close()
	for path, want := range map[string]fs.FileMode{
		file:                      0o600,
		filepath.Dir(file):        fs.ModeDir | 0o700,
		filepath.Join(dir, "a"):   fs.ModeDir | 0o700,
		filepath.Dir(file) + "/.": fs.ModeDir | 0o700,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("mode of %s = %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

// pitfall 40: a replaced file keeps its mode and, where permitted, its owner.
func TestReplaceKeepsMode(t *testing.T) {
	for name, link := range map[string]func(string, string) error{"links": os.Link, "no links": noLinks} {
		t.Run(name, func(t *testing.T) {
			file := newFile(t, "a\n")
			uid, gid := os.Getuid(), os.Getgid()
			if uid == 0 {
				uid, gid = 4711, 4712
			}
			if err := errors.Join(os.Chown(file, uid, gid), os.Chmod(file, 0o640)); err != nil {
				t.Fatal(err)
			}
			s := filestore.New(filestore.Options{}).WithLink(link)
			l, err := s.Replace(t.Context(), open(t, s, file), 2, store.Bytes([]byte("b\n")), file+".bak")
			if err != nil {
				t.Fatalf("Replace = %v; want a log", err)
			}
			defer l.Close()
			for _, path := range []string{file, file + ".bak"} {
				var st unix.Stat_t
				if err := unix.Stat(path, &st); err != nil || st.Mode&0o7777 != 0o640 || int(st.Uid) != uid || int(st.Gid) != gid {
					t.Errorf("%s: mode %o, owner %d:%d, %v; want 640, %d:%d", path, st.Mode&0o7777, st.Uid, st.Gid, err, uid, gid)
				}
			}
		})
	}
}

// pitfall 164: a log opened through a symbolic link is its target.
func TestSymlinks(t *testing.T) {
	file := newFile(t, "a\n")
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	s := filestore.New(filestore.Options{})
	l, err := s.Replace(t.Context(), open(t, s, link), 2, store.Bytes([]byte("b\n")), "")
	if err != nil {
		t.Fatalf("Replace = %v; want a log", err)
	}
	defer l.Close()
	if target, err := os.Readlink(link); target != file || err != nil {
		t.Errorf("Readlink after Replace = %q, %v; want %q", target, err, file)
	}
	if got := read(t, file); got != "b\n" {
		t.Errorf("the file behind the link holds %q; want %q", got, "b\n")
	}
	// pitfall 31: a link that leads to another file now.
	if err := errors.Join(os.Remove(link), os.Symlink(newFile(t, "c\n"), link)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(t.Context(), 2, []byte("d\n")); !errors.Is(err, store.ErrGone) {
		t.Errorf("Append through a link that was changed = %v; want ErrGone", err)
	}
}

func TestCreateAtSymlinks(t *testing.T) { // pitfalls 30, 48
	dir := t.TempDir()
	s := filestore.New(filestore.Options{})
	nowhere, toEmpty, empty := filepath.Join(dir, "nowhere"), filepath.Join(dir, "link"), newFile(t, "")
	if err := errors.Join(os.Symlink(filepath.Join(dir, "missing"), nowhere), os.Symlink(empty, toEmpty)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Create(t.Context(), nowhere, store.Bytes([]byte("a\n"))); !errors.Is(err, store.ErrExist) {
		t.Errorf("Create at a dangling link = %v; want ErrExist", err)
	}
	if _, err := s.Open(t.Context(), nowhere); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of a dangling link = %v; want ErrNotExist", err)
	}
	l, err := s.Create(t.Context(), toEmpty, store.Bytes([]byte("a\n")))
	if err != nil {
		t.Fatalf("Create at a link to an empty file = %v; want a log", err)
	}
	defer l.Close()
	if got := read(t, empty); got != "a\n" {
		t.Errorf("the file behind the link holds %q; want %q", got, "a\n")
	}
}

// pitfall 48: anything but a regular file is rejected, without blocking.
func TestNotFiles(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe.jsonl"), filepath.Join(dir, "socket.jsonl")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	s := filestore.New(filestore.Options{})
	for path, want := range map[string]string{
		dir: "a directory", pipe: "a named pipe", socket: "a socket", os.DevNull: "a device", "log.jsonl": "absolute",
	} {
		if l, err := s.Open(t.Context(), path); l != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%s) = %v, %v; want an error with %q", path, l, err, want)
		}
		l, err := s.Create(t.Context(), path, store.Bytes([]byte("a\n")))
		if l != nil || err == nil || path != "log.jsonl" && !errors.Is(err, store.ErrExist) {
			t.Errorf("Create(%s) = %v, %v; want ErrExist", path, l, err)
		}
	}
}

// pitfalls 3, 36: opening and reading change nothing.
func TestOpenChangesNothing(t *testing.T) {
	file := newFile(t, "torn")
	past := time.Unix(1_700_000_000, 0)
	if err := os.Chtimes(file, past, past); err != nil {
		t.Fatal(err)
	}
	l := open(t, filestore.New(filestore.Options{}), file)
	if size, err := l.Size(t.Context()); size != 4 || err != nil {
		t.Errorf("Size = %d, %v; want 4, nil", size, err)
	}
	if err := errors.Join(l.Sync(t.Context()), l.Close()); err != nil {
		t.Errorf("Sync and Close = %v; want nil", err)
	}
	if info, err := os.Stat(file); err != nil || !info.ModTime().Equal(past) || read(t, file) != "torn" {
		t.Errorf("the file has changed: %v %v %q", info.ModTime(), err, read(t, file))
	}
}

// pitfall 32: a file that was cut by another program.
func TestCutFile(t *testing.T) {
	file := newFile(t, "a\nb\n")
	l := open(t, filestore.New(filestore.Options{}), file)
	if err := os.Truncate(file, 1); err != nil {
		t.Fatal(err)
	}
	var c *store.ConflictError
	if _, err := l.Append(t.Context(), 4, []byte("c\n")); !errors.As(err, &c) || c.Have != 1 {
		t.Errorf("Append to a file that was cut = %v; want a conflict with 1 byte", err)
	}
	if got := read(t, file); got != "a" {
		t.Errorf("the file holds %q; want it as it was", got)
	}
}

// pitfall 35: a file that its creator is about to lock is not a leftover.
func TestLeftoversYoungAndEmpty(t *testing.T) {
	dir := t.TempDir()
	young, old := filepath.Join(dir, ".pith-tmp-young"), filepath.Join(dir, ".pith-tmp-old")
	past := time.Now().Add(-time.Hour)
	err := errors.Join(os.WriteFile(young, nil, 0o600), os.WriteFile(old, nil, 0o600), os.Chtimes(old, past, past),
		os.Mkdir(filepath.Join(dir, ".pith-tmp-folder"), 0o700), os.WriteFile(filepath.Join(dir, "a.jsonl"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	if left, err := filestore.Leftovers(dir); err != nil || len(left) != 1 || left[0] != old {
		t.Errorf("Leftovers = %q, %v; want %q", left, err, old)
	}
	if _, err := filestore.Leftovers(filepath.Join(dir, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Leftovers of a missing folder = %v; want ErrNotExist", err)
	}
}
