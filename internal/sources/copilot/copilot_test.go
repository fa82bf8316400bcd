package copilot_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/sources/copilot"
	"github.com/pith-sessions/pith/tests/agents"
)

func TestContextsAreThoseOfCopilot(t *testing.T) {
	dir := agents.Fixtures(t, "copilot-cli-1.0.102")
	m := agents.Translate(t, copilot.Program{}, filepath.Join(dir, "session-state"))
	path := m.Path("77777777-7777-4777-8777-777777777701")
	want := agents.Expected(t, filepath.Join(dir, "expected", "701.json"))
	for i := range want { // the program puts the date before each prompt
		for _, p := range want[i].Parts {
			if p.Text != nil && strings.HasPrefix(*p.Text, "<current_datetime>") {
				_, *p.Text, _ = strings.Cut(*p.Text, "</current_datetime>\n\n")
			}
		}
	}
	got := agents.Context(t, path, "")
	agents.Compare(t, got[:len(want)], want, agents.Options{Errors: true})
	if last := got[len(got)-2].Parts[0]; !last.Error || *last.Result != "Path does not exist" {
		t.Errorf("the failed result is %+v", last)
	}
}

func TestTranslationIsDeterministic(t *testing.T) {
	agents.SameTwice(t, copilot.Program{}, filepath.Join(agents.Fixtures(t, "copilot-cli-1.0.102"), "session-state"))
}
