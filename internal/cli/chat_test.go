package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// atModel is a desk at which a model answers.
func atModel(t *testing.T, answers ...llmtest.Answer) *desk {
	t.Helper()
	server := llmtest.NewServer()
	t.Cleanup(server.Close)
	server.Answer(answers...)
	home := t.TempDir()
	dir := filepath.Join(home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"models.json": server.ModelsJSON(), "settings.json": `{"retry":{"enabled":false}}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &desk{width: 80, env: map[string]string{"HOME": home, "USERPROFILE": home, "XDG_DATA_HOME": home, "NO_COLOR": "1"}}
}

// A person is told what went wrong, and goes on.
func TestChatOfAPerson(t *testing.T) {
	file := filepath.Join(sessionsCopy(t), "talk.jsonl")
	d := atModel(t, llmtest.Status(400, "no"), llmtest.Text("now it works"))
	d.terminal = true
	d.stdin = strings.NewReader("/wrong\nhello\nhello again\n/thinking deep\n/thinking\n")
	code, stdout, stderr := d.run(t, "chat", file, "--model", "test-anthropic/test-model", "--thinking", "high")
	if code != 0 || stdout != "now it works\nhigh\n" {
		t.Errorf("pith chat = %d, %q, %q", code, stdout, stderr)
	}
	for _, want := range []string{"test-anthropic/test-model answers; /help", "> ", "no command /wrong", "the model did not answer", `"deep" is no level`} {
		if !strings.Contains(stderr, want) {
			t.Errorf("pith chat told %q; want %q in it", stderr, want)
		}
	}
}

// Whatever a model says, and however it is cut into pieces, the terminal obeys
// none of it, and line breaks of Windows are line breaks.
func TestAnswersAreHarmless(t *testing.T) {
	dir := sessionsCopy(t)
	hostile := "\x1b[31mred\x1b]0;title\a one\r\ntwo\r\nthree\rfour \u202e \u2028 \x9b5n"
	for _, args := range [][]string{{"prompt", "FILE", "x"}, {"prompt", "FILE", "x", "--json"}, {"chat", "FILE"}} {
		for _, server := range []string{"test-anthropic/test-model", "test-openai/test-model"} {
			d := atModel(t, llmtest.Text(hostile))
			d.terminal = true
			d.stdin = strings.NewReader("x\n")
			args := append([]string{args[0], filepath.Join(dir, "talk.jsonl")}, append(append([]string{}, args[2:]...), "--model", server)...)
			code, stdout, stderr := d.run(t, args...)
			if code != 0 {
				t.Errorf("pith %q = %d, %s", args, code, stderr)
			}
			checkHarmless(t, args, stdout+stderr)
			if !strings.Contains(stdout, "--json") && args[0] == "chat" && !strings.Contains(stdout, "one\ntwo\nthree\\x0dfour") {
				t.Errorf("pith %q printed %q; want its lines", args, stdout)
			}
		}
	}
}
