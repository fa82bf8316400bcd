package kimi_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/sources/kimi"
	"github.com/pith-sessions/pith/tests/agents"
)

func TestContextsAreThoseOfKimi(t *testing.T) {
	dir := agents.Fixtures(t, "kimi-code-2.1.0")
	m := agents.Translate(t, kimi.Program{}, filepath.Join(dir, "sessions"))
	got := agents.Context(t, m.Path("session_35bdbf14-e2a8-461e-8d0a-de9997c79cf0"), "")
	want := agents.Expected(t, filepath.Join(dir, "expected", "main.json"))
	for i := range want { // the program puts the time that a command took before its output
		for _, p := range want[i].Parts {
			if p.Result != nil && strings.HasPrefix(*p.Result, "Wall time:") {
				_, *p.Result, _ = strings.Cut(*p.Result, "\n")
			}
		}
	}
	o := agents.Options{Thinking: true, Drop: func(text string) bool { return strings.HasPrefix(text, "<system-reminder>") }}
	agents.Compare(t, got[:len(want)], want, o)
}

func TestTranslationIsDeterministic(t *testing.T) {
	agents.SameTwice(t, kimi.Program{}, filepath.Join(agents.Fixtures(t, "kimi-code-2.1.0"), "sessions"))
}
