package tui_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/sessiondir"
)

// wayVariable makes this test binary the app on its standard input and output,
// which ends in the way that it names.
const wayVariable = "PITH_TEST_APP_ENDS"

func TestMain(m *testing.M) {
	if way := os.Getenv(wayVariable); way != "" {
		os.Exit(ends(way))
	}
	os.Exit(m.Run())
}

// ends shows the app over the home directory until it ends in one of several
// ways.
func ends(way string) int {
	home := os.Getenv("HOME")
	env := sessiondir.Environment{Home: home, Getenv: func(string) string { return "" }}
	c := tui.Config{
		Cwd: home, Home: home, App: &ops.App{Environment: env}, Keys: keys.Default(), Dark: true,
		Setup: func(cwd string) *userconfig.Setup { return userconfig.Read(env, cwd) }, Handover: []string{"sh", filepath.Join(home, "agent")},
	}
	switch way {
	case "leaving", "lending":
	case "a panic while drawing":
		c.App.Now = func() time.Time { panic("no time") }
	case "a panic in a command":
		c.Setup = func(string) *userconfig.Setup { panic("no settings") }
	case "a panic beside the screen":
		c.App.Environment.Getenv = func(string) string { panic("no environment") }
	case "an exit", "an exit from a screen that hangs":
		c.AtExit = func(rescue func()) func() {
			time.AfterFunc(300*time.Millisecond, func() { rescue(); os.Exit(9) })
			return func() {}
		}
		if way != "an exit" {
			c.App.Now = func() time.Time { select {} }
		}
	}
	if _, err := tui.Run(context.Background(), c, os.Stdin, os.Stdout, os.Environ()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// However the app ends, the terminal is restored: keys come in lines and are
// echoed, the screen is the shell's (pitfall 148).
func TestTheTerminalIsGivenBack(t *testing.T) {
	for _, c := range []struct {
		way   string
		types []string // each after the app has drawn what comes before the colon
		code  int
	}{
		{"leaving", []string{"hello:\x1b"}, 0},
		{"lending", []string{"hello:\r", "unfold:o", "lent:\r", "unfold:q"}, 0},
		{"a panic while drawing", nil, 1},
		{"a panic in a command", []string{"hello:\r"}, 1},
		{"a panic beside the screen", nil, 2},
		{"an exit", nil, 9},
		{"an exit from a screen that hangs", nil, 9},
	} {
		t.Run(c.way, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.cwd = d.home
			d.session("", "hello", "<hi")
			if err := os.WriteFile(filepath.Join(d.home, "agent"), []byte("stty raw -echo\nprintf lent\nhead -c 1 > /dev/null\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			p := openPty(t)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), wayVariable+"="+c.way, "HOME="+d.home, "TERM=xterm-256color")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = p.slave, p.slave, p.slave
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless the test failed
			for _, step := range c.types {
				shown, typed, _ := strings.Cut(step, ":")
				p.await(shown)
				p.types(typed)
			}
			_ = cmd.Wait() // the exit code reports it
			if got := cmd.ProcessState.ExitCode(); got != c.code {
				t.Errorf("the app ended with %d, want %d; it wrote\n%q", got, c.code, p.written())
			}
			p.isSane()
		})
	}
}

// A pty is a terminal without anybody before it.
type pty struct {
	t             *testing.T
	master, slave *os.File
	before        unix.Termios

	from  int           // where what is awaited next begins
	ended chan struct{} // closed when all that was written has been read
	mu    sync.Mutex    // guards out
	out   bytes.Buffer
}

func openPty(t *testing.T) *pty {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	p := &pty{t: t, master: master, slave: slave, ended: make(chan struct{})}
	p.before = p.state()
	go func() {
		defer close(p.ended)
		_, _ = io.Copy(p, master) // ends with an error when the terminal is closed
	}()
	t.Cleanup(func() {
		_ = slave.Close() // it may be closed
		_ = master.Close()
		<-p.ended
	})
	return p
}

// Write keeps what the app writes.
func (p *pty) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

func (p *pty) written() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

func (p *pty) types(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.master, keys); err != nil {
		p.t.Fatal(err)
	}
}

// await waits until a text was written after the one awaited before.
func (p *pty) await(text string) {
	p.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 12_000 { // two minutes
		out := p.written()
		if i := strings.Index(out[p.from:], text); i >= 0 {
			p.from += i + len(text)
			return
		}
		<-tick.C
	}
	p.t.Fatalf("the app never wrote %q; it wrote\n%q", text, p.written())
}

func (p *pty) state() unix.Termios {
	p.t.Helper()
	state, err := unix.IoctlGetTermios(int(p.slave.Fd()), unix.TCGETS)
	if err != nil {
		p.t.Fatal(err)
	}
	return *state
}

// isSane checks that the terminal is as it was. Nobody uses it any more.
func (p *pty) isSane() {
	p.t.Helper()
	if got := p.state(); got != p.before {
		p.t.Errorf("the terminal was %+v and is %+v", p.before, got)
	}
	if err := p.slave.Close(); err != nil {
		p.t.Fatal(err)
	}
	<-p.ended
	out := p.written()
	for set, reset := range map[string]string{
		"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?1002h": "\x1b[?1002l", "\x1b[?1006h": "\x1b[?1006l", "\x1b[?2004h": "\x1b[?2004l",
	} {
		if strings.LastIndex(out, set) > strings.LastIndex(out, reset) {
			p.t.Errorf("%q was not taken back by %q; the app wrote\n%q", set, reset, out)
		}
	}
}
