package opencode_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/internal/sources"
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
		m := agents.Translate(t, opencode.Program{}, filepath.Join(dir, test.database))
		got, want := agents.Context(t, m.Path(test.session), ""), agents.Expected(t, filepath.Join(dir, "expected", test.file))
		agents.Compare(t, shared(got), shared(want), agents.Options{Thinking: true})
	}
}

// Messages that were reverted are another branch for as long as they are there.
func TestRevert(t *testing.T) { // I17
	m := agents.Translate(t, opencode.Program{}, filepath.Join(agents.Fixtures(t, fixture), "reverted.db"))
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
	m := agents.Translate(t, opencode.Program{}, filepath.Join(agents.Fixtures(t, fixture), "final.db"))
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

// A row that is damaged, or of another type than OpenCode's, is kept as it is, and
// hides nothing.
func TestDamagedRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "opencode.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		`CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text, version text, revert text, time_created integer, time_updated integer)`,
		`CREATE TABLE message (id text PRIMARY KEY, session_id text, data text)`,
		`CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_updated integer, data text)`,
		`INSERT INTO session VALUES ('ses_1', NULL, '/p', 'one', '1', NULL, 1, 1), ('ses_2', 5, NULL, NULL, NULL, x'ff', 'never', x'00'), (NULL, NULL, '', '', '', '', 1, 1)`,
		`INSERT INTO message VALUES ('msg_1', 'ses_1', '{"role":"user"}'), ('msg_2', 'ses_1', '{torn'), ('msg_3', 'ses_1', '{"role":"user"}'),
			('msg_4', 'ses_2', '{"role":"user"}'), (NULL, 'ses_2', NULL)`,
		`INSERT INTO part VALUES ('prt_0', 'gone', 'ses_1', 1, '{"type":"text","text":"P0"}'), ('prt_1', 'msg_1', 'ses_1', 1, '{"type":"text","text":"P1"}'),
			('prt_2', 'msg_2', 'ses_1', 'x', '{"type":"text","text":"P2"}'), ('prt_3', 'msg_3', 'ses_1', 1, 'P3 torn'), ('prt_4', 'msg_3', 'ses_1', 1, '{"type":"text","text":"P4"}'),
			('prt_5', 'msg_4', 'ses_2', 1, '{"type":"text","text":"P5"}'), (NULL, NULL, 'ses_2', NULL, NULL)`,
		`INSERT INTO part VALUES ('prt_6', 'msg_4', 'ses_2', 1, '{"type":"text","text":"' || hex(zeroblob(17 << 20)) || '"}')`,
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	m := agents.Translate(t, opencode.Program{}, path)
	for id, want := range map[string][]string{
		"ses_1": {"P0", "P1", "P2", "P3 torn", "P4", "{torn"},
		"ses_2": {"P5", sources.LongKind, `"size":35651609`},
	} {
		data, err := os.ReadFile(m.Path(id))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(string(data), w) {
				t.Errorf("%s: no %q in %.2000s", id, w, data)
			}
		}
	}
}
