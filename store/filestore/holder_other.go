//go:build !linux

package filestore

import "os"

// lockHolder describes the process that holds the lock of a file. This system
// does not report it.
func lockHolder(*os.File) string { return "another process" }
