//go:build unix

package filestore

import "os"

// openDirLock opens what is locked for a folder: here the folder itself.
func openDirLock(dir string) (*os.File, error) { return os.Open(dir) }
