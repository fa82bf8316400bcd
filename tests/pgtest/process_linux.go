package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

// Signals that stop a server.
const (
	immediate = syscall.SIGQUIT
	fast      = syscall.SIGINT
)

// servant returns the user as which root starts servers, because they refuse to
// run as root: postgres, or nobody.
func servant() (uid, gid int, needed bool) {
	if os.Geteuid() != 0 {
		return 0, 0, false
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 == nil && err2 == nil {
			return uid, gid, true
		}
	}
	return 65534, 65534, true
}

// giveAway gives a directory to the user that runs the server.
func giveAway(dir string) error {
	if uid, gid, needed := servant(); needed {
		return os.Chown(dir, uid, gid)
	}
	return nil
}

// unprivileged makes a command run as a user other than root.
func unprivileged(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if uid, gid, needed := servant(); needed {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
}

// startProcess starts a process that ends when this one does. The kernel sends
// the signal when the thread that started it ends, so that thread is kept until
// then.
func startProcess(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr.Pdeathsig = immediate
	p := &process{cmd, make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the exit status does not matter
			close(p.done)
		}
	}()
	return p, <-started
}
