package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/internal/sources/claude"
	"github.com/pith-sessions/pith/tests/agents"
)

const fixture = "claude-code-2.1.325"

// programText is what Claude Code adds to a request by itself.
func programText(text string) bool {
	return strings.HasPrefix(text, "<system-reminder>") || strings.HasPrefix(text, "<task-notification>")
}

func TestContextsAreThoseOfClaudeCode(t *testing.T) {
	dir := agents.Fixtures(t, fixture)
	m := agents.Translate(t, claude.Program{}, filepath.Join(dir, "projects"))
	for id, file := range map[string]string{
		"11111111-2222-4333-8444-555555555501": "501.json",
		"11111111-2222-4333-8444-555555555502": "502-fork.json",
	} {
		got := agents.Context(t, m.Path(id), "")
		want := agents.Expected(t, filepath.Join(dir, "expected", file))
		agents.Compare(t, got, want, agents.Options{Thinking: true, Errors: true, Drop: programText})
	}
}

// A session that was compacted, then summarized from a later message, then moved
// to another directory: Claude Code sends the first summary, the kept messages
// and the second summary.
func TestSummarizedTwiceAndMoved(t *testing.T) {
	const id = "11111111-2222-4333-8444-555555555601"
	dir := agents.Fixtures(t, "claude-code-2.1.328")
	m := agents.Translate(t, claude.Program{}, filepath.Join(dir, "projects"))
	got := agents.Context(t, m.Path(id), "")
	want := agents.Expected(t, filepath.Join(dir, "expected", "601.json"))
	agents.Compare(t, got, want, agents.Options{Thinking: true, Errors: true, Drop: programText})
	if cwd := agents.Open(t, m.Path(id)).Header().Cwd; cwd != "/home/u/other" {
		t.Errorf("Cwd = %q; want the directory to which the session moved", cwd)
	}
}

// A session that Claude Code archived is listed as archived, until it is not.
func TestArchived(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "-p", "s")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+".jsonl", []byte(user("u1", "", "U1")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := agents.Translate(t, claude.Program{}, root)
	for _, tt := range []struct {
		state string
		want  bool
	}{{"", false}, {`{"archived":true,"at":"2026-11-19T13:40:00.000Z"}`, true}, {`{"archived":false,"at":"2026-11-19T13:41:00.000Z"}`, false}, {"{", false}} {
		if err := os.WriteFile(filepath.Join(dir, "archived.json"), []byte(tt.state), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := m.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := agents.Open(t, m.Path("s")).Header().Archived; got != tt.want {
			t.Errorf("%s: Archived = %t", tt.state, got)
		}
	}
}

func TestTranslationIsDeterministic(t *testing.T) {
	agents.SameTwice(t, claude.Program{}, filepath.Join(agents.Fixtures(t, fixture), "projects"))
}

// session writes a transcript and opens its translation.
func session(t *testing.T, lines ...string) *pith.Session {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "-p")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := agents.Translate(t, claude.Program{}, root)
	s, err := pith.Open(t.Context(), m.Path("s"), pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// user and assistant are lines of a transcript.
func user(id, parent, text string) string {
	return `{"type":"user","uuid":"` + id + `","parentUuid":` + quoted(parent) + `,"timestamp":"2026-11-17T01:49:54.368Z","isSidechain":false,"cwd":"/p","message":{"role":"user","content":"` + text + `"}}`
}

func assistant(id, parent, message, block string) string {
	return `{"type":"assistant","uuid":"` + id + `","parentUuid":` + quoted(parent) + `,"timestamp":"2026-11-17T01:49:55.368Z","isSidechain":false,"message":{"id":"` + message +
		`","role":"assistant","model":"m","content":[` + block + `],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}}`
}

func said(text string) string { return `{"type":"text","text":"` + text + `"}` }

func quoted(s string) string {
	if s == "" {
		return "null"
	}
	return `"` + s + `"`
}

// texts are the texts of a session's context.
func texts(t *testing.T, s *pith.Session) string {
	t.Helper()
	var out []string
	for _, m := range agents.Context(t, s.File(), "") {
		for _, p := range m.Parts {
			if p.Text != nil {
				out = append(out, *p.Text)
			}
		}
	}
	return strings.Join(out, " ")
}

// Claude Code resumes where last-prompt says: ten files were tried with the program.
func TestLeaf(t *testing.T) { // I13
	start := []string{user("u1", "", "U1"), assistant("a1", "u1", "m1", said("A1"))}
	a := []string{user("ua", "a1", "UA"), assistant("aa", "ua", "m2", said("AA"))}
	b := []string{user("ub", "a1", "UB"), assistant("ab", "ub", "m3", said("AB"))}
	pointer := func(leaf, more string) string {
		return `{"type":"last-prompt","leafUuid":"` + leaf + `"` + more + `,"sessionId":"s"}`
	}
	const explicit = `,"explicit":true`
	for name, test := range map[string]struct {
		lines [][]string
		want  string
	}{
		"last in the file":        {[][]string{start, a, b}, "U1 A1 UB AB"},
		"pointer at the end":      {[][]string{start, a, b, {pointer("aa", "")}}, "U1 A1 UA AA"},
		"pointer before the rest": {[][]string{start, a, {pointer("aa", "")}, b}, "U1 A1 UA AA"},
		"pointer in the middle":   {[][]string{start, a, b, {pointer("ua", "")}}, "U1 A1 UA AA"},
		"explicit":                {[][]string{start, a, b, {pointer("ua", explicit)}}, "U1 A1 UA"},
		"cleared":                 {[][]string{start, a, b, {pointer("aa", ""), pointer("00000000-0000-0000-0000-000000000000", explicit)}}, "U1 A1 UB AB"},
		"unknown":                 {[][]string{start, a, b, {pointer("zz", "")}}, "U1 A1 UB AB"},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			for _, part := range test.lines {
				lines = append(lines, part...)
			}
			if got := texts(t, session(t, lines...)); got != test.want {
				t.Errorf("context = %s, want %s", got, test.want)
			}
		})
	}
}

// Odd links: a parent that was never written, a cycle, a line twice, an unknown kind,
// a torn last line.
func TestOddLines(t *testing.T) { // I1, I2, I3, I10, I11
	for name, test := range map[string]struct {
		lines []string
		want  string
	}{
		"parent never written": {[]string{user("u1", "", "U1"), user("u2", "gone", "U2")}, "U1 U2"},
		"cycle":                {[]string{user("u1", "u2", "U1"), user("u2", "u1", "U2")}, "U1 U2"},
		"its own parent":       {[]string{user("u1", "u1", "U1"), user("u2", "u1", "U2")}, "U1 U2"},
		"a line twice":         {[]string{user("u1", "", "U1"), user("u2", "u1", "U2"), user("u1", "u2", "again")}, "U1 U2"},
		"not JSON":             {[]string{user("u1", "", "U1"), "{", "[]", `"x"`, user("u2", "u1", "U2")}, "U1 U2"},
		"unknown kinds":        {[]string{user("u1", "", "U1"), `{"type":"new-kind","uuid":"x","parentUuid":"u1","n":1}`, user("u2", "x", "U2")}, "U1 U2"},
		"torn":                 {[]string{user("u1", "", "U1"), user("u2", "u1", "U2") + "\n" + user("u3", "u2", "U3")[:40]}, "U1 U2"},
	} {
		t.Run(name, func(t *testing.T) {
			s := session(t, test.lines...)
			if got := texts(t, s); got != test.want {
				t.Errorf("context = %q, want %q", got, test.want)
			}
		})
	}
	s := session(t, user("u1", "", "U1"), `{"type":"new-kind","n":1}`)
	kept := false
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		kept = kept || strings.Contains(string(e.Head().Raw), `{"type":"new-kind","n":1}`)
	}
	if !kept {
		t.Error("a line of an unknown kind is gone")
	}
}

// Parallel calls are not branches; a rewind is one.
func TestParallelCallsAndRewinds(t *testing.T) { // I12
	call := func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"Bash","input":{}}` }
	result := func(id, parent, of string) string {
		return `{"type":"user","uuid":"` + id + `","parentUuid":"` + parent + `","timestamp":"2026-11-17T01:49:56.368Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + of + `","content":"` + of + `"}]}}`
	}
	s := session(t,
		user("u1", "", "U1"), assistant("a1", "u1", "m1", call("c1")), assistant("a2", "a1", "m1", call("c2")),
		result("r1", "a1", "c1"), result("r2", "a2", "c2"), assistant("a3", "r2", "m2", said("A")), user("u2", "a3", "U2"), user("u3", "a3", "U3"))
	var roles []string
	for _, m := range agents.Context(t, s.File(), "") {
		for _, p := range m.Parts {
			switch {
			case p.Call != "":
				roles = append(roles, "call")
			case p.Result != nil:
				roles = append(roles, *p.Result)
			default:
				roles = append(roles, *p.Text)
			}
		}
	}
	if got := strings.Join(roles, " "); got != "U1 call call c1 c2 A U3" {
		t.Errorf("context = %s", got)
	}
	branches := 0
	for i := range s.View().Len() {
		if children, err := s.View().Children(s.View().At(i).ID); err == nil && len(children) > 1 {
			branches++
		}
	}
	if branches != 1 {
		t.Errorf("%d entries have several children, want the one that was rewound to", branches)
	}
}

func TestCompactions(t *testing.T) {
	boundary := func(id, above, metadata, more string) string {
		return `{"type":"system","subtype":"compact_boundary","uuid":"` + id + `","parentUuid":null,"logicalParentUuid":"` + above + `","timestamp":"2026-11-17T02:00:00.000Z","compactMetadata":` + metadata + more + `}`
	}
	summary := func(id, parent, text string) string {
		return `{"type":"user","uuid":"` + id + `","parentUuid":"` + parent + `","isCompactSummary":true,"isVisibleInTranscriptOnly":true,"timestamp":"2026-11-17T02:00:01.000Z","message":{"role":"user","content":"` + text + `"}}`
	}
	start := []string{user("u1", "", "U1"), assistant("a1", "u1", "m1", said("A1")), user("u2", "a1", "U2"), assistant("a2", "u2", "m2", said("A2"))}
	for name, test := range map[string]struct {
		lines []string
		want  []string
		never []string
	}{
		"all":               {[]string{boundary("b", "a2", `{"preTokens":9}`, ""), summary("s", "b", "SUM"), user("u3", "s", "U3")}, []string{"SUM", "U3"}, []string{"U1", "A1", "U2", "A2"}},
		"kept messages":     {[]string{boundary("b", "a2", `{"preservedMessages":{"anchorUuid":"s","uuids":["u2","a2"]}}`, ""), summary("s", "b", "SUM"), user("u3", "a2", "U3")}, []string{"SUM", "U2", "A2", "U3"}, []string{"U1", "A1"}},
		"kept segment":      {[]string{boundary("b", "a2", `{"preservedSegment":{"headUuid":"u2","anchorUuid":"s","tailUuid":"a2"}}`, ""), summary("s", "b", "SUM"), user("u3", "a2", "U3")}, []string{"SUM", "U2", "A2", "U3"}, []string{"U1"}},
		"summary from here": {[]string{boundary("b", "a2", `{"preservedSegment":{"headUuid":"u1","anchorUuid":"s","tailUuid":"a1"}}`, `,"summarizeMetadata":{"direction":"from"}`), summary("s", "b", "SUM"), user("u3", "s", "U3")}, []string{"U1", "A1", "SUM", "U3"}, []string{"U2", "A2"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := texts(t, session(t, append(append([]string{}, start...), test.lines...)...))
			at := 0
			for _, word := range test.want {
				i := strings.Index(got[at:], word)
				if i < 0 {
					t.Fatalf("context = %q, want %v in this order", got, test.want)
				}
				at += i + len(word)
			}
			for _, word := range test.never {
				if strings.Contains(got, word) {
					t.Errorf("context = %q has %s", got, word)
				}
			}
		})
	}
}

// The cost of a session and its subagents equals Claude Code's; a fork adds
// only its own responses.
func TestCosts(t *testing.T) {
	m := agents.Translate(t, claude.Program{}, filepath.Join(agents.Fixtures(t, fixture), "projects"))
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Dir: m.Dir, IncludeInternal: true}))
	if err != nil {
		t.Fatal(err)
	}
	ledger, err := cost.Count(t.Context(), infos, cost.Options{})
	if err != nil {
		t.Fatal(err)
	}
	micros := map[string]int64{}
	for _, g := range ledger.By(func(r *cost.Response) string { return ledger.Sessions[r.Session].ID[:36] }) {
		micros[g.Key] = g.Cost.Micros()
	}
	if got := micros["11111111-2222-4333-8444-555555555501"]; got != 17720 { // its cost-state
		t.Errorf("the session cost %d micros, Claude Code says 17720", got)
	}
	if got := micros["11111111-2222-4333-8444-555555555502"]; got != 1760 { // 340 tokens in, 20 out
		t.Errorf("the fork added %d micros, want 1760", got)
	}
	// Without a cost-state nothing is known, which is not zero.
	s := session(t, user("u1", "", "U1"), assistant("a1", "u1", "m1", said("A1")))
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(e.Head().Raw), `"usage"`) && strings.Contains(string(e.Head().Raw), `"cost"`) { // I9
			t.Errorf("an unknown price is written: %s", e.Head().Raw)
		}
	}
}
