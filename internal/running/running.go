// Package running finds the processes of agents that keep nothing open while they
// work: they open a session for each line that they write.
package running

import (
	"os"
	"runtime"
	"syscall"
)

// Alive reports whether a process exists. It is true for one of another user.
func Alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release() // nothing is lost
	if runtime.GOOS == "windows" {
		return true // FindProcess fails for one that does not exist
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || os.IsPermission(err)
}
