package cli_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// A talk is a running pith that asks a model of the test.
type talk struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	reader io.Closer // of stdout
	stderr *strings.Builder
	file   string
	model  *llmtest.Server
}

// startTalk runs pith in a copy of a session. FILE in the arguments is the copy.
func startTalk(t *testing.T, args ...string) *talk {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("signals cannot be sent to a process there")
	}
	home := t.TempDir()
	c := &talk{file: filepath.Join(sessionsCopy(t), "talk.jsonl"), model: llmtest.NewServer(), stderr: &strings.Builder{}}
	t.Cleanup(c.model.Close)
	dir := filepath.Join(home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "models.json"), []byte(c.model.ModelsJSON()), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "FILE", c.file)
	}
	c.cmd = exec.CommandContext(t.Context(), "pith", append(args, "--model", "test-anthropic/test-model")...)
	c.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	c.cmd.Stderr = c.stderr
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdout, c.reader = bufio.NewReader(out), out
	return c
}

func (c *talk) start(t *testing.T) {
	t.Helper()
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// holding makes the model start a response and never end it. The channel
// receives for each request.
func (c *talk) holding(t *testing.T, text string) (asked <-chan struct{}) {
	t.Helper()
	arrived := make(chan struct{}, 8)
	c.model.AnswerFunc(func(llmtest.Request) llmtest.Answer {
		arrived <- struct{}{}
		return llmtest.Text(text).StallAt(len(llmtest.Text(text).Anthropic(llmtest.ModelID)) / 2)
	})
	return arrived
}

func (c *talk) ended(t *testing.T) int {
	t.Helper()
	_, _ = io.Copy(io.Discard, c.stdout)
	err := c.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0
}

// pitfalls 110, 114, 123: Ctrl+C while a summary is written leaves the file as it
// was, and says nothing.
func TestInterruptedSummary(t *testing.T) {
	for name, args := range map[string][]string{
		"compact": {"compact", "FILE", "--keep-tokens", "1"},
		"branch":  {"branch", "FILE", "cause", "--summarize"},
	} {
		t.Run(name, func(t *testing.T) {
			c := startTalk(t, args...)
			before, err := os.ReadFile(c.file)
			if err != nil {
				t.Fatal(err)
			}
			asked := c.holding(t, strings.Repeat("a long summary ", 50))
			c.start(t)
			<-asked
			if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if code := c.ended(t); code != 130 || c.stderr.String() != "" {
				t.Errorf("pith %q, interrupted = %d, %q; want 130 and no words", args, code, c.stderr)
			}
			if after, err := os.ReadFile(c.file); err != nil || string(after) != string(before) {
				t.Errorf("pith %q, interrupted, changed the file (%v)", args, err)
			}
		})
	}
}

// An answer that is interrupted keeps what had come, marked as aborted.
func TestInterruptedPrompt(t *testing.T) {
	c := startTalk(t, "prompt", "FILE", "tell me everything")
	asked := c.holding(t, "The beginning of a long answer.")
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	c.start(t)
	<-asked
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := c.ended(t); code != 130 || c.stderr.String() != "" {
		t.Errorf("pith prompt, interrupted = %d, %q; want 130 and no words", code, c.stderr)
	}
	data, err := os.ReadFile(c.file)
	if err != nil || !strings.Contains(string(data), "tell me everything") || !strings.Contains(string(data), `"stopReason":"aborted"`) {
		t.Errorf("the question or the aborted answer is missing (%v):\n%s", err, data)
	}
}

// A reader that goes away ends the answer quietly, and the session is closed well.
func TestPromptWithoutReader(t *testing.T) {
	c := startTalk(t, "prompt", "FILE", "tell me everything")
	release := make(chan struct{})
	answer := llmtest.Text("the beginning").Text(strings.Repeat("one two three ", 200)).Text("the end")
	c.model.Answer(answer.HoldAt(len(answer.Anthropic(llmtest.ModelID))/2, release))
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	c.start(t)
	if _, err := c.stdout.ReadByte(); err != nil {
		t.Fatal(err)
	}
	if err := c.reader.Close(); err != nil {
		t.Fatal(err)
	}
	close(release)
	if err := c.cmd.Wait(); err != nil || c.stderr.String() != "" {
		t.Errorf("pith prompt without a reader: %v, %q; want a quiet end", err, c.stderr)
	}
	data, err := os.ReadFile(c.file)
	if err != nil || strings.Count(string(data), "tell me everything") != 1 || !strings.HasSuffix(string(data), "}\n") {
		t.Errorf("the session was not left in good order (%v)", err)
	}
}
