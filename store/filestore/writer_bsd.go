//go:build unix && !linux

package filestore

import "context"

// Writer is a process of another program that has a file open for writing; 0 when
// none is found. told is false when the system does not tell.
func Writer(ctx context.Context, name string) (pid int, told bool) { return askLsof(ctx, name) }
