//go:build !unix

package filestore

import "context"

// Writer returns the PID of a process of another program that has a file open
// for writing, or 0. known is false if the system does not report it, as here.
func Writer(context.Context, string) (pid int, known bool) { return 0, false }
