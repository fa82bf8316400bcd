package opencode_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/internal/sources/opencode"
	"github.com/pith-sessions/pith/tests/agents"
)

const (
	fixture = "opencode-1.18.33"
	delta   = "ses_e18c0c7ceffe2eJx1V1C3ty0uG"
	epsilon = "ses_e18c010afffelcaBhDgnHtiYfc"
)

// shared brings both sides to one form: OpenCode sends pictures that a tool returned
// in a message of their own, an empty text with calls, and a summary as a response.
func shared(messages []agents.Message) []agents.Message {
	var out []agents.Message
	for _, m := range messages {
		var parts []agents.Part
		for _, p := range m.Parts {
			p.Images = 0
			if p.Image != nil || p.Text != nil && (*p.Text == "" || *p.Text == "Attached media from tool result:" || *p.Text == "What did we do so far?") {
				continue
			}
			if p.Text != nil && strings.HasPrefix(*p.Text, "<state_snapshot>") {
				m.Role = "user"
			}
			parts = append(parts, p)
		}
		out = append(out, agents.Message{Role: m.Role, Parts: parts})
	}
	return out
}

func TestContextsAreThoseOfOpenCode(t *testing.T) {
	dir := agents.Fixtures(t, fixture)
	for _, test := range []struct{ database, session, file string }{
		{"final.db", delta, "delta-after-revert.json"},
		{"final.db", epsilon, "epsilon-compacted.json"},
	} {
		m := agents.Mirrored(t, opencode.Program{}, filepath.Join(dir, test.database))
		got, want := agents.Context(t, m.Path(test.session), ""), agents.Expected(t, filepath.Join(dir, "expected", test.file))
		agents.Compare(t, shared(got), shared(want), agents.Options{Thinking: true})
	}
}

// Messages that were reverted are another branch for as long as they are there.
func TestRevert(t *testing.T) { // I17
	m := agents.Mirrored(t, opencode.Program{}, filepath.Join(agents.Fixtures(t, fixture), "reverted.db"))
	s := agents.Open(t, m.Path(delta))
	shown, all := "", ""
	for _, message := range agents.Context(t, m.Path(delta), "") {
		for _, p := range message.Parts {
			if p.Text != nil {
				shown += *p.Text
			}
		}
	}
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		all += string(e.Head().Raw)
	}
	if !strings.Contains(shown, "O3: picture") || strings.Contains(shown, "O4: delegate") || !strings.Contains(all, "O4: delegate") {
		t.Errorf("context: %s", shown)
	}
}

func TestTranslationIsDeterministic(t *testing.T) {
	agents.SameTwice(t, opencode.Program{}, filepath.Join(agents.Fixtures(t, fixture), "final.db"))
}

// Costs are those of OpenCode's own rows, and a fork adds only its own responses.
func TestCosts(t *testing.T) {
	m := agents.Mirrored(t, opencode.Program{}, filepath.Join(agents.Fixtures(t, fixture), "final.db"))
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Dir: m.Dir, IncludeInternal: true}))
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := cost.Count(t.Context(), infos, cost.Options{})
	if err != nil {
		t.Fatal(err)
	}
	micros := map[string]int64{}
	for _, g := range ledger.By(func(r *cost.Response) string { return ledger.Sessions[r.Session].ID }) {
		micros[g.Key] = g.Cost.Micros()
	}
	if micros[delta] != 2626 || micros["ses_e18c063ebffeCZ3iI603wdrMQw"] != 340 { // the column cost of their rows
		t.Errorf("costs = %v", micros)
	}
	if micros[epsilon] >= 3326 {
		t.Errorf("the fork counts %d micros, as if nothing were copied", micros[epsilon])
	}
}
