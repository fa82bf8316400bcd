//go:build unix

package summarize

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a program the first of a group, so that what it starts can be
// ended with it.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// endGroup ends what is left of a group that was asked to end.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // mostly nothing is left
	}
}
