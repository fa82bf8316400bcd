//go:build unix

package conformance_test

import (
	"bufio"
	"encoding/json"
	cmdline "flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/browser"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

var (
	updateWalk = cmdline.Bool("update-walk", false, "rewrite the tables and screens of docs/explanation/walk.md")
	walkBefore = cmdline.String("walk-before", "", "walk with the `directory` of an earlier pith command, with the keys that it needs")
)

// A leg is a part of a task: keys, and a text that the screen shows after them. Keys are
// named and separated by spaces; text in quotes is typed.
type leg struct{ keys, sees string }

// told is a leg without keys: an agent says the text that the screen shows.
const told = "(an agent writes)"

// An errand is something that people do with their sessions.
type errand struct {
	name   string
	shell  bool // starts in the shell, not in the list of the app
	agents bool // two processes append to sessions
	legs   []leg
	before []leg  // with the earlier command
	why    string // the earlier command could not do it
}

// renamed are the keys that rename five selected rows, one after the other.
func renamed() (legs []leg) {
	for n := 1; n <= 5; n++ {
		legs = append(legs, leg{fmt.Sprintf(`ctrl+r ctrl+u "job %d" enter`, n), fmt.Sprintf("job %d ", n)})
		if n < 5 {
			legs = append(legs, leg{"up", ""})
		}
	}
	return legs
}

var tagged = []leg{{`"chore"`, "> chore"}, {"alt+v alt+v alt+v alt+v alt+v", "Chosen: 5"}, {`alt+t`, "Tags"}, {`"red" enter`, "#red"}}

// errands are the tasks of the walk in the terminal, in the order of the document.
var errands = []errand{
	{name: "Find a half-remembered phrase",
		legs:   []leg{{`"lease is"`, "mails · "}, {"enter", "/lease is  1 of 1"}},
		before: []leg{{`"lease is"`, "mails · "}, {"enter", "tested"}, {`/ "lease is" enter`, "The lease is too short"}}},
	{name: "Read the tool output that matters",
		legs:   []leg{{`"output 2"`, "checking output 2"}, {"enter", "/output 2  1 of"}},
		before: []leg{{`"output 2"`, "checking output 2"}, {"enter", "i writes"}, {`/ "output 2" enter`, "/output 2  1 of"}}},
	{name: "Compare two attempts",
		legs: []leg{{`"attempt"`, "make it fast · "}, {"enter", "i write"}, {"t", "Session Tree"}, {"d k k d", "Comparison of"}},
		why:  "not possible: the app could not compare: `d` in the tree searched"},
	{name: "Go back and branch",
		legs:   []leg{{`"attempt"`, "make it fast · "}, {"enter", "i write"}, {"t", "Session Tree"}, {"k k enter", "Summarize branch?"}, {"enter", "moved to the selected entry"}},
		before: []leg{{`"attempt"`, "make it fast · "}, {"enter", "i writes"}, {"t", "Session Tree"}, {"up up enter", "Summarize branch?"}, {"enter", "how?"}}},
	{name: "Share three turns",
		legs: []leg{{`"lease"`, "mails · "}, {"enter", "i write"}, {"g V V V", "3 turns marked"}, {"alt+e", "Export turns 1,2,3 as"}, {"enter", "Export to"}, {"enter", "exported to"}},
		why:  "not possible: `V` and `alt+e` did nothing; only the whole session or one path could be exported"},
	{name: "See what last week cost",
		legs: []leg{{"alt+u", "in the last 7 days"}},
		why:  "not possible: the app had no usage; `pith usage` had"},
	{name: "Triage what is unfinished",
		legs: []leg{{"alt+i", "left unanswered"}, {"alt+z", "snoozed until tomorrow"}},
		why:  "not possible: there was no inbox: `alt+i` did nothing"},
	{name: "Rename and tag five sessions", legs: append(tagged, renamed()...), before: append(tagged, renamed()...)},
	{name: "Resume in pi from a shell pipeline", shell: true,
		legs: []leg{{`"pi --session $(pith pick)" enter`, "chore"}, {`"lease"`, "mails · "}, {"enter", "No models available"}, {"", "add a test"}},
		why:  "no chooser: `pith ls --format path,title` had to be searched with grep"},
	{name: "Watch two running agents", agents: true,
		legs:   []leg{{"", "● "}, {`"north"`, "> north"}, {"enter", "i write"}, {told, "north does step 2"}},
		before: []leg{{"", "● "}, {`"north"`, "> north"}, {"enter", "i writes"}, {told, "north does step 2"}}},
}

// split calls do for each key and each typed text.
func (l leg) split(key, text func(string)) {
	if l.keys == told {
		return
	}
	for n, part := range strings.Split(l.keys, `"`) {
		if n%2 == 1 {
			text(part)
			continue
		}
		for _, name := range strings.Fields(part) {
			key(name)
		}
	}
}

// count returns the number of keys: each typed character is one.
func count(legs []leg) (n int) {
	for _, l := range legs {
		l.split(func(string) { n++ }, func(text string) { n += utf8.RuneCountInString(text) })
	}
	return n
}

// keysOf returns the keys of all legs.
func keysOf(legs []leg) string {
	var all []string
	for _, l := range legs {
		if l.keys != told {
			all = append(all, l.keys)
		}
	}
	return strings.TrimSpace(strings.Join(all, " "))
}

// tmuxKey returns tmux's name of a key.
func tmuxKey(name string) string {
	switch name {
	case "enter", "up":
		return strings.ToUpper(name[:1]) + name[1:]
	}
	return strings.NewReplacer("alt+", "M-", "ctrl+", "C-").Replace(name)
}

// The keys of each task of the walk lead to its end, in a real terminal, over real files;
// the document has the keys, their number and the last screens. Rewrite it with
// -update-walk.
func TestWalk(t *testing.T) {
	var table, screens strings.Builder
	table.WriteString("| task | keys | number | before |\n|---|---|---|---|\n")
	for i, e := range errands {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) {
			fmt.Fprintf(&screens, "## %s\n\n", e.name)
			e.walk(t, func(l leg, screen string) {
				keys := "`" + l.keys + "`"
				if l.keys == "" || l.keys == told {
					keys = "Without a key"
				}
				fmt.Fprintf(&screens, "%s:\n\n```text\n%s\n```\n\n", keys, screen)
			})
		})
		before := e.why
		if len(e.before) > 0 {
			before = fmt.Sprintf("%d", count(e.before))
		}
		fmt.Fprintf(&table, "| %s | `%s` | %d | %s |\n", e.name, keysOf(e.legs), count(e.legs), before)
	}
	if *walkBefore != "" || t.Failed() {
		return
	}
	for _, part := range []struct{ name, from, to, text string }{
		{"walk.md", "<!-- The table is made by TestWalk. -->\n", "<!-- End of the table. -->\n", table.String()},
		{"walk-screens.md", "<!-- The screens are made by TestWalk. -->\n", "<!-- End of the screens. -->\n", screens.String()},
	} {
		file := filepath.Join("..", "..", "docs", "explanation", part.name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, ok := strings.Cut(string(text), part.from)
		got, tail, done := strings.Cut(rest, part.to)
		switch {
		case !ok || !done:
			t.Fatalf("%s has no place for %s", file, part.from)
		case *updateWalk:
			put(t, file, head+part.from+part.text+part.to+tail, 0o644)
		case strings.HasPrefix(part.text, "|") && got != part.text:
			t.Errorf("the table of %s is\n%s\nwant\n%s", file, got, part.text)
		}
	}
}

// walk does an errand and shows the screen after each leg.
func (e *errand) walk(t *testing.T, show func(l leg, screen string)) {
	home, cwd, dir := project(t)
	library(t, cwd, dir)
	legs := e.legs
	if *walkBefore != "" {
		if legs = e.before; len(legs) == 0 {
			return
		}
	}
	m := newTerminal(t, home, cwd, 100, 24)
	var tell func(string)
	if e.agents {
		agentProcess(t, cwd, dir, "south")("south does step 1")
		tell = agentProcess(t, cwd, dir, "north")
		tell("north does step 1")
		m.until("the agents, which have written nothing", func(string) bool {
			files, err := filepath.Glob(filepath.Join(dir, "*th.jsonl"))
			return err == nil && len(files) == 2 && !slices.ContainsFunc(files, func(file string) bool {
				text, err := os.ReadFile(file)
				return err != nil || !strings.Contains(string(text), "does step 1")
			})
		})
	}
	m.runs("PATH=" + *walkBefore + ":$PATH; clear")
	m.shell()
	if e.shell {
		m.runs("PATH=" + piCommand(t, home) + ":$PATH; clear")
		m.shell()
	} else {
		m.runs("pith")
		m.sees("chore 5")
	}
	for _, l := range legs {
		l.split(func(name string) { m.press(tmuxKey(name)) }, m.types)
		if l.keys == told {
			tell(l.sees)
		}
		if l.sees != "" {
			m.sees(l.sees)
			show(l, plainScreen(m.screen(), home))
		}
	}
}

// plainScreen returns a screen for a document: without trailing blanks and the paths of
// this machine.
func plainScreen(screen, home string) string {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.ReplaceAll(line, home, "~"), " ")
		if strings.Contains(line, "/node_modules/") {
			lines[i] = " …" // where pi is installed here
		}
	}
	return strings.Join(slices.CompactFunc(lines, func(a, b string) bool { return a == "" && b == "" }), "\n")
}

// piCommand returns a directory with the command pi.
func piCommand(t *testing.T, home string) string {
	t.Helper()
	in := pi.Require(t, pi.V0_73_1)
	cli := filepath.Join(filepath.Dir(in.Module), "..", "cli.js")
	put(t, filepath.Join(home, "bin", "pi"), fmt.Sprintf("#!/bin/sh\nPI_OFFLINE=1 exec %s %s \"$@\"\n", in.Node, cli), 0o700)
	return filepath.Join(home, "bin")
}

// library writes the sessions of the walk. Texts of the assistant begin with <.
func library(t *testing.T, cwd, dir string) {
	t.Helper()
	session := func(texts ...string) *pith.Session {
		s, err := pith.Create(pith.Options{Cwd: cwd, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		say(t, s, texts...)
		return s
	}
	end := func(s *pith.Session) {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		hourAgo := time.Now().Add(-time.Hour) // no process is writing it
		if err := os.Chtimes(s.File(), hourAgo, hourAgo); err != nil {
			t.Fatal(err)
		}
	}
	attempts := session("make it fast", "<how?")
	from := attempts.LeafID()
	say(t, attempts, "first attempt", "<slow")
	if err := attempts.Branch(from); err != nil {
		t.Fatal(err)
	}
	say(t, attempts, "second attempt", "<fast")
	end(attempts)

	worked := session()
	for i := 1; i <= 4; i++ {
		call := &format.ToolCallBlock{ID: fmt.Sprintf("c%d", i), Name: "bash", Arguments: json.RawMessage(`{"command":"make check"}`)}
		for _, m := range []format.Message{
			format.NewUser(fmt.Sprintf("question %d", i), time.Now()),
			&format.Assistant{Content: format.BlockContent(call), API: "x", Provider: "p", Model: "m", StopReason: "toolUse", Timestamp: time.Now().UnixMilli(),
				Usage: format.Usage{Input: 1000, Output: 10, TotalTokens: 1010, Cost: format.Cost{Total: 0.25}}},
			&format.ToolResult{ToolCallID: call.ID, ToolName: "bash", Content: format.BlockContent(&format.TextBlock{Text: strings.Repeat("checking\n", 40) + fmt.Sprintf("output %d", i)}), Timestamp: time.Now().UnixMilli()},
		} {
			if _, err := worked.AppendMessage(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		say(t, worked, fmt.Sprintf("<answer %d", i))
	}
	end(worked)
	end(session("customers get two mails", "<The lease is too short for slow mail servers.", "mend it", "<done", "add a test", "<tested"))
	for i := 1; i <= 5; i++ {
		end(session(fmt.Sprint("chore ", i), "<done"))
	}
	end(session("left unanswered"))
}

// say appends messages. Those of the assistant begin with <.
func say(t *testing.T, s *pith.Session, texts ...string) {
	t.Helper()
	for _, text := range texts {
		var m format.Message = format.NewUser(text, time.Now())
		if said, ok := strings.CutPrefix(text, "<"); ok {
			m = &format.Assistant{Content: format.BlockContent(&format.TextBlock{Text: said}), API: "x", Provider: "p", Model: "m", StopReason: "stop", Timestamp: time.Now().UnixMilli()}
		}
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// Two processes append to two sessions. With one key, the page of running sessions shows
// both, and each new line without a key.
func TestWalkWatch(t *testing.T) {
	home, cwd, dir := project(t)
	library(t, cwd, dir)
	command, err := builtCommand()
	if err != nil {
		t.Fatal(err)
	}
	serve := exec.CommandContext(t.Context(), filepath.Join(command, "pith"), "serve", "--json")
	serve.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = serve.Process.Kill()
		_ = serve.Wait()
	})
	late := time.AfterFunc(patience, func() { _ = serve.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if !late.Stop() {
		t.Fatalf("pith serve --json printed no address in %v", patience)
	}
	if err != nil {
		t.Fatal(err)
	}
	var at struct{ URL string }
	if err := json.Unmarshal([]byte(line), &at); err != nil || at.URL == "" {
		t.Fatalf("pith serve --json printed %q: %v", line, err)
	}
	tell := []func(string){agentProcess(t, cwd, dir, "north"), agentProcess(t, cwd, dir, "south")}
	p := browser.Open(t, at.URL, 900, 420)
	p.Wait(`document.querySelectorAll(".list-row").length > 2`)
	p.Do(`document.activeElement.blur()`)
	p.Press("l") // the whole task
	for n := 1; n <= 2; n++ {
		for i, name := range []string{"north", "south"} {
			text := fmt.Sprintf("%s does step %d", name, n)
			tell[i](text)
			p.Wait(fmt.Sprintf(`document.querySelector("#running")?.innerText.includes(%q)`, text))
		}
	}
	picture := func(name string) {
		if *updateWalk {
			put(t, filepath.Join("..", "..", "docs", "explanation", name), string(p.Screenshot()), 0o644)
		}
	}
	picture("walk-live.png")
	for _, task := range []struct{ key, path, sees, picture string }{
		{"u", "/usage", "$", "walk-usage.png"}, {"i", "/inbox", "left unanswered", "walk-inbox.png"}, {"w", "/digest", "make it fast", "walk-digest.png"},
	} {
		p.Do(`location.href = "/"`)
		p.Wait(`location.pathname === "/" && document.querySelectorAll(".list-row").length > 2`)
		p.Do(`document.activeElement.blur()`)
		p.Press(task.key)
		p.Wait(fmt.Sprintf(`location.pathname === %q && document.body.innerText.includes(%q)`, task.path, task.sees))
		picture(task.picture)
	}
}

// agentProcess starts a process that appends to a new session the answers that it is
// told.
func agentProcess(t *testing.T, cwd, dir, name string) (tell func(text string)) {
	t.Helper()
	file := filepath.Join(dir, "2026-01-01T00-00-00-000Z_"+name+".jsonl")
	put(t, file, fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T00:00:00.000Z","cwd":%q}`+"\n", name, cwd), 0o600)
	agent := exec.Command("sh", "-c", `while IFS= read -r line; do printf '%s\n' "$line" >> "$0"; done`, file)
	in, err := agent.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = agent.Wait()
	})
	n, parent := 0, "null"
	return func(text string) {
		n++
		id := fmt.Sprintf("%s%04d", name[:4], n)
		_, err := io.WriteString(in, fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-01T00:00:0%d.000Z","message":{"role":"user","content":%q}}`+"\n", id, parent, n, text))
		if err != nil {
			t.Error(err)
		}
		parent = fmt.Sprintf("%q", id)
	}
}
