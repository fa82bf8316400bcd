package gemini_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/sources/gemini"
	"github.com/pith-sessions/pith/tests/agents"
)

const fixture = "gemini-cli-0.61.0"

// once drops the results that Gemini CLI sends a second time, and takes results out
// of the objects in which the API wants them.
func once(messages []agents.Message) []agents.Message {
	seen := map[string]bool{} // since the last message of the model
	for i := range messages {
		for n := range messages[i].Parts {
			p := &messages[i].Parts[n]
			var response struct{ Output, Error *string }
			if p.Result != nil && json.Unmarshal([]byte(*p.Result), &response) == nil {
				p.Result = cmp.Or(response.Output, response.Error, p.Result)
			}
		}
		messages[i].Parts = slices.DeleteFunc(slices.Clone(messages[i].Parts), func(p agents.Part) bool {
			if p.Result == nil {
				clear(seen)
				return false
			}
			again := seen[*p.Result]
			seen[*p.Result] = true
			return again
		})
	}
	return messages
}

func TestContextsAreThoseOfGemini(t *testing.T) { // I16
	dir := agents.Fixtures(t, fixture)
	m := agents.Translate(t, gemini.Program{}, filepath.Join(dir, "tmp"))
	got := agents.Context(t, m.Path("proj.session-2026-11-17T02-07-38604592"), "")
	want := agents.Expected(t, filepath.Join(dir, "expected", "38604592.json"))
	agents.Compare(t, once(got), once(want), agents.Options{Drop: func(text string) bool { return strings.HasPrefix(text, "<session_context>") }})
}

func TestTranslationIsDeterministic(t *testing.T) {
	agents.SameTwice(t, gemini.Program{}, filepath.Join(agents.Fixtures(t, fixture), "tmp"))
}

// Rewound messages, and those dropped by a shorter list, are a branch.
func TestRewind(t *testing.T) {
	root := t.TempDir()
	chats := filepath.Join(root, "p", "chats")
	if err := os.MkdirAll(chats, 0o700); err != nil {
		t.Fatal(err)
	}
	message := func(id, kind, text string) string {
		return `{"id":"` + id + `","timestamp":"2026-11-17T02:07:18.878Z","type":"` + kind + `","content":[{"text":"` + text + `"}]}` + "\n"
	}
	text := `{"sessionId":"s","startTime":"2026-11-17T02:07:18.469Z","kind":"main"}` + "\n" +
		message("1", "user", "U1") + message("2", "gemini", "A1") + message("3", "user", "left") + message("4", "gemini", "behind") +
		`{"$rewindTo":"3"}` + "\n" + message("5", "user", "U2") + message("6", "gemini", "A2") + `{"$set":{"summary":"title"}}` + "\n" + `{"id":"7","ty`
	if err := os.WriteFile(filepath.Join(chats, "session-x.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m := agents.Translate(t, gemini.Program{}, root)
	var texts []string
	for _, message := range agents.Context(t, m.Path("p.session-x"), "") {
		for _, p := range message.Parts {
			texts = append(texts, *p.Text)
		}
	}
	if got := strings.Join(texts, " "); got != "U1 A1 U2 A2" {
		t.Errorf("context = %s", got)
	}
	data, err := os.ReadFile(m.Path("p.session-x"))
	if err != nil || !strings.Contains(string(data), "behind") {
		t.Errorf("the branch that was left is gone: %v", err)
	}
	if name := agents.Open(t, m.Path("p.session-x")).Name(); name != "title" {
		t.Errorf("name = %q", name)
	}
}
