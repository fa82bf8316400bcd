//go:build unix

package subagent

import "syscall"

// nonBlocking prevents that opening a pipe that replaced a file waits for a
// writer.
const nonBlocking = syscall.O_NONBLOCK
