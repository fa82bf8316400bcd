package filestore

import (
	"errors"

	"golang.org/x/sys/unix"
)

// renameNew renames a file, unless the new name is taken. The error matches
// errors.ErrUnsupported if the file system cannot do that in one step.
func renameNew(from, to string) error {
	err := uninterrupted(func() error {
		return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	})
	if errors.Is(err, unix.EINVAL) { // returned by file systems that do not know the flag
		return errors.ErrUnsupported
	}
	return err
}

// exchangeNames exchanges the names of two files. The error matches
// errors.ErrUnsupported if the file system cannot do that in one step.
func exchangeNames(a, b string) error {
	err := uninterrupted(func() error {
		return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
	})
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}
