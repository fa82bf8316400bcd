//go:build unix

package filestore_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// roleLock holds the lock of a file until it is killed: FILE.
func roleLock(args []string) error {
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	fmt.Println("locked")
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// pitfalls 161, 162, 166: a lock that is held makes an append fail with the
// holder's name after a while; it ends with its process, and appending works.
func TestLockOfAnotherProcess(t *testing.T) {
	name := newFile(t, "a\n")
	c := start(t, "lock", name)
	c.next(t)
	l := open(t, filestore.New(filestore.Options{LockWait: 30 * time.Millisecond}), name)
	_, err := l.Append(2, []byte("b\n"))
	if !errors.Is(err, store.ErrLocked) {
		t.Errorf("Append to a locked file = %v; want ErrLocked", err)
	}
	if holder := fmt.Sprint("process ", c.cmd.Process.Pid, " "); runtime.GOOS == "linux" && !strings.Contains(err.Error(), holder) {
		t.Errorf("Append to a locked file = %v; want that it names %q", err, holder)
	}
	if got := read(t, name); got != "a\n" {
		t.Errorf("the file holds %q; want it as it was", got)
	}
	c.kill(t)
	if off, err := l.Append(2, []byte("b\n")); off != 2 || err != nil {
		t.Errorf("Append after the holder died = %d, %v; want 2, nil", off, err)
	}
}

// pitfall 164: the lock belongs to the file, by whatever name it is opened, and
// is held for the write alone.
func TestLockIsOfTheFile(t *testing.T) {
	name := newFile(t, "a\n")
	symlink, hardlink := name+".symlink", name+".hardlink"
	if err := errors.Join(os.Symlink(name, symlink), os.Link(name, hardlink)); err != nil {
		t.Fatal(err)
	}
	s := filestore.New(filestore.Options{LockWait: 10 * time.Millisecond})
	other, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	at := int64(2)
	for _, path := range []string{name, symlink, hardlink} {
		l := open(t, s, path)
		if err := unix.Flock(int(other.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			t.Fatalf("flock = %v; want that nobody holds the lock between appends", err)
		}
		if _, err := l.Append(at, []byte("b\n")); !errors.Is(err, store.ErrLocked) {
			t.Errorf("Append through %s beside another lock = %v; want ErrLocked", path, err)
		}
		if err := unix.Flock(int(other.Fd()), unix.LOCK_UN); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(at, []byte("b\n")); err != nil {
			t.Errorf("Append through %s = %v; want nil", path, err)
		}
		at += 2
	}
}
