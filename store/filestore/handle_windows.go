package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// identity identifies a file regardless of its name.
type identity struct{ volume, indexHigh, indexLow uint32 }

type facts struct {
	id      identity
	size    int64
	regular bool
}

func factsOf(f *os.File) (facts, error) {
	return factsOfHandle(windows.Handle(f.Fd()))
}

// factsAt opens the file briefly, because the directory entry of an open file
// can have an old size.
func factsAt(name string) (facts, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return facts{}, err
	}
	h, err := windows.CreateFile(path, windows.FILE_READ_ATTRIBUTES, shareAll, nil,
		windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return facts{}, err
	}
	defer windows.CloseHandle(h)
	return factsOfHandle(h)
}

func factsOfHandle(h windows.Handle) (facts, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &info); err != nil {
		return facts{}, err
	}
	return facts{
		id: identity{
			volume:    info.VolumeSerialNumber,
			indexHigh: info.FileIndexHigh,
			indexLow:  info.FileIndexLow,
		},
		size:    int64(info.FileSizeHigh)<<32 | int64(info.FileSizeLow),
		regular: info.FileAttributes&(windows.FILE_ATTRIBUTE_DIRECTORY|windows.FILE_ATTRIBUTE_DEVICE) == 0,
	}, nil
}

// shareAll lets other programs read, write, rename and delete a file that is
// open here.
const shareAll = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE

// A purpose is what a file is opened for.
type purpose int

const (
	forReading purpose = iota
	forAppending
	forCreating
)

// openFile opens a file so that it can be renamed and replaced while it is
// open, which os.OpenFile does not permit on Windows.
func openFile(name string, p purpose) (*os.File, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	// With the right to append but not to write, every write goes to the end of
	// the file.
	access, disposition := uint32(windows.GENERIC_READ), uint32(windows.OPEN_EXISTING)
	if p != forReading {
		access |= windows.FILE_APPEND_DATA | windows.FILE_WRITE_ATTRIBUTES
	}
	if p == forCreating {
		disposition = windows.CREATE_NEW
	}
	h, err := windows.CreateFile(path, access, shareAll, nil, disposition, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}

func writeOnce(f *os.File, p []byte) (int, error) { return f.Write(p) }

// truncate truncates a file. The log's own handle lacks the right to do that,
// so it opens a second one.
func truncate(f *os.File, name string, size int64) error {
	w, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer w.Close()
	own, err := factsOf(f)
	if err != nil {
		return err
	}
	other, err := factsOf(w)
	if err != nil {
		return err
	}
	if own.id != other.id {
		return errors.New("another file replaced it")
	}
	return w.Truncate(size)
}

// lockRange returns one byte far beyond the end of any file: locks are
// mandatory on Windows, and this one must not block readers and other programs.
func lockRange() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 0x7fff_fff0} }

// tryLock takes the lock of the file that f is open on, unless another handle
// holds it. It does nothing if the file system has no locks.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockRange())
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return true, nil
	}
	return false, err
}

func unlock(f *os.File) {
	// The lock ends with the handle at the latest, so a failure can be ignored.
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockRange())
}

// publishNew gives a temporary file its name, unless the name is taken.
func publishNew(_ func(from, to string) error, temp, name string) error {
	return renameNew(temp, name)
}

// renameNew renames a file, unless the new name is taken.
func renameNew(old, name string) error {
	from, err := windows.UTF16PtrFromString(old)
	if err != nil {
		return err
	}
	to, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return err
	}
	return windows.MoveFileEx(from, to, windows.MOVEFILE_WRITE_THROUGH)
}

// exchangeNames reports that the system cannot exchange names.
func exchangeNames(_, _ string) error { return errors.ErrUnsupported }

// renameOver atomically replaces a file with another. os.Root.Rename replaces
// open files, which os.Rename does not.
func renameOver(from, to string) error {
	root, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.Rename(filepath.Base(from), filepath.Base(to)); err != nil {
		return fmt.Errorf("another program may have it open: %w", bare(err))
	}
	return nil
}

// SyncFolder does nothing: Windows cannot make names durable beyond the
// write-through of the rename itself.
func SyncFolder(string) error { return nil }

// adoptMode does nothing: on Windows, permissions come from the directory, and
// read-only files are not replaced.
func adoptMode(_, _ *os.File) error { return nil }

func cannotLink(err error) bool {
	return errors.Is(err, windows.ERROR_INVALID_FUNCTION) || errors.Is(err, windows.ERROR_NOT_SUPPORTED) ||
		errors.Is(err, windows.ERROR_NOT_SAME_DEVICE) || errors.Is(err, windows.ERROR_TOO_MANY_LINKS)
}

func isDenied(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, windows.ERROR_WRITE_PROTECT) ||
		errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

func isDiskFull(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
