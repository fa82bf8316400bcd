//go:build !unix

package summarize

import (
	"os/exec"
	"strconv"
)

// ownGroup arranges that a program is killed together with its child processes.
func ownGroup(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}

// endGroup does nothing: ownGroup killed the whole tree.
func endGroup(*exec.Cmd) {}
