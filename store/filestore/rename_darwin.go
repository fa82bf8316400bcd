package filestore

import "golang.org/x/sys/unix"

// renameNew gives a file another name, unless that is taken. The error matches
// errors.ErrUnsupported where the file system cannot do that in one step.
func renameNew(from, to string) error {
	return uninterrupted(func() error {
		return unix.RenameatxNp(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_EXCL)
	})
}
