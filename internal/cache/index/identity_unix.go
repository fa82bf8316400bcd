//go:build unix

package index

import (
	"io/fs"
	"syscall"
)

// InodeOf is the number of a file in the system, which stays when it is renamed.
func InodeOf(info fs.FileInfo) Inode {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return Inode{uint64(s.Dev), uint64(s.Ino)} //nolint:unconvert // the types differ between systems
	}
	return Inode{}
}
