package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The size of the terminal.
const columns, lines = 120, 30

// A step is something that a person does in the terminal.
type step struct {
	types string   // text to type
	keys  []string // keys to press after it, by tmux's names
	until string   // the screen shows it afterwards
	hold  float64  // how long the moving picture shows the result, in seconds; 0 leaves it out
	still string   // the file of a picture of the result
	title string   // what that picture shows
}

// steps search, look at the tree, branch and resume.
var steps = []step{
	{types: "pith", until: "$ pith", hold: 1},
	{keys: []string{"Enter"}, until: "duplicate delivery mails", hold: 2.5, still: "picker.svg", title: "The terminal app: sessions of pi, Claude Code and Codex, with the facts and the last response of the selected one"},
	{types: "slow", until: "> slow", hold: 0.5},
	{types: " mail", until: "> slow mail"},
	{types: " server", until: "duplicate deliv"},
	{keys: []string{"Down"}, until: "› π duplicate deliv", hold: 1.5},
	{keys: []string{"Enter"}, until: "The lease lasts", hold: 2.5, still: "transcript.svg", title: "A session, opened at the match of a search"},
	{keys: []string{"Escape"}, until: "t tree"},
	{keys: []string{"t"}, until: "› tree"},
	{keys: []string{"g", "b"}, until: "› │ ╰ ▸", hold: 2, still: "tree.svg", title: "The tree of a session: prompts, calls with their results, branches that were left, the selected entry"},
	{keys: []string{"G", "["}, until: "› ●"},
	{keys: []string{"Enter"}, until: "─ Go back", hold: 1.5},
	{keys: []string{"Enter"}, until: "Went back", hold: 1.5},
	{keys: []string{"C-c"}, until: "Cleared"},
	{types: "What if the mail server is down?", until: "is down?", hold: 2},
	{keys: []string{"C-c", "C-c"}, until: "resume with:", hold: 3},
}

const movie, movieTitle = "demo.svg", "pith in a terminal: search all sessions, open one, look at its tree, go back to an earlier entry, and resume it in pi"

// record runs the steps and returns the pictures by file name.
func record(ctx context.Context) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "pictures-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	t := &terminal{ctx: ctx, home: filepath.Join(dir, "mira"), socket: filepath.Join(dir, "tmux"), bin: filepath.Join(dir, "bin")}
	defer t.tmux("kill-server")
	t.start()
	pictures := map[string]string{}
	var frames []frame
	for _, s := range steps {
		if s.types != "" {
			t.tmux("send-keys", "-l", s.types)
		}
		for _, key := range s.keys {
			t.tmux("send-keys", key)
		}
		rows, err := parse(t.wait(s.until))
		if err != nil {
			return nil, err
		}
		if t.err != nil {
			return nil, fmt.Errorf("%q: %w", s.until, t.err)
		}
		if s.hold > 0 {
			frames = append(frames, frame{rows, s.hold})
		}
		if s.still != "" {
			pictures[s.still] = draw([]frame{{rows, 0}}, s.title)
		}
	}
	pictures[movie] = draw(frames, movieTitle)
	return pictures, nil
}

// A terminal is one of tmux, on a server of its own. Its first error is kept.
type terminal struct {
	ctx               context.Context
	home, socket, bin string
	err               error
}

// start starts a shell in the directory of the demo's projects. The key of a provider
// makes the app show the model of a session; no request is made.
func (t *terminal) start() {
	t.do("go", "build", "-o", filepath.Join(t.bin, "pith"), "github.com/pith-sessions/pith/cmd/pith")
	projects := filepath.Join(t.home, "src")
	t.do(filepath.Join(t.bin, "pith"), "demo", projects)
	sessions := filepath.Join(t.home, ".pi", "agent", "sessions")
	t.do("mkdir", "-p", sessions)
	t.do("ln", "-s", projects, filepath.Join(sessions, "--src--")) // where pi looks, with the paths of the demo
	for _, agent := range []string{".claude", ".codex"} {
		t.do("ln", "-s", filepath.Join(projects, agent), filepath.Join(t.home, agent))
	}
	args := []string{"-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(lines), "-c", projects}
	for _, set := range []string{"HOME=" + t.home, "ANTHROPIC_API_KEY=none", "TERM=tmux-256color", "XDG_DATA_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME="} {
		args = append(args, "-e", set)
	}
	t.tmux(append(args, "sh")...)
	t.tmux("set-option", "-g", "escape-time", "0")
	t.tmux("send-keys", "-l", "PS1='$ '; clear")
	t.tmux("send-keys", "Enter")
	t.wait("$")
}

func (t *terminal) tmux(args ...string) string {
	return t.do("tmux", append([]string{"-S", t.socket}, args...)...)
}

func (t *terminal) do(name string, args ...string) string {
	cmd := exec.CommandContext(t.ctx, name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TMUX=")
	if name != "go" {
		cmd.Env = append(cmd.Env, "HOME="+t.home, "PATH="+t.bin+":"+os.Getenv("PATH"))
	}
	out, err := cmd.CombinedOutput()
	if err != nil && t.err == nil {
		t.err = fmt.Errorf("%s %q: %w: %s", name, args, err, out)
	}
	return string(out)
}

// wait returns the screen with its colors once it shows a text and has stopped
// changing.
func (t *terminal) wait(text string) string {
	last := ""
	for range 200 {
		if t.err != nil {
			return ""
		}
		screen := t.tmux("capture-pane", "-pe")
		if screen == last && strings.Contains(t.tmux("capture-pane", "-p"), text) {
			return screen
		}
		last = screen
		select {
		case <-t.ctx.Done():
			t.err = t.ctx.Err()
		case <-time.After(300 * time.Millisecond):
		}
	}
	t.err = fmt.Errorf("the terminal never showed it; it shows:\n%s", t.tmux("capture-pane", "-p"))
	return ""
}
