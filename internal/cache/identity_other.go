//go:build !unix

package cache

import "io/fs"

// InodeOf returns the zero Inode on systems where a file must be opened to
// learn it. Files are then identified only by their paths.
func InodeOf(fs.FileInfo) Inode { return Inode{} }
