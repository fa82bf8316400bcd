package filestore

import "golang.org/x/sys/unix"

// renameNew renames a file, unless the new name is taken. The error matches
// errors.ErrUnsupported if the file system cannot do that in one step.
func renameNew(from, to string) error {
	return uninterrupted(func() error {
		return unix.RenameatxNp(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCL)
	})
}

// exchangeNames exchanges the names of two files. The error matches
// errors.ErrUnsupported if the file system cannot do that in one step.
func exchangeNames(a, b string) error {
	return uninterrupted(func() error {
		return unix.RenameatxNp(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_SWAP)
	})
}
