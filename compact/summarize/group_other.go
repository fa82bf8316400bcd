//go:build !unix

package summarize

import (
	"os/exec"
	"strconv"
)

// ownGroup lets a program be ended together with what it started.
func ownGroup(cmd *exec.Cmd) {
	cmd.Cancel = func() error {
		if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run(); err != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
}

// endGroup has nothing left to do: ownGroup ended the whole tree.
func endGroup(*exec.Cmd) {}
