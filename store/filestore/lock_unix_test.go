//go:build unix

package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
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
	_, err := l.Append(t.Context(), 2, []byte("b\n"))
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
	if off, err := l.Append(t.Context(), 2, []byte("b\n")); off != 2 || err != nil {
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
		if _, err := l.Append(t.Context(), at, []byte("b\n")); !errors.Is(err, store.ErrLocked) {
			t.Errorf("Append through %s beside another lock = %v; want ErrLocked", path, err)
		}
		if err := unix.Flock(int(other.Fd()), unix.LOCK_UN); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Append(t.Context(), at, []byte("b\n")); err != nil {
			t.Errorf("Append through %s = %v; want nil", path, err)
		}
		at += 2
	}
}

// A directory lock is waited for for ten seconds.
func TestDirLockIsWaitedFor(t *testing.T) {
	const most = 10 * time.Second
	for held, want := range map[time.Duration]error{most - time.Second: nil, most + time.Second: store.ErrLocked} {
		synctest.Test(t, func(t *testing.T) {
			other, err := os.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			if err := unix.Flock(int(other.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			time.AfterFunc(held, func() { other.Close() })
			err = filestore.WithDirLock(t.Context(), other.Name(), func() error { return nil })
			took, least := time.Since(began), min(held, most)
			if !errors.Is(err, want) || took < least || took > least+10*time.Millisecond {
				t.Errorf("WithDirLock of a folder that is locked for %v = %v after %v; want %v after %v", held, err, took, want, least)
			}
		})
	}
}

// A file that is empty may be about to be written, for a minute.
func TestEmptyLeftovers(t *testing.T) {
	for age, want := range map[time.Duration]int{0: 0, time.Minute - time.Second: 0, time.Minute: 1} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, ".pith-tmp-left")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			made := time.Now().Add(-age)
			if err := os.Chtimes(path, made, made); err != nil {
				t.Fatal(err)
			}
			if left, err := filestore.Leftovers(dir); err != nil || len(left) != want {
				t.Errorf("Leftovers %v after it was made = %v, %v; want %d", age, left, err, want)
			}
		})
	}
}

// A waiter for a lock stops when its context is done: both for another
// program's lock, and for the turn of another goroutine that waits for that
// lock.
func TestWaitingIsCalledOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := newFile(t, "a\n")
		other, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if err := unix.Flock(int(other.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			t.Fatal(err)
		}
		s := filestore.New(filestore.Options{LockWait: time.Hour})
		l := open(t, s, name)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		ended := make(chan error)
		for range 2 { // the second waits for its turn
			go func() {
				_, err := l.Append(ctx, 2, []byte("b\n"))
				ended <- err
			}()
		}
		go func() {
			_, err := s.Replace(ctx, open(t, s, name), 2, store.Bytes([]byte("b\n")), "")
			ended <- err
		}()
		for range 3 {
			if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("waiting ended with %v; want the context's error", err)
			}
		}
		if late := time.Since(began) - time.Second; late < 0 || late > 100*time.Millisecond {
			t.Errorf("the last returned %v after the context was done; want 100 ms at most", late)
		}
		if got := read(t, name); got != "a\n" {
			t.Errorf("the file holds %q; want it as it was", got)
		}
	})
}
