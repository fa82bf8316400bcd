//go:build !linux

package pgtest

import (
	"os"
	"os/exec"
	"syscall"
)

// Signals that stop a server.
const (
	immediate = syscall.SIGQUIT
	fast      = syscall.SIGINT
)

func giveAway(string) error { return nil }

func unprivileged(*exec.Cmd) {}

// startProcess starts a process.
func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd, make(chan struct{})}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait() // the exit status does not matter
		close(p.done)
	}()
	return p, nil
}

var _ os.Signal = immediate
