// Command install tests a release on this machine: archives, checksums, the
// Debian package, the npm packages, and the Windows program if there is Wine.
// It prints what it could not test.
//
//	go run ./tests/install dist
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: install DIST")
		os.Exit(2)
	}
	dist, err := filepath.Abs(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
	failed := false
	for _, s := range []struct {
		name string
		try  func(string) error
	}{{"archives", archives}, {"debian", debian}, {"npm", npm}, {"wine", wine}} {
		err := s.try(dist)
		switch {
		case errors.Is(err, errCannot):
			fmt.Printf("-- %s: %v\n", s.name, err)
		case err != nil:
			fmt.Printf("-- %s FAILED: %v\n", s.name, err)
			failed = true
		default:
			fmt.Printf("-- %s ok\n", s.name)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// errCannot means that something cannot be tested on this machine.
var errCannot = errors.New("cannot be tried here")

// one returns the only file that matches a pattern.
func one(dir, pattern string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return "", err
	}
	if len(files) != 1 {
		return "", fmt.Errorf("%d files fit %s; want one", len(files), pattern)
	}
	return files[0], nil
}

// A user is a new user: an empty home, an empty directory, and a path to
// programs.
type user struct{ home, path string }

func newUser(path string) (*user, error) {
	home, err := os.MkdirTemp("", "pith-user-")
	return &user{home, path}, err
}

func (u *user) leave() { os.RemoveAll(u.home) }

// A failure is a failed command with its output.
type failure struct {
	error
	printed []byte
}

func (f *failure) Error() string { return fmt.Sprintf("%v\n%s", f.error, f.printed) }

func (f *failure) Unwrap() error { return f.error }

// run runs a command and checks its output.
func (u *user) run(want string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = u.home
	cmd.Env = []string{"HOME=" + u.home, "PATH=" + u.path, "PITH_SESSION_DIR=" + filepath.Join(u.home, "demo"), "MANPAGER=cat", "WINEDEBUG=-all"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return &failure{fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err), out}
	}
	if !strings.Contains(string(out), want) {
		return fmt.Errorf("%s %s printed no %q:\n%s", name, strings.Join(args, " "), want, out)
	}
	return nil
}

// tour runs the first commands of a new user.
func (u *user) tour(program ...string) error {
	for _, step := range []struct {
		want string
		args []string
	}{
		{"Usage:", []string{"--help"}},
		{"session format 3", []string{"version"}},
		{"demo", []string{"demo", filepath.Join(u.home, "demo")}},
		{"019cadd3", []string{"ls", "--all"}},
		{"pith", []string{"completion", "fish"}},
	} {
		args := append(append([]string{}, program[1:]...), step.args...)
		if err := u.run(step.want, program[0], args...); err != nil {
			return err
		}
	}
	return nil
}

func debian(dist string) error {
	if _, err := exec.LookPath("dpkg"); err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("%w: needs dpkg and root", errCannot)
	}
	file, err := one(dist, "*_"+runtime.GOARCH+".deb")
	if err != nil {
		return err
	}
	u, err := newUser("/usr/bin:/bin")
	if err != nil {
		return err
	}
	defer u.leave()
	if out, err := exec.Command("dpkg", "-i", file).CombinedOutput(); err != nil {
		return fmt.Errorf("dpkg -i: %w\n%s", err, out)
	}
	defer exec.Command("dpkg", "-r", "pith").Run()
	if err := u.tour("pith"); err != nil {
		return err
	}
	if out, err := exec.Command("dpkg", "-L", "pith").Output(); err != nil || !strings.Contains(string(out), "/usr/share/man/man1/pith-ls.1") {
		return fmt.Errorf("the package has no manual page for pith ls: %v\n%s", err, out)
	}
	if _, err := os.Stat("/usr/share/man/man1/pith.1"); err != nil {
		// Small systems omit manual pages when they install packages, so the
		// page is read from the package.
		fmt.Println("   manual pages are left out on this system; read from the package instead")
		if out, err := exec.Command("dpkg", "-x", file, u.home).CombinedOutput(); err != nil {
			return fmt.Errorf("dpkg -x: %w\n%s", err, out)
		}
		return u.run("NAME", "man", "-l", filepath.Join(u.home, "usr/share/man/man1/pith.1"))
	}
	if err := u.run("NAME", "man", "pith"); err != nil {
		return err
	}
	return u.run("", "bash", "-c", "source /usr/share/bash-completion/completions/pith && complete -p pith")
}

func npm(dist string) error {
	program, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("%w: needs npm", errCannot)
	}
	u, err := newUser(filepath.Dir(program) + ":/usr/bin:/bin")
	if err != nil {
		return err
	}
	defer u.leave()
	cpu := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if cpu == "" {
		cpu = runtime.GOARCH
	}
	main, err := one(dist, "npm/pith-[0-9]*.tgz")
	if err != nil {
		return err
	}
	platform, err := one(dist, "npm/pith-sessions-"+runtime.GOOS+"-"+cpu+"-*.tgz")
	if err != nil {
		return err
	}
	// The platform packages are not on the registry yet, so the one of this
	// machine is given.
	if err := u.run("", "npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional", main, platform); err != nil {
		return err
	}
	return u.tour(filepath.Join(u.home, "node_modules", ".bin", "pith"))
}

func wine(dist string) error {
	program, err := exec.LookPath("wine")
	if err != nil {
		return fmt.Errorf("%w: needs wine", errCannot)
	}
	u, err := newUser("/usr/bin:/bin")
	if err != nil {
		return err
	}
	defer u.leave()
	file, err := one(dist, "*windows_amd64*/pith.exe")
	if err != nil {
		return err
	}
	err = u.run("windows/amd64", program, file, "version")
	if f, ok := errors.AsType[*failure](err); ok && bytes.Contains(f.printed, []byte("bcryptprimitives.dll not found")) {
		return fmt.Errorf("%w: this wine is too old for programs in Go", errCannot)
	}
	return err
}
