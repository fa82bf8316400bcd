package cli_test

import (
	"bufio"
	"errors"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// serving runs pith serve until it has printed its address, interrupts it, and returns
// what it said. A server that does not start says nothing on standard output.
func serving(t *testing.T, args ...string) (address, told string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "pith", append([]string{"serve"}, args...)...)
	home := t.TempDir()
	cmd.Env = []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "GORACE=" + atOnce} // no display
	var words strings.Builder
	cmd.Stderr = &words
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	address, err = lines.ReadString('\n')
	if err == nil {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatalf("pith serve %q: %v", args, err)
	}
	return strings.TrimSpace(address), words.String(), cmd.ProcessState.ExitCode()
}

// Only this machine can reach the server unless the user requests otherwise,
// and then a note explains what that means (W1); a port in use and a missing
// display are explained (W10).
func TestServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent to a process there")
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() })
	for name, tt := range map[string]struct {
		args          []string
		address, told string // how one begins, and what the other holds
		code          int
	}{
		"as it is":           {nil, "http://127.0.0.1:", "", 0},
		"for programs":       {[]string{"--json"}, `{"url":"http://127.0.0.1:`, "", 0},
		"a taken port":       {[]string{"--addr", taken.Addr().String()}, "", taken.Addr().String() + " is already in use", 5},
		"no address":         {[]string{"--addr", "here"}, "", `invalid --addr "here"`, 2},
		"no display":         {[]string{"--open"}, "http://127.0.0.1:", "could not open a browser", 0},
		"every address":      {[]string{"--addr", "0.0.0.0:0"}, "http://127.0.0.1:", "anyone who has the URL can read all sessions", 0},
		"this machine's":     {[]string{"--addr", "localhost:0"}, "http://127.0.0.1:", "", 0},
		"an address of none": {[]string{"--addr", "203.0.113.1:0"}, "", "203.0.113.1", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, told, code := serving(t, tt.args...)
			if !strings.HasPrefix(address, tt.address) || tt.address == "" && address != "" || code != tt.code {
				t.Errorf("pith serve %q prints %q and ends with %d; want %q and %d: %s", tt.args, address, code, tt.address, tt.code, told)
			}
			if !strings.Contains(told, tt.told) || tt.told == "" && told != "" {
				t.Errorf("pith serve %q says %q; want %q", tt.args, told, tt.told)
			}
		})
	}
}
