//go:build unix

package cache

import (
	"io/fs"
	"syscall"
)

func inodeOf(info fs.FileInfo) Inode {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return Inode{uint64(s.Dev), uint64(s.Ino)} //nolint:unconvert // the types differ between systems
	}
	return Inode{}
}
