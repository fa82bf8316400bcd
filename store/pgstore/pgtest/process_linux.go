package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

// How a server is stopped.
const (
	immediate = syscall.SIGQUIT
	fast      = syscall.SIGINT
)

// servant is the user that root starts servers as, because they refuse to run as root:
// that of the package, or the one that owns nothing.
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

// giveAway gives a folder to who runs the server.
func giveAway(dir string) error {
	if uid, gid, needed := servant(); needed {
		return os.Chown(dir, uid, gid)
	}
	return nil
}

// unprivileged makes a command run as somebody who is not root.
func unprivileged(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if uid, gid, needed := servant(); needed {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
}

// startProcess starts a process that ends when this one does. That is told by the end
// of the thread that started it, so the thread stays until then.
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
			_ = cmd.Wait() // how it ended says nothing
			close(p.done)
		}
	}()
	return p, <-started
}
