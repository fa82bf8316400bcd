package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// Whatever a model sends, in whatever pieces, the output contains no terminal
// escapes, and Windows line breaks are line breaks.
func TestAnswersAreHarmless(t *testing.T) {
	dir := sessionsCopy(t)
	hostile := "\x1b[31mred\x1b]0;title\a one\r\ntwo\r\nthree\rfour \u202e \u2028 \x9b5n"
	for _, args := range [][]string{{"prompt", "FILE", "x"}, {"prompt", "FILE", "x", "--json"}} {
		for _, server := range []string{"test-anthropic/test-model", "test-openai/test-model"} {
			d := atModel(t, llmtest.Text(hostile))
			d.terminal = true
			d.stdin = strings.NewReader("\nx\n")
			args := append([]string{args[0], filepath.Join(dir, "talk.jsonl")}, append(append([]string{}, args[2:]...), "--model", server)...)
			code, stdout, stderr := d.run(t, args...)
			if code != 0 {
				t.Errorf("pith %q = %d, %s", args, code, stderr)
			}
			checkHarmless(t, args, stdout+stderr)
			if !slices.Contains(args, "--json") && !strings.Contains(stdout, "one\ntwo\nthree\\x0dfour") {
				t.Errorf("pith %q printed %q; want its lines", args, stdout)
			}
		}
	}
}

// pitfall 112: a history that is larger than the model's window is summarised in
// pieces that fit, and the parts before each piece go with it as a summary.
func TestOversizedHistory(t *testing.T) {
	const window = 20_000
	server := llmtest.NewServer()
	t.Cleanup(server.Close)
	server.AnswerFunc(func(llmtest.Request) llmtest.Answer { return llmtest.Text("## Goal\nthe summary so far") })
	d := atModel(t)
	models := strings.ReplaceAll(server.ModelsJSON(), `"contextWindow":200000`, fmt.Sprintf(`"contextWindow":%d`, window))
	if err := os.WriteFile(filepath.Join(d.env["HOME"], ".pi", "agent", "models.json"), []byte(models), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "large.jsonl")
	data, err := os.ReadFile("../../../../tests/conformance/testdata/fixtures/large-session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := d.run(t, "compact", file, "--keep-tokens", "2000", "--model", "test-anthropic/test-model")
	if code != 0 || !strings.Contains(stdout, "the summary so far") {
		t.Fatalf("pith compact = %d, %s", code, stderr)
	}
	requests := server.Requests()
	if len(requests) < 4 {
		t.Errorf("the history of 177,000 tokens was summarised with %d requests to a window of %d", len(requests), window)
	}
	for i, r := range requests {
		if len(r.Body) > window*4 {
			t.Errorf("request %d has %d bytes; the window is %d tokens", i, len(r.Body), window)
		}
	}
	if !strings.Contains(string(requests[1].Body), "the summary so far") {
		t.Error("the second piece went without the summary of the first")
	}
}
