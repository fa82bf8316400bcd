package recall_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/internal/recall"
)

// A past is a directory of sessions, each a day later than the one before.
type past struct {
	t   *testing.T
	dir string
	day int
}

// session writes a session; TIME in its lines becomes the time of the line.
func (p *past) session(id, parent string, lines ...string) (path string) {
	p.t.Helper()
	p.day++
	begin := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, p.day)
	header := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"TIME","cwd":"/src"`, id)
	if parent != "" {
		header += fmt.Sprintf(`,"parentSession":%q`, parent)
	}
	var b strings.Builder
	for i, line := range append([]string{header + "}"}, lines...) {
		at := begin.Add(time.Duration(i) * time.Minute).Format("2006-01-02T15:04:05.000Z")
		b.WriteString(strings.ReplaceAll(line, "TIME", at) + "\n")
	}
	path = filepath.Join(p.dir, id+".jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func user(id, parent, text string) string {
	return message(id, parent, fmt.Sprintf(`"role":"user","content":%q`, text))
}

func answer(id, parent, text string) string {
	return message(id, parent, fmt.Sprintf(`"role":"assistant","content":[{"type":"text","text":%q}],"stopReason":"stop"`, text))
}

func call(id, parent, tool, path string) string {
	return message(id, parent, fmt.Sprintf(`"role":"assistant","content":[{"type":"toolCall","id":"c-%s","name":%q,"arguments":{"path":%q}}],"stopReason":"toolUse"`, id, tool, path))
}

func result(id, parent string, failed bool) string {
	return message(id, parent, fmt.Sprintf(`"role":"toolResult","toolCallId":"c-%s","toolName":"edit","isError":%t,"content":[{"type":"text","text":"so be it"}]`, parent, failed))
}

func message(id, parent, members string) string {
	from := "null"
	if parent != "" {
		from = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"TIME","message":{%s,"timestamp":1}}`, id, from, members)
}

func (p *past) options() recall.Options {
	return recall.Options{Search: search.Options{Catalog: catalog.Options{Dir: p.dir, Getenv: func(string) string { return "" }}}}
}

func (p *past) ask(question string, o recall.Options) recall.Answer {
	p.t.Helper()
	q, err := query.Parse(question, query.Env{})
	if err != nil {
		p.t.Fatalf("Parse(%q): %v", question, err)
	}
	a, err := recall.Ask(p.t.Context(), q, o)
	if err != nil {
		p.t.Fatalf("Ask(%q): %v", question, err)
	}
	return a
}

// A question in plain words is answered by the entry that contains most of it,
// in any form of its words, and by a correction before the text that it
// corrects.
func TestAsk(t *testing.T) {
	p := past{t: t, dir: t.TempDir()}
	p.session("old", "", user("u", "", "which port does the gateway listen on"), answer("a", "u", "the gateway listens on port 8080"))
	p.session("other", "", user("u", "", "paint the shed"), answer("a", "u", "which colour should the shed have"))
	p.session("new", "", user("u", "", "which port does the gateway listen on"), answer("a", "u", "the gateway listens on port 9090 now"))
	a := p.ask("did we configure the port that gateways are listening on?", p.options())
	if len(a.Memories) != 2 || a.Memories[0].Session.ID != "new" || a.Memories[1].Session.ID != "old" {
		t.Fatalf("told %v, want new before old and nothing of other", ids(a))
	}
	if m := a.Memories[0]; m.Question != "which port does the gateway listen on" || !strings.Contains(m.Answer, "9090") || m.FirstEntry != "u" {
		t.Errorf("the turn is %+v", m.Turn)
	}
	o := p.options()
	o.Except, o.Limit = []string{"new"}, 1
	if a := p.ask("gateway port", o); len(a.Memories) != 1 || a.Memories[0].Session.ID != "old" || a.More != 0 {
		t.Errorf("without new, told %v and %d more", ids(a), a.More)
	}
}

// Words close together count more than the same words far apart, and the match
// shows where they are.
func TestWordsTogether(t *testing.T) {
	p := past{t: t, dir: t.TempDir()}
	far := strings.Repeat(" and so on, with much else in between,", 20)
	p.session("together", "", user("u", "", "look"), answer("a", "u", "The gateway is old."+far+" In short: the timeout of the gateway is 12 s."))
	p.session("apart", "", user("u", "", "look"), answer("a", "u", "The gateway is old."+far+" In short: the timeout of the others is 99 s."))
	a := p.ask("timeout of the gateway", p.options())
	if got := ids(a); len(got) != 2 || got[0] != "together" {
		t.Fatalf("told %v, want together first", got)
	}
	m := a.Memories[0]
	if text, at := m.Hit.Text(nil); !strings.Contains(m.Hit.Snippet.Text, "12 s") || !strings.HasPrefix(text[at:], "timeout") {
		t.Errorf("shown is %q, at %d", m.Hit.Snippet.Text, at)
	}
}

// Of entries with all words of a question, one with the same text as many
// others ranks after a unique one, even if it is newer.
func TestNews(t *testing.T) {
	p := past{t: t, dir: t.TempDir()}
	p.session("fact", "", user("u", "", "settle it"), answer("a", "u", "the pool size of the importer in staging is 64 by decision of the team"))
	for _, of := range []string{"parser", "mailer", "ledger", "widget", "importer"} {
		p.session(of, "", user("u", "", "look"), answer("a", "u", "the pool size of the "+of+" in staging comes out of the environment"))
	}
	if got := ids(p.ask("Do you remember what we decided about the pool size of the importer in staging?", p.options())); len(got) < 2 || got[0] != "fact" || got[1] != "importer" {
		t.Errorf("told %v, want fact, then importer", got)
	}
}

// An abandoned branch is marked as such, with the summary that was made then.
func TestLeftBranch(t *testing.T) {
	p := past{t: t, dir: t.TempDir()}
	p.session("s", "", user("u", "", "make it fast"), answer("a", "u", "I try a trie"), answer("b", "u", "I try a hash table"),
		`{"type":"branch_summary","id":"s1","parentId":"b","timestamp":"TIME","fromId":"a","summary":"the trie took too much memory"}`)
	a := p.ask("trie", p.options())
	at := slices.IndexFunc(a.Memories, func(m recall.Memory) bool { return m.Hit.EntryID == "a" })
	if at < 0 {
		t.Fatalf("the branch is not remembered: %+v", a.Memories)
	}
	if m := a.Memories[at]; !m.Left || m.Why != "the trie took too much memory" {
		t.Errorf("left is %t because of %q", m.Left, m.Why)
	}
	if m := p.ask("hash table", p.options()).Memories; len(m) != 1 || m[0].Left {
		t.Errorf("of the branch in use: %+v", m)
	}
}

// An entry copied to another session is shown once, where it was written.
func TestCopies(t *testing.T) {
	p := past{t: t, dir: t.TempDir()}
	first := p.session("first", "", user("u", "", "tame the okapi"), answer("a", "u", "okapi tamed"))
	p.day-- // copies keep the times of their entries
	p.session("fork", first, user("u", "", "tame the okapi"), answer("a", "u", "okapi tamed"), user("v", "a", "and the tapir"))
	p.day--
	p.session("orphan", "/gone.jsonl", user("u", "", "tame the okapi"), answer("a", "u", "okapi tamed"))
	p.session("later", "", user("u", "", "tame the okapi"), answer("a", "u", "okapi tamed"))
	a := p.ask("okapi", p.options())
	if len(a.Memories) != 2 || a.Memories[0].Session.ID != "later" || len(a.Memories[0].Copies) != 0 {
		t.Fatalf("told %v, want later, which is no copy, and one more", ids(a))
	}
	if m := a.Memories[1]; m.Session.ID == "later" || len(m.Copies) != 2 {
		t.Errorf("of %s, copies in %v; want the other two", m.Session.ID, m.Copies)
	}
}

// The turns that touched a file, newest first, with operation and reason; a
// path may be recorded absolute or relative to the project.
func TestTouched(t *testing.T) {
	p := past{t: t, dir: t.TempDir()}
	p.session("one", "", user("u", "", "fix the lexer"), call("c", "u", "edit", "/src/lex/lex.go"), result("r", "c", false), answer("a", "r", "fixed"))
	p.session("two", "", user("u", "", "look at the lexer"), call("c", "u", "read", "lex/lex.go"), result("r", "c", false),
		call("d", "r", "edit", "lex/lex.go"), result("s", "d", true), answer("a", "s", "seen"))
	for _, path := range []string{"/src/lex/lex.go", "lex.go", "./lex/lex.go"} {
		got, err := recall.Touched(t.Context(), path, "/src", p.options())
		if err != nil {
			t.Fatal(err)
		}
		if len(got.List) != 2 || got.List[0].Session.ID != "two" || got.List[1].Session.ID != "one" {
			t.Fatalf("%s: %+v, want two before one", path, got.List)
		}
		if x := got.List[0]; x.Read != 1 || x.Failed != 1 || x.Changed != 0 || x.Question != "look at the lexer" {
			t.Errorf("%s: two is %+v", path, x)
		}
		if x := got.List[1]; x.Changed != 1 || x.Answer != "fixed" || x.File != "/src/lex/lex.go" {
			t.Errorf("%s: one is %+v", path, x)
		}
	}
	if got, err := recall.Touched(t.Context(), "parse.go", "/src", p.options()); err != nil || len(got.List) != 0 {
		t.Errorf("a file that nobody touched: %+v, %v", got.List, err)
	}
}

func ids(a recall.Answer) (out []string) {
	for i := range a.Memories {
		out = append(out, a.Memories[i].Session.ID)
	}
	return out
}
