//go:build unix

// Package plainuser runs tests as a user without root's privileges. File modes
// do not apply to root, and tests often run as root.
package plainuser

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is the ID of the unprivileged user and group of every system.
const nobody = 65534

// Needed reports whether a test must run as an unprivileged user. If so, it has
// already run it, in another process of the test program, and the test must
// return.
func Needed(t *testing.T) bool {
	t.Helper()
	if os.Geteuid() != 0 {
		return false
	}
	dir, err := os.MkdirTemp("", "plainuser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // the system cleans the temporary directory
	program, home := filepath.Join(dir, "program"), filepath.Join(dir, "home")
	for _, err := range []error{
		os.Chmod(dir, 0o755), copyProgram(program), os.Mkdir(home, 0o700), os.Chown(home, nobody, nobody),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home, "TMPDIR="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) {
		t.Skip("this root may not become another user")
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("as a plain user: %v\n%s", err, out)
	}
	return true
}

// copyProgram copies the test program to a place where every user can run it.
func copyProgram(to string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	from, err := os.Open(self)
	if err != nil {
		return err
	}
	defer from.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Chmod(0o755), out.Close())
}
