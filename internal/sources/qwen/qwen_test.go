package qwen_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/sources/qwen"
	"github.com/pith-sessions/pith/tests/agents"
)

func TestContextsAreThoseOfQwen(t *testing.T) {
	dir := agents.Fixtures(t, "qwen-code-0.24.4")
	m := agents.Translate(t, qwen.Program{}, filepath.Join(dir, "projects"))
	got := agents.Context(t, m.Path("a9796946-53f8-4ef2-ad4e-c1094eeb551e"), "")
	want := agents.Expected(t, filepath.Join(dir, "expected", "fork.json"))
	// The request is one that the program made by itself after the last response.
	for strings.HasPrefix(lastText(want), "Managed memory") {
		want = want[:len(want)-1]
	}
	agents.Compare(t, got, want, agents.Options{Thinking: true, Drop: func(text string) bool { return strings.HasPrefix(text, "<system-reminder>") }})
}

func lastText(messages []agents.Message) string {
	for _, p := range messages[len(messages)-1].Parts {
		if p.Text != nil {
			return *p.Text
		}
	}
	return ""
}

func TestTranslationIsDeterministic(t *testing.T) {
	agents.SameTwice(t, qwen.Program{}, filepath.Join(agents.Fixtures(t, "qwen-code-0.24.4"), "projects"))
}
