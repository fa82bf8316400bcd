//go:build unix

package filestore

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// identity identifies a file regardless of its name.
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

// openFile opens a file without blocking, whatever kind of file it is.
func openFile(name string, p purpose) (*os.File, error) {
	return os.OpenFile(name, int(p)|unix.O_NONBLOCK, 0o600)
}

// writeOnce calls write(2) once. os.File.Write would silently continue after a
// short write.
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
// holds it. It does nothing if the file system has no locks.
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
	// The lock ends with the handle at the latest, so a failure can be ignored.
	_ = uninterrupted(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) })
}

// publishNew gives a temporary file its name, unless the name is taken.
func publishNew(link func(from, to string) error, temp, name string) error {
	if err := link(temp, name); err != nil {
		return err
	}
	// The log exists now. A temporary name that cannot be removed is found by
	// Leftovers and is not worth an error.
	_ = os.Remove(temp)
	return nil
}

// renameOver atomically replaces a file with another.
func renameOver(from, to string) error { return os.Rename(from, to) }

// SyncFolder makes the names in a directory durable, if the file system can.
func SyncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOTSUP) {
		return nil // the file system cannot sync directories
	}
	return err
}

// adoptMode gives f the permissions of the file that it will replace, and the
// owner if the system permits it.
func adoptMode(f *os.File, old *os.File) error {
	var st unix.Stat_t
	if err := uninterrupted(func() error { return unix.Fstat(int(old.Fd()), &st) }); err != nil {
		return err
	}
	// Change the owner first, because that can clear permissions. Then try the
	// group alone, because only root may give a file away.
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

// uninterrupted repeats a call that a signal interrupted.
func uninterrupted(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
