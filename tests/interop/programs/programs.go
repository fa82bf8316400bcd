// Package programs runs other coding agents in tests: Claude Code, Codex,
// OpenCode, Gemini CLI, Qwen Code, Copilot CLI and Kimi Code from npm, each with
// its own home, and a model server on loopback that answers like their providers.
package programs

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/tests/agents"
	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/interop/releases"
	"github.com/pith-sessions/pith/tests/tools"
)

// A program is how to run an installed program.
type program struct {
	// files are written to the home before the first run; $MODEL is replaced by
	// the address of the model server.
	files map[string]string
	env   []string
	// resume returns the arguments that continue a session with a prompt.
	resume func(session, file, prompt string) []string
	// start returns the arguments of a new session.
	start func(prompt string) []string
	stdin bool // the prompt is read from standard input
}

var programs = map[string]program{
	"claude": {
		env: []string{"ANTHROPIC_BASE_URL=$MODEL", "ANTHROPIC_API_KEY=fake-key", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
		start: func(prompt string) []string {
			return []string{"-p", "--allowedTools", "Bash,Read,Edit,Write", "--output-format", "json", prompt}
		},
		resume: func(session, _, prompt string) []string {
			return []string{"-p", "--allowedTools", "Bash,Read,Edit,Write", "--output-format", "json", "--resume", session, prompt}
		},
	},
	"codex": {
		env: []string{"OPENAI_API_KEY=fake-key"},
		files: map[string]string{".codex/config.toml": `model="m1"
model_provider="fake"
approval_policy="never"
sandbox_mode="danger-full-access"
[model_providers.fake]
name="fake"
base_url="$MODEL/v1"
wire_api="responses"
env_key="OPENAI_API_KEY"
`},
		start: func(prompt string) []string { return []string{"exec", "--json", "--skip-git-repo-check", prompt} },
		resume: func(session, _, prompt string) []string {
			return []string{"exec", "--json", "--skip-git-repo-check", "resume", session, prompt}
		},
	},
	"opencode": {
		env: []string{"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}, stdin: true,
		files: map[string]string{".config/opencode/opencode.json": `{"model":"fake/m1","provider":{"fake":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"$MODEL/v1","apiKey":"k"},
"models":{"m1":{"name":"m1","attachment":true,"modalities":{"input":["text","image"],"output":["text"]},"cost":{"input":1,"output":2},"limit":{"context":200000,"output":8000}}}}}}`},
		start: func(string) []string { return []string{"run", "--format", "json"} },
		resume: func(session, _, _ string) []string {
			return []string{"run", "--format", "json", "-m", "fake/m1", "-s", session}
		},
	},
	"gemini": {
		env:   []string{"GEMINI_API_KEY=fake-key", "GOOGLE_GEMINI_BASE_URL=$MODEL"},
		files: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},"model":{"name":"gemini-2.5-pro"}}`},
		start: func(prompt string) []string { return []string{"--yolo", "-o", "stream-json", "-p", prompt} },
		resume: func(_, file, prompt string) []string {
			return []string{"--yolo", "-o", "stream-json", "--session-file", file, "-p", prompt}
		},
	},
	"qwen": {
		env:   []string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=$MODEL/v1", "OPENAI_MODEL=m1"},
		start: func(prompt string) []string { return []string{"--auth-type", "openai", prompt} },
		resume: func(session, _, prompt string) []string {
			return []string{"--auth-type", "openai", "--resume", session, prompt}
		},
	},
	"copilot": {
		env:    []string{"COPILOT_PROVIDER_BASE_URL=$MODEL/v1", "COPILOT_PROVIDER_API_KEY=k", "COPILOT_MODEL=m1", "COPILOT_AUTO_UPDATE=false"},
		start:  func(prompt string) []string { return []string{"-p", prompt} },
		resume: func(session, _, prompt string) []string { return []string{"--resume=" + session, "-p", prompt} },
	},
	"kimi": {
		files: map[string]string{".kimi-code/config.toml": `default_model = "m1"
[providers.fake]
type = "openai"
base_url = "$MODEL/v1"
api_key = "k"
[models.m1]
provider = "fake"
model = "m1"
max_context_size = 200000
`},
		start:  func(prompt string) []string { return []string{"-p", prompt} },
		resume: func(session, _, prompt string) []string { return []string{"-S", session, "-p", prompt} },
	},
}

//go:embed fakemodel.mjs
var model string

// A Stage is a home and a project in which a program runs, and its model server.
type Stage struct {
	Home, Project string
	Model         string // address of the model server

	t       testing.TB
	program program
	bin     string
	node    string
	log     string
}

// Require sets up a program, or skips the test.
func Require(t testing.TB, name string) *Stage {
	t.Helper()
	bin, err := releases.Install(t.Context(), name, t.Logf)
	var node string
	if err == nil {
		node, err = pi.Node(t.Context(), t.Logf)
	}
	tools.Need(t, name, err)
	dir := t.TempDir()
	s := &Stage{Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"), t: t, program: programs[name], bin: bin, node: node, log: filepath.Join(dir, "log")}
	for _, d := range []string{s.Home, s.Project, s.log} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if real, err := filepath.EvalSymlinks(s.Project); err == nil {
		s.Project = real
	}
	s.write(filepath.Join(s.Project, "a.txt"), "alpha\nbeta\n")
	if out, err := exec.CommandContext(t.Context(), "git", "-C", s.Project, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	s.serve()
	for file, text := range s.program.files {
		s.write(filepath.Join(s.Home, file), strings.ReplaceAll(text, "$MODEL", s.Model))
	}
	return s
}

func (s *Stage) write(path, text string) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// serve starts the model server, which logs every request.
func (s *Stage) serve() {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.Model = fmt.Sprintf("http://127.0.0.1:%d", port)
	script := filepath.Join(filepath.Dir(s.log), "fakemodel.mjs")
	s.write(script, model)
	cmd := exec.Command(s.node, script, "--port", fmt.Sprint(port), "--log", s.log)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has nothing to lose
		_ = cmd.Wait()
	})
	deadline := time.Now().Add(30 * time.Second)
	for {
		r, err := http.Get(s.Model)
		if err == nil {
			r.Body.Close()
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("the model server does not answer: %v", err)
		}
		select {
		case <-s.t.Context().Done():
			s.t.Fatal("the test ended before the model server answered")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Start starts a session with a prompt.
func (s *Stage) Start(prompt string) {
	s.t.Helper()
	s.Run(prompt, s.program.start(prompt)...)
}

// Resume continues a session, or the one in a file, with a prompt.
func (s *Stage) Resume(session, file, prompt string) {
	s.t.Helper()
	s.Run(prompt, s.program.resume(session, file, prompt)...)
}

// Run runs the program and returns its output. It fails the test if the program
// fails.
func (s *Stage) Run(input string, args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := s.Command(ctx, args...)
	if s.program.stdin {
		cmd.Stdin = strings.NewReader(input)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		s.t.Fatalf("%s %s: %v\n%.3000s", filepath.Base(s.bin), strings.Join(args, " "), err, out.String())
	}
	return out.String()
}

// Command returns a command that runs the program.
func (s *Stage) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.bin, args...)
	cmd.Dir = s.Project
	cmd.Env = []string{"HOME=" + s.Home, "PATH=" + filepath.Dir(s.node) + string(os.PathListSeparator) + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "TZ=UTC", "TERM=dumb"}
	for _, e := range s.program.env {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(e, "$MODEL", s.Model))
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// Request returns the last request whose prompts contain a text.
func (s *Stage) Request(text string) []agents.Message {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.log, "*.json"))
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(files)
	for _, file := range slices.Backward(files) {
		data, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		var request struct {
			Messages []agents.Message `json:"messages"`
		}
		if json.Unmarshal(data, &request) != nil {
			continue
		}
		for _, m := range request.Messages {
			for _, p := range m.Parts {
				if p.Text != nil && strings.Contains(*p.Text, text) {
					return request.Messages
				}
			}
		}
	}
	s.t.Fatalf("none of %d requests has %q", len(files), text)
	return nil
}
