//go:build !unix

package filestore

import "context"

// Writer is a process of another program that has a file open for writing; 0 when
// none is found. told is false when the system does not tell: here it does not.
func Writer(context.Context, string) (pid int, told bool) { return 0, false }
