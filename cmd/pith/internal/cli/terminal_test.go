package cli_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// A desk runs commands without a process: with streams that may be a terminal,
// and its own environment.
type desk struct {
	stdin    io.Reader
	terminal bool
	width    int
	env      map[string]string
	cwd      string
	now      func() time.Time // nil means always the same
	pager    func(command string) (io.WriteCloser, func() error, error)
}

// run runs a command and returns its exit code and what it printed.
func (d *desk) run(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, told strings.Builder
	if d.cwd == "" {
		d.cwd = t.TempDir()
	}
	if d.stdin == nil {
		d.stdin = strings.NewReader("")
	}
	if d.now == nil {
		d.now = func() time.Time { return time.Date(2026, 2, 4, 10, 0, 0, 0, time.UTC) }
	}
	code = cli.Run(t.Context(), console.Env{
		Stdin: d.stdin, Stdout: &out, Stderr: &told,
		Getenv:     func(name string) string { return d.env[name] },
		Cwd:        func() (string, error) { return d.cwd, nil },
		Now:        d.now,
		IsTerminal: func(any) bool { return d.terminal },
		Width:      func() int { return d.width },
		StartPager: d.pager,
	}, args)
	return code, out.String(), told.String()
}

// sessionsCopy returns a directory with the sessions of testdata.
func sessionsCopy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/sessions")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// No line is wider than the terminal, whatever it contains (pitfalls 143, 146).
func TestWidths(t *testing.T) {
	dir := sessionsCopy(t)
	for _, width := range []int{1, 20, 33, 60, 80, 200} {
		d := desk{terminal: true, width: width}
		for _, args := range [][]string{
			{"ls", "--all"}, {}, {"tree", "build speed"}, {"tree", "019c0000-0000-7000-8000-00000000a005", "--filter", "all"},
		} {
			args = append(args, "--session-dir", dir)
			code, stdout, _ := d.run(t, args...)
			if code != 0 {
				t.Errorf("pith %q at %d columns ended with %d", args, width, code)
			}
			for line := range strings.Lines(stdout) {
				line = withoutColours(strings.TrimSuffix(line, "\n"))
				if w := termsafe.Width(line); width >= 20 && w > width {
					t.Errorf("pith %q at %d columns: a line of %d cells: %q", args, width, w, line)
				}
			}
		}
	}
}

func TestTable(t *testing.T) {
	dir := sessionsCopy(t)
	d := desk{terminal: true, width: 78, env: map[string]string{"NO_COLOR": "1"}}
	_, got, _ := d.run(t, "ls", "--all", "--session-dir", dir, "--limit", "2")
	want := `
USED  MSGS  TITLE                         ID
23h      6  \x1b[31mred\x1b[0m \x1b]0;o…  019c0000-0000-7000-8000-00000000a005
23h     10  build speed                   019c0000-0000-7000-8000-00000000a001
`
	if got != want[1:] {
		t.Errorf("pith ls at 78 columns:\n%s\nwant:%s", got, want)
	}
}

// The sort key of a list is shown, however narrow the terminal.
func TestTableShowsTheOrder(t *testing.T) {
	dir := sessionsCopy(t)
	d := desk{terminal: true, width: 70, env: map[string]string{"NO_COLOR": "1"}}
	for order, want := range map[string]string{"cost": "COST", "size": "SIZE", "created": "CREATED", "messages": "MSGS"} {
		_, got, _ := d.run(t, "ls", "--all", "--session-dir", dir, "--sort", order)
		head, _, _ := strings.Cut(got, "\n")
		if !slices.Contains(strings.Fields(head), want) {
			t.Errorf("pith ls --sort %s at 70 columns is headed %q, want a column %s", order, head, want)
		}
	}
	d.width = 200
	_, got, _ := d.run(t, "ls", "--all", "--session-dir", dir)
	if head, _, _ := strings.Cut(got, "\n"); strings.Join(strings.Fields(head), " ") != "USED MSGS STATUS COST TITLE ID MODEL" &&
		strings.Join(strings.Fields(head), " ") != "USED MSGS STATUS COST TITLE ID MODEL PROJECT" {
		t.Errorf("pith ls at 200 columns is headed %q", head)
	}
}

// A usual terminal has room for how sessions ended, what they cost and where they
// belong, of which the end is shown; not for the model.
func TestTableOfAUsualTerminal(t *testing.T) {
	demo := t.TempDir()
	d := desk{terminal: true, width: 80, env: map[string]string{"NO_COLOR": "1"}}
	if code, _, stderr := d.run(t, "demo", demo); code != 0 {
		t.Fatal(stderr)
	}
	_, got, _ := d.run(t, "ls", "--all", "--source", "pi", "--session-dir", demo)
	if head, _, _ := strings.Cut(got, "\n"); strings.Join(strings.Fields(head), " ") != "USED MSGS STATUS COST TITLE ID PROJECT" || !strings.Contains(got, "  …/ledger-cli\n") {
		t.Errorf("pith ls at 80 columns is headed %q:\n%s", head, got)
	}
}

type pages struct {
	strings.Builder
	closed bool
}

func (p *pages) Close() error { p.closed = true; return nil }

// Paged output goes to the user's pager, wrapped at words, and notes follow it.
func TestPager(t *testing.T) {
	dir := sessionsCopy(t)
	tests := map[string]struct {
		args     string
		terminal bool
		env      map[string]string
		want     string // the pager
	}{
		"show":        {"show SESSION", true, map[string]string{"PAGER": "most", "PITH_PAGER": "less -R"}, "less -R"},
		"tree":        {"tree SESSION", true, map[string]string{"PAGER": "most"}, "most"},
		"context":     {"context SESSION", true, map[string]string{"PAGER": "most"}, "most"},
		"diff":        {"diff SESSION", true, map[string]string{"PAGER": "most"}, "most"},
		"help":        {"ls --help", true, map[string]string{"PAGER": "most"}, "most"},
		"list":        {"ls --all", true, map[string]string{"PAGER": "most"}, ""},
		"cat":         {"show SESSION", true, map[string]string{"PAGER": "most", "PITH_PAGER": "cat"}, ""},
		"dumb":        {"show SESSION", true, map[string]string{"PAGER": "most", "TERM": "dumb"}, ""},
		"no terminal": {"show SESSION", false, map[string]string{"PAGER": "most"}, ""},
		"an error":    {"show nosuch", true, map[string]string{"PAGER": "most"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var shown pages
			started := ""
			d := desk{terminal: tt.terminal, width: 60, env: tt.env, pager: func(command string) (io.WriteCloser, func() error, error) {
				started = command
				return &shown, func() error { return nil }, nil
			}}
			args := strings.Fields(strings.ReplaceAll(tt.args, "SESSION", filepath.Join(dir, "talk.jsonl")))
			_, stdout, _ := d.run(t, append(args, "--session-dir", dir)...)
			if started != tt.want {
				t.Fatalf("pith %s started the pager %q, want %q", tt.args, started, tt.want)
			}
			if tt.want != "" && (stdout != "" || shown.Len() == 0 || !shown.closed) {
				t.Errorf("pith %s printed %q beside its pager, which got %d bytes and was closed: %v", tt.args, stdout, shown.Len(), shown.closed)
			}
		})
	}
}

func TestColours(t *testing.T) {
	dir := sessionsCopy(t)
	tests := map[string]struct {
		terminal bool
		env      map[string]string
		flag     []string
		want     bool
	}{
		"terminal":     {terminal: true, want: true},
		"no terminal":  {},
		"NO_COLOR":     {terminal: true, env: map[string]string{"NO_COLOR": "1"}},
		"dumb":         {terminal: true, env: map[string]string{"TERM": "dumb"}},
		"flag":         {terminal: true, flag: []string{"--no-color"}},
		"xterm, color": {terminal: true, env: map[string]string{"TERM": "xterm-256color"}, want: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := desk{terminal: tt.terminal, width: 80, env: tt.env}
			for _, args := range [][]string{{"ls", "--all"}, {"show", "build speed"}, {"tree", "build speed"}, {"context", "build speed"}} {
				args = append(append(args, "--session-dir", dir), tt.flag...)
				_, got, _ := d.run(t, args...)
				if strings.Contains(got, "\x1b[") != tt.want {
					t.Errorf("pith %q: colours are %v, want %v", args, !tt.want, tt.want)
				}
			}
		})
	}
}

// On a terminal the only sequences are our own colours, also in JSON.
func TestHostileTextOnTerminal(t *testing.T) {
	file := filepath.Join(sessionsCopy(t), "hostile.jsonl")
	d := desk{terminal: true, width: 100}
	for _, args := range [][]string{
		{"show", file, "--all-branches"}, {"show", file, "--json", "--all-branches"},
		{"tree", file, "--filter", "all"}, {"tree", file, "--json"}, {"context", file, "--at", "ee00000e"},
		{"context", file, "--at", "ee00000e", "--json"}, {"name", file}, {"label", file, "ee000002"},
	} {
		code, stdout, stderr := d.run(t, args...)
		if code != 0 {
			t.Errorf("pith %q ended with %d: %s", args, code, stderr)
		}
		checkHarmless(t, args, withoutColours(stdout)+stderr)
	}
}

func checkHarmless(t *testing.T, args []string, text string) {
	t.Helper()
	for i, r := range text {
		if isHarmful(r) {
			t.Errorf("pith %q printed %U: %q", args, r, text[max(0, i-20):min(len(text), i+20)])
			return
		}
	}
}

// withoutColours removes the sequences that the palette has, and no others.
func withoutColours(s string) string {
	for _, code := range []string{"0", "1", "2", "1;36", "1;32", "33", "31", "35", "1;33"} {
		s = strings.ReplaceAll(s, "\x1b["+code+"m", "")
	}
	return s
}

// A person is asked before a session is removed (pitfall 147), and answering no
// is not an error (pitfall 148).
func TestRemovalIsConfirmed(t *testing.T) {
	tests := map[string]struct {
		answer string
		gone   bool
	}{
		"yes": {"y\n", true}, "long yes": {"Yes\r\n", true}, "no": {"n\n", false}, "nothing": {"\n", false}, "end": {"", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(sessionsCopy(t), "talk.jsonl")
			d := desk{terminal: true, width: 80, stdin: strings.NewReader(tt.answer), env: map[string]string{"XDG_DATA_HOME": t.TempDir(), "PATH": ""}}
			t.Setenv("PATH", "")
			code, _, stderr := d.run(t, "rm", file)
			if code != 0 || !strings.Contains(stderr, "build speed") || !strings.Contains(stderr, "move 1 session to the trash? [y/N] ") {
				t.Errorf("pith rm, answered %q = %d, %q; want a question", tt.answer, code, stderr)
			}
			if _, err := os.Stat(file); os.IsNotExist(err) != tt.gone {
				t.Errorf("pith rm, answered %q: the file is gone: %v, want %v", tt.answer, !tt.gone, tt.gone)
			}
		})
	}
}

// A pipe that breaks is silent only if it is that of the result: any other is an
// error, and not success.
func TestOtherBrokenPipes(t *testing.T) {
	file := filepath.Join(sessionsCopy(t), "talk.jsonl")
	d := desk{stdin: iotest.ErrReader(syscall.EPIPE)}
	code, _, stderr := d.run(t, "append", file, "-")
	if code != exit.Failed || !strings.Contains(stderr, "read standard input: broken pipe") {
		t.Errorf("append from a broken pipe = %d, %q; want %d and why", code, stderr, exit.Failed)
	}
}

// A command that waits for input ends on a signal.
func TestInputCanBeInterrupted(t *testing.T) {
	file := filepath.Join(sessionsCopy(t), "talk.jsonl")
	never, _ := io.Pipe()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&exit.SignalError{Signal: os.Interrupt})
	env := console.System()
	env.Stdin, env.Stdout, env.Stderr = never, io.Discard, io.Discard
	if code := cli.Run(ctx, env, []string{"append", file, "-"}); code != 130 {
		t.Errorf("append, interrupted = %d, want 130", code)
	}
}

// pith pick needs a terminal for its list.
func TestPickWithoutATerminal(t *testing.T) {
	var d desk
	code, stdout, stderr := d.run(t, "pick")
	if code != exit.Usage || stdout != "" || stderr != "pith: not a terminal; use pith ls --json instead; see pith pick --help\n" {
		t.Errorf("pick: %d, %q, %q", code, stdout, stderr)
	}
}
