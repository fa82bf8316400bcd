//go:build unix

package filestore

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// identity tells files apart, whatever their names.
type identity struct{ device, inode uint64 }

type facts struct {
	id      identity
	size    int64
	regular bool
}

func factsOf(f *os.File) (facts, error) {
	var st unix.Stat_t
	err := uninterrupted(func() error { return unix.Fstat(int(f.Fd()), &st) })
	return factsFrom(&st), err
}

func factsAt(name string) (facts, error) {
	var st unix.Stat_t
	err := uninterrupted(func() error { return unix.Stat(name, &st) })
	return factsFrom(&st), err
}

func factsFrom(st *unix.Stat_t) facts {
	return facts{
		id:      identity{device: uint64(st.Dev), inode: uint64(st.Ino)},
		size:    st.Size,
		regular: st.Mode&unix.S_IFMT == unix.S_IFREG,
	}
}

// A purpose is what a file is opened for.
type purpose int

const (
	forReading   purpose = unix.O_RDONLY
	forAppending purpose = unix.O_RDWR | unix.O_APPEND
	forCreating  purpose = unix.O_RDWR | unix.O_APPEND | unix.O_CREAT | unix.O_EXCL
)

// openFile opens a file without ever blocking, whatever it turns out to be.
func openFile(name string, p purpose) (*os.File, error) {
	return os.OpenFile(name, int(p)|unix.O_NONBLOCK, 0o600)
}

// writeOnce is one write(2). The Write of os.File would go on after a short
// write without a word.
func writeOnce(f *os.File, p []byte) (int, error) {
	for {
		n, err := unix.Write(int(f.Fd()), p)
		if err != unix.EINTR {
			return n, err
		}
	}
}

func truncate(f *os.File, _ string, size int64) error {
	return uninterrupted(func() error { return unix.Ftruncate(int(f.Fd()), size) })
}

// tryLock takes the lock of the file that f is open on, unless another handle
// has it. Where the file system has no locks it does nothing.
func tryLock(f *os.File) (bool, error) {
	err := uninterrupted(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, unix.EWOULDBLOCK):
		return false, nil
	case hasNoLocks(err):
		return true, nil
	}
	return false, err
}

func hasNoLocks(err error) bool {
	return errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EOPNOTSUPP) ||
		errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOLCK)
}

func unlock(f *os.File) {
	// The lock ends with the handle at the latest; there is nothing to do
	// about a failure.
	_ = uninterrupted(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) })
}

// publishNew gives a temporary file its name, unless that is taken.
func publishNew(link func(from, to string) error, temp, name string) error {
	if err := link(temp, name); err != nil {
		return err
	}
	// The log is there now. A temporary name that cannot be removed is litter
	// that Leftovers finds; it is no reason to report a failure.
	_ = os.Remove(temp)
	return nil
}

// renameOver puts a file in the place of another, atomically.
func renameOver(from, to string) error { return os.Rename(from, to) }

// SyncFolder makes the names in a folder durable, where the file system can.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil // a file system that cannot do this for folders
	}
	return err
}

// adoptMode gives f the permissions of the file that it will replace, and the
// owner where the system permits that.
func adoptMode(f *os.File, old *os.File) error {
	var st unix.Stat_t
	if err := uninterrupted(func() error { return unix.Fstat(int(old.Fd()), &st) }); err != nil {
		return err
	}
	// The owner comes first: changing it can clear permissions. The group is
	// tried alone as well, because only root may give a file away.
	if f.Chown(int(st.Uid), int(st.Gid)) != nil {
		_ = f.Chown(-1, int(st.Gid))
	}
	return f.Chmod(fs.FileMode(st.Mode).Perm())
}

func cannotLink(err error) bool {
	return errors.Is(err, unix.EPERM) || errors.Is(err, unix.EXDEV) || errors.Is(err, unix.EMLINK) ||
		errors.Is(err, unix.ENOTSUP) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS)
}

func isDenied(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS)
}

func isDiskFull(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
}

// uninterrupted repeats a call that a signal broke off.
func uninterrupted(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
