//go:build unix

package subagent

import "syscall"

// nonBlocking keeps the opening of a pipe that took the place of a file from
// waiting for a writer.
const nonBlocking = syscall.O_NONBLOCK
