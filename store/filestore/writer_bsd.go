//go:build unix && !linux

package filestore

import "context"

// Writer returns the PID of a process of another program that has a file open
// for writing, or 0. known is false if the system does not report it.
func Writer(ctx context.Context, name string) (pid int, known bool) { return askLsof(ctx, name) }
