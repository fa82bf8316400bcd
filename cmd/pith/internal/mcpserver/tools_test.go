package mcpserver_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/mcpserver"
	"github.com/pith-sessions/pith/inspect"
)

// branchy is a session with a branch that was tried, left and summarised.
func branchy(w *world) string {
	return w.session(id(7), w.home, "",
		`{"type":"message","id":"a1","parentId":null,"timestamp":"TIME","message":{"role":"user","content":"speed up the importer","timestamp":1}}`,
		`{"type":"message","id":"a2","parentId":"a1","timestamp":"TIME","message":{"role":"assistant","content":[{"type":"text","text":"two ways"}],"stopReason":"stop","timestamp":1}}`,
		`{"type":"message","id":"b1","parentId":"a2","timestamp":"TIME","message":{"role":"user","content":"try goroutines for the importer","timestamp":1}}`,
		`{"type":"message","id":"b2","parentId":"b1","timestamp":"TIME","message":{"role":"assistant","content":[{"type":"text","text":"the goroutines fight over the lock"}],"stopReason":"stop","timestamp":1}}`,
		`{"type":"branch_summary","id":"s1","parentId":"a2","timestamp":"TIME","fromId":"b2","summary":"Goroutines made it slower: lock contention in the store."}`,
		`{"type":"message","id":"c1","parentId":"s1","timestamp":"TIME","message":{"role":"user","content":"then batch the writes","timestamp":1}}`,
		`{"type":"message","id":"c2","parentId":"c1","timestamp":"TIME","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"edit","arguments":{"path":"store/import.go","edits":[]}}],"stopReason":"toolUse","timestamp":1}}`,
		`{"type":"message","id":"c3","parentId":"c2","timestamp":"TIME","message":{"role":"toolResult","toolCallId":"c1","toolName":"edit","isError":false,"content":[{"type":"text","text":"ok"}],"timestamp":1}}`,
		`{"type":"message","id":"c4","parentId":"c3","timestamp":"TIME","message":{"role":"assistant","content":[{"type":"text","text":"batching made it four times faster"}],"stopReason":"stop","timestamp":1}}`,
	)
}

// Answers say who, when, where, whether the branch was left and why, what came of it.
func TestAnswersCanBeUsedAtOnce(t *testing.T) {
	w := newWorld(t)
	branchy(w)
	c := connect(t, indexed(t, w.options()))
	left := c.ask("search", with{"query": "goroutines in the importer"})
	has(t, left, "019c0007-aaaa/b", "2026-01-02", "speed up the importer", "abandoned branch", "lock contention")
	kept := c.ask("search", with{"query": "batch writes"})
	has(t, kept, "019c0007-aaaa/c", `changed "store/import.go"`, "edit×1", "four times faster")
	lacks(t, kept, "abandoned branch")
	has(t, c.ask("tree", with{"session": "019c0007"}), "* a1", "- b1", "* c1", "lock contention")
	has(t, c.ask("files", with{"path": "import.go"}), "019c0007-aaaa/c2", `changed "store/import.go"`, "then batch the writes", "four times faster")
	has(t, c.ask("files", with{"path": w.home + "/store/import.go"}), "changed")
	has(t, c.ask("outline", with{"session": "019c0007/b2"}), "abandoned branch", "try goroutines")
	has(t, c.ask("read", with{"session": "019c0007", "entry": "c1.."}), "c4 response", "four times")
	has(t, c.ask("read", with{"session": "019c0007", "entry": "b1..b2"}), "fight over the lock", "abandoned branch")
	has(t, c.ask("context", with{"session": "019c0007/b2"}), "fight over")
}

// No answer exceeds its budget, and following next gives everything, once.
func TestBudgets(t *testing.T) {
	w := newWorld(t)
	var long []string
	for n := range 40 {
		long = append(long, user(fmt.Sprintf("marker-u%03d %s", n, strings.Repeat("ask ", 40))), answer(fmt.Sprintf("marker-a%03d %s", n, strings.Repeat("日本語 answer\n", 60))))
	}
	w.session(id(1), w.home, "", chain(long...)...)
	for n := 2; n < 40; n++ {
		w.session(id(n), w.home, "", chain(user(fmt.Sprintf("marker-s%03d heron", n)), answer("heron "+strings.Repeat("long ", n*40)))...)
	}
	c := connect(t, indexed(t, w.options()))
	tests := []struct {
		tool      string
		arguments with
		marker    string
		count     int
	}{
		{"sessions", with{"limit": 100}, `marker-[su]\d+`, 39},
		{"outline", with{"session": id(1)}, `marker-u\d+`, 40},
		{"read", with{"session": id(1)}, `marker-[ua]\d+`, 80},
		{"context", with{"session": id(1)}, `marker-[ua]\d+`, 80},
		{"tree", with{"session": id(1)}, `marker-u\d+`, 40},
		{"search", with{"query": "heron", "limit": 100}, `019c00\d\d-aaaa/`, 38},
		{"read", with{"session": id(39) + "/e1"}, `heron`, 1},
		{"files", with{"path": "none.go"}, `No tool`, 1},
	}
	budgets := []int{200, 333, 1000, 5000}
	if testing.Short() {
		budgets = []int{1000}
	}
	for _, tt := range tests {
		for _, budget := range budgets {
			t.Run(fmt.Sprintf("%s %d", tt.tool, budget), func(t *testing.T) {
				seen := map[string]int{}
				a := with{"budget": budget}
				for k, v := range tt.arguments {
					a[k] = v
				}
				for page := 0; ; page++ {
					text := c.ask(tt.tool, a)
					if n := inspect.Tokens(text); n > int64(budget) {
						t.Fatalf("page %d takes %d of %d tokens:\n%s", page, n, budget, text)
					}
					for line := range strings.Lines(text) {
						if page > 0 && strings.HasPrefix(line, "019c0001-aaaa 2026") {
							continue // the head of each page names the session by its title
						}
						for _, m := range regexp.MustCompile(tt.marker).FindAllString(line, -1) {
							seen[m]++
						}
					}
					next := regexp.MustCompile(`(?m)^next: "(.*)" \(`).FindStringSubmatch(text)
					if next == nil || page > 300 {
						break
					}
					a["next"] = next[1]
				}
				if len(seen) != tt.count {
					t.Errorf("%d of %d items by following next", len(seen), tt.count)
				}
			})
		}
	}
}

// A call that cannot be answered returns text that explains what to do.
func TestBadInput(t *testing.T) {
	w := newWorld(t)
	gone := w.session(id(1), w.home, "", chain(user("hello"), answer("hello"))...)
	w.session(id(2), w.home, "", chain(user("hello"), answer("hello"))...)
	c := connect(t, w.options())
	tests := []struct {
		tool      string
		arguments any
		want      string
	}{
		{"search", with{}, "missing query"},
		{"search", with{"query": "re:(("}, "invalid regular expression"},
		{"search", with{"query": "hello", "budget": 10}, "use 200 or more"},
		{"search", with{"query": "hello", "limit": "many"}, "whole number"},
		{"search", with{"query": "hello", "next": "xyz"}, "leave it out"},
		{"search", with{"query": "hello", "max": 3}, "unknown parameter"},
		{"search", with{"query": []string{"a"}}, "must be a string"},
		{"read", with{"session": "nobody"}, "the sessions tool lists them"},
		{"read", with{"session": "019c"}, "use more of the ID"},
		{"read", with{"session": id(2) + "/zzz"}, "outline"},
		{"read", with{"session": id(2), "next": "9.9.9"}, "leave it out"},
		{"read", with{"session": "@9"}, "there are 2"},
		{"read", with{}, "missing session"},
		{"read", with{"session": "/etc/passwd"}, "no session"},
		{"files", with{}, "missing path"},
	}
	for _, tt := range tests {
		if text, failed := c.call(tt.tool, tt.arguments.(with)); !failed || !strings.Contains(text, tt.want) {
			t.Errorf("%s %v = %q, %v; want an error with %q", tt.tool, tt.arguments, text, failed, tt.want)
		}
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	has(t, c.ask("sessions", nil), "1 session\n")
	if err := os.RemoveAll(w.dir); err != nil {
		t.Fatal(err)
	}
	_, _ = c.call("sessions", nil)
	_, _ = c.call("search", with{"query": "hello"})
}

// A session that is being written is shown as far as it is complete, a damaged
// one as far as it can be read, and neither hides the others.
func TestStoreThatChanges(t *testing.T) {
	w := newWorld(t)
	grows := w.session(id(1), w.home, "", chain(user("the first egret"), answer("seen"))...)
	damaged := w.session(id(2), w.home, "", chain(user("the second egret"), answer("seen"))...)
	for _, path := range []string{grows, damaged} { // they are in use
		if err := os.Chtimes(path, time.Time{}, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	o := indexed(t, w.options())
	o.Asking = "another"
	c := connect(t, o)
	ask := func() string { return c.ask("search", with{"query": "egret"}) }
	has(t, ask(), id(1)[:13], id(2)[:13])
	file, err := os.OpenFile(grows, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	grow := func(text string) {
		t.Helper()
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	line := strings.NewReplacer("ID", "e2", "PARENT", `"e1"`, "TIME", stamp(now)).Replace(user("a marabou and an egret"))
	grow(line[:len(line)/2])
	has(t, ask(), id(1)[:13], id(2)[:13])
	grow(line[len(line)/2:] + "\n")
	has(t, c.ask("search", with{"query": "marabou"}), id(1)[:13]+"/e2")
	if err := os.WriteFile(damaged, []byte("\x00\x00{\"type\":\nno session"), 0o600); err != nil {
		t.Fatal(err)
	}
	after := ask()
	has(t, after, id(1)[:13])
	lacks(t, after, id(2)[:13])
	if text, failed := c.call("read", with{"session": id(2)}); !failed {
		t.Errorf("read of a file that is no session any more = %s, want an error", text)
	}
}

// Where there is nothing to look into, other words do not help.
func TestNoSessions(t *testing.T) {
	w := newWorld(t)
	all := w.options()
	project := w.options()
	project.Project = w.home
	for name, tt := range map[string]struct {
		o    mcpserver.Options
		want []string
	}{
		"of all projects": {all, []string{"There are no sessions."}},
		"of one":          {project, []string{w.home, "pith mcp --all"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, tt.o)
			for tool, arguments := range map[string]with{"search": {"query": "walrus"}, "files": {"path": "go.mod"}, "sessions": nil} {
				has(t, c.ask(tool, arguments), tt.want...)
			}
		})
	}
}

// Characters that nobody sees are visible in answers.
func TestInvisibleCharacters(t *testing.T) {
	w := newWorld(t)
	w.session(id(1), w.home, "", chain(user("where is the staging ke\u200by?"), answer("in the\u2060 vault"))...)
	c := connect(t, indexed(t, w.options()))
	for tool, arguments := range map[string]with{
		"search": {"query": "staging vault"}, "sessions": {}, "outline": {"session": id(1)}, "read": {"session": id(1)}, "context": {"session": id(1)}, "tree": {"session": id(1)},
	} {
		got := c.ask(tool, arguments)
		has(t, got, `ke\u200by`)
		lacks(t, got, "\u200b", "\u2060")
	}
}
