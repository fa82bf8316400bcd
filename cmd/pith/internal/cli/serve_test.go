package cli_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
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
		"writing anywhere":   {[]string{"--write", "--addr", "0.0.0.0:0"}, "http://127.0.0.1:", "anyone who has the URL can read and change all sessions", 0},
		"this machine's":     {[]string{"--addr", "localhost:0"}, "http://127.0.0.1:", "", 0},
		"open and no-open":   {[]string{"--open", "--no-open"}, "", "--no-open", 2},
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

// With --write a page does what commands do, in the same places: the name, the pin and
// the trash are those of the user.
func TestServeWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent to a process there")
	}
	home := t.TempDir()
	env := []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "GORACE=" + atOnce}
	pith := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "pith", args...)
		cmd.Env, cmd.Dir = env, home
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("pith %q: %v: %s", args, err, out)
		}
		return string(out)
	}
	pith("new", "--id", "s1", "--message", "hello")
	server := exec.CommandContext(t.Context(), "pith", "serve", "--write")
	server.Env, server.Dir = env, home
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	base, token, ok := strings.Cut(strings.TrimSpace(line), "#")
	if err != nil || !ok {
		t.Fatalf("pith serve prints %q, %v", line, err)
	}
	ask := func(method, path, body string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Origin", strings.TrimSuffix(base, "/"))
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Errorf("%s %s = %d, %v: %s", method, path, resp.StatusCode, err, text)
		}
		return string(text)
	}
	state := func() string {
		var list struct{ State []string }
		if err := json.Unmarshal([]byte(ask("GET", "sessions.json?have=x", "")), &list); err != nil || len(list.State) != 1 {
			t.Fatalf("the list has the states %q, %v", list.State, err)
		}
		return list.State[0]
	}
	ask("POST", "do/name", `{"session":"s1","text":"from a page","state":"`+state()+`"}`)
	if name := pith("name", "s1"); name != "from a page\n" {
		t.Errorf("pith name prints %q", name)
	}
	ask("POST", "do/tag", `{"session":"s1","text":"bug"}`)
	if tags := pith("tag", "s1"); tags != "bug\n" {
		t.Errorf("pith tag prints %q", tags)
	}
	ask("POST", "do/trash", `{"session":"s1","state":"`+state()+`"}`)
	if items := pith("trash"); !strings.Contains(items, "from a page") {
		t.Errorf("pith trash prints %q", items)
	}
	if err := server.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := server.Wait(); err != nil {
		t.Error(err)
	}
}
