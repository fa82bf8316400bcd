//go:build unix

package filestore

import "os"

// openDirLock opens the file that is locked for a directory: on Unix, the
// directory itself.
func openDirLock(dir string) (*os.File, error) { return os.Open(dir) }
