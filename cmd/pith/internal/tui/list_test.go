package tui_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// The text of sessions is found from the list, with an index and without, and
// the session opens at the match.
func TestSearchOfTexts(t *testing.T) {
	index, err := search.OpenIndex(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() }) // it can be made again
	for name, words := range map[string]func() *search.Index{"no index": nil, "index": func() *search.Index { return index }} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			long := []string{"first question", "<the answer is zirconium, of course"}
			for range 60 {
				long = append(long, "and then?", "<and so on")
			}
			d.session("Minerals", long...)
			d.session("Other", "something", "<else")
			d.start(func(c *tui.Config) { c.App.Words = words })
			d.sees("Minerals")
			d.press("z i r c o n")
			d.sees("response  the answer is zirconium, of course")
			d.gone("Other")
			d.press("enter")
			d.sees("› the answer is zirconium")
			d.press("esc")       // one step, as the search was made there
			d.sees("> zircon")   // as it was left
			d.press("m i n e r") // takes its place
			d.sees("› π Minerals")
			d.press("enter") // the name fits: the end is shown
			d.sees("◆ current")
		})
	}
}

// A match in the first message opens there, and n continues with the same
// search.
func TestSearchGoesOnInTheSession(t *testing.T) {
	d := newDesk(t)
	long := []string{"why do customers complain?", "<they wait"}
	for range 40 {
		long = append(long, "and then?", "<and so on")
	}
	d.session("", append(long, "the customers again", "<yes")...)
	d.start(nil)
	d.sees("why do customers")
	d.writes("customers complain")
	d.sees("> customers complain")
	d.press("enter")
	d.sees("▎ why do customers complain?")
	d.sees("/customers complain")
	d.sees("1 of 1")
	d.press("/")
	d.writes("customers")
	d.press("enter")
	d.sees("1 of 2")
	d.press("n")
	d.sees("2 of 2")
	d.sees("▎ the customers again")
}

// Canceling a fork returns to the list; a clone has a name of its own.
func TestForkAndCloneFromTheList(t *testing.T) {
	d := newDesk(t)
	d.session("Parser", "one", "<answer one")
	d.start(nil)
	d.sees("Parser")
	d.press("up space f")
	d.sees("Fork before a prompt")
	d.press("esc")
	d.sees("› π Parser")
	d.sees("Sessions · ")
	d.press("up space c")
	d.sees("▎ one")
	d.press("esc")
	d.sees("Parser (copy)")
}

func TestFromTheList(t *testing.T) {
	d := newDesk(t)
	file := d.session("Parser", "one", "<answer one", "two", "<answer two")
	d.start(nil)
	d.sees("Parser")
	d.press("up space x")
	d.sees("> parser.html")
	d.press("ctrl+u")
	d.types("parser.jsonl")
	d.sees("exported to ~/proj/parser.jsonl")
	if got := d.texts(filepath.Join(d.cwd, "parser.jsonl")); len(got) != 4 {
		t.Errorf("exported %q", got)
	}
	d.press("up space c")
	d.sees("▎ two")
	if got := len(d.files()); got != 2 {
		t.Errorf("%d sessions after a clone, want 2", got)
	}
	d.press("esc")
	d.sees("↳ Parser (copy)")
	d.press("up space f")
	d.sees("Fork before a prompt")
	d.press("enter")
	d.sees("forked to a new session")
	d.press("ctrl+c esc up esc")
	d.sees("Sessions · ")
	d.press("up space n")
	d.sees("no messages yet")
	if got := d.texts(file); len(got) != 4 {
		t.Errorf("the session changed: %q", got)
	}
}

// Where there is nothing yet a session can be begun.
func TestBeginWithNothing(t *testing.T) {
	d := newDesk(t)
	d.start(nil)
	d.sees("No sessions yet")
	d.press("up space n")
	d.sees("no messages yet")
	d.sees("proj › new session")
	if got := d.files(); len(got) != 0 {
		t.Errorf("a session without words was saved: %q", got)
	}
}

// pi's settings for the tree and Esc apply here too.
func TestSettings(t *testing.T) {
	for setting, want := range map[string]string{
		`{"treeFilterMode":"user-only","doubleEscapeAction":"tree"}`: "[Prompts]",
		`{"doubleEscapeAction":"fork"}`:                              "Fork before a prompt",
	} {
		d := newDesk(t)
		d.configure("settings.json", setting)
		file := d.session("", "one", "<answer one")
		d.start(func(c *tui.Config) { c.Open = file })
		d.sees("answer one")
		d.press("i esc esc") // in an empty input
		d.sees(want)
	}
	d := newDesk(t)
	d.configure("settings.json", `{"doubleEscapeAction":"none"}`)
	file := d.session("", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	d.press("i esc ?")
	d.sees("input: nothing")
}

// configure writes a file into pi's directory.
func (d *desk) configure(name, text string) {
	d.t.Helper()
	dir := filepath.Join(d.home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// Help is on every screen, scrolls where the window is low, and can be searched.
func TestHelp(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	d.resize(60, 12)
	d.press("?")
	d.sees("↑ ↓ scroll")
	if strings.Contains(d.screen(), "thinking level") {
		t.Fatalf("all of the help fits:\n%s", d.screen())
	}
	for range 8 {
		d.update(tea.KeyPressMsg{Code: tea.KeyPgDown})
	}
	d.sees("interrupted, failed")
	d.press("k / t h i n k")
	d.sees("thinking level")
	d.gone("interrupted, failed")
	d.press("esc esc t")
	d.sees("› tree")
	d.press("?")
	d.sees("pith · tree of “one”")
	d.press("esc esc")
	d.gone("› tree")
	d.press("esc")
	d.sees("Sessions · ")
	d.press("?")
	d.sees("pith · sessions")
}

// A session that cannot be opened leaves the list.
func TestNotOpened(t *testing.T) {
	d := newDesk(t)
	d.session("Good", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = filepath.Join(d.home, "nothing.jsonl") })
	d.sees("no such file")
	d.sees("Good")
}

// A11: things that hung or hid trees in other programs: duplicate IDs, cycles,
// entries that are their own parents, chains of thousands, many roots.
func TestOddTrees(t *testing.T) {
	line := func(id, parent, text string) string {
		if parent != "null" {
			parent = `"` + parent + `"`
		}
		return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"` + text + `","timestamp":1}}`
	}
	var deep []string
	parent := "null"
	for i := range 5000 {
		id := strconv.Itoa(i)
		deep = append(deep, line(id, parent, "step "+id))
		parent = id
	}
	for name, lines := range map[string][]string{
		"twice":  {line("a", "null", "first"), line("b", "a", "second"), line("a", "b", "first again"), line("c", "a", "last words")},
		"circle": {line("a", "b", "first"), line("b", "a", "second"), line("c", "b", "last words")},
		"self":   {line("a", "a", "first"), line("b", "a", "last words")},
		"roots":  {line("a", "null", "first"), line("b", "gone", "second"), line("c", "null", "last words")},
		"deep":   append(slices.Clone(deep), line("end", parent, "last words")),
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			header := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"` + d.cwd + `"}`
			file := filepath.Join(d.home, "odd.jsonl")
			if err := os.WriteFile(file, []byte(header+"\n"+strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			d.start(func(c *tui.Config) { c.Open, c.Tree = file, true })
			d.sees("› tree")
			d.sees("last words")
			d.press("up up down down tab")
			d.sees("[Prompts]")
			d.press("/")
			d.types("first")
			d.gone("Reading")
		})
	}
}

// A search finds every session, however often the words occur in another one,
// and wherever they are: in parts, far apart, in the name.
func TestTheSearchIsComplete(t *testing.T) {
	d := newDesk(t)
	d.session("Older one", "where is the checkpoint?", "<in the tokenizer")
	d.session("Somewhere else", "hello", "<hello to you")
	var often []string
	for i := range 400 {
		often = append(often, fmt.Sprintf("checkpoint %d", i), "<it is saved")
	}
	d.session("Often", often...)
	d.start(nil)
	d.sees("Somewhere else")
	d.press("h e c k p o i n t")
	d.gone("Somewhere else")
	d.sees("Often")
	d.sees("Older one")
	d.press("space o k e n")
	d.gone("Often")
	d.sees("Older one")
	d.press("space O l d e")
	d.gone("searching texts…")
	d.sees("Older one")
}

// The preview shows the match of a search, also on an abandoned branch, and
// opening the session goes there.
func TestWhatWasFoundIsShown(t *testing.T) {
	d := newDesk(t)
	file := d.session("Two ways", "first question", "<first answer", "the left path", "<zebra on the branch that was left")
	s, err := pith.Open(t.Context(), file, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.View().PathIDs(s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Branch(path[1]); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"the other path", "<nothing special here", "and more", "<last words"} {
		if _, err := s.AppendMessage(t.Context(), message(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d.start(nil)
	d.resize(130, 40)
	d.sees("│ last words")
	d.press("e b r a")
	d.sees("│ zebra on the branch")
	d.sees("│ ▎ the left path")
	d.press("enter")
	d.sees("▎ the left path")
	d.sees("zebra on the branch")
	d.gone("the other path")
	d.close()
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("looking has changed the file: %v, %q", err, strings.TrimPrefix(string(after), string(before)))
	}
}

// Writing on an abandoned branch continues from there.
func TestGoingOnFromABranchThatWasLeft(t *testing.T) {
	server := llmtest.NewServer()
	defer server.Close()
	server.Answer(llmtest.Text("zebras have stripes"))
	d := newDesk(t)
	d.withModel(server)
	file := d.session("", "one", "<answer one", "two", "<answer two")
	s, err := pith.Open(t.Context(), file, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.View().PathIDs(s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Branch(path[1]); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), message("elsewhere")); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	d.start(func(c *tui.Config) { c.Open, c.Entry = file, path[2] })
	d.sees("▎ two")
	d.sees("not the current branch")
	d.types("and zebras?")
	d.sees("zebras have stripes")
	d.pump("the answer to be kept", func() bool {
		return slices.Equal(d.texts(file), []string{"one", "<answer one", "two", "<answer two", "and zebras?", "<zebras have stripes"})
	})
}

// The list is as it was left: what was typed, which session is selected, whose
// sessions are shown. Esc goes back to it from a session that was chosen there, and
// from it ends the app.
func TestBackToTheList(t *testing.T) {
	d := newDesk(t)
	for _, name := range []string{"alpha", "beta", "gamma"} {
		d.session(name, "one", "<answer of "+name)
	}
	d.start(nil)
	d.sees("alpha")
	d.gone("reading")
	d.press("tab")
	d.sees("Sessions · all projects")
	d.gone("reading")
	d.press("a")
	for range 3 {
		if !strings.Contains(d.screen(), "› π beta") {
			d.press("down")
		}
	}
	d.sees("› π beta")
	d.press("enter")
	d.sees("▎ one")
	d.press("esc")
	d.sees("Sessions · all projects")
	d.sees("> a")
	d.sees("› π beta")
	d.gone("reading")
	d.sees("› π beta")
	d.press("enter")
	d.sees("▎ one")
	d.press("i esc esc") // twice in an empty input is the tree, as in pi
	d.sees("› tree")
	d.press("esc")
	d.gone("› tree")
	d.press("esc")
	d.sees("› π beta")
	d.press("?") // what was typed is over
	d.sees("esc close")
	d.press("esc")
	d.sees("› π beta")
	d.press("esc") // the search; with it the program does not end
	d.gone("> a")
	if d.ended {
		t.Fatal("Esc ended the app while something was typed")
	}
	d.press("esc")
	d.pump("the end", func() bool { return d.ended })
}

// Commands are listed as soon as a slash is written, and fewer with each letter.
func TestCommandsAreListed(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	d.press("i /")
	d.sees("› /compact    [instructions]")
	d.sees("/thinking   [level]")
	d.press("c o m")
	d.gone("/thinking")
	d.sees("2 of 16 commands")
	d.press("down tab")
	d.sees("> /compare") // it is written
	d.press("esc")
	d.gone("of 16 commands")
	d.sees("> /compare") // the text stays
}

// The figures in the footer are updated live.
func TestFiguresAreLive(t *testing.T) {
	server := llmtest.NewServer()
	defer server.Close()
	hold := make(chan struct{})
	defer close(hold)
	server.Answer(llmtest.Call("c1", "nosuch", `{}`).Tokens(1000, 50), llmtest.Text("done").HoldAt(200, hold))
	d := newDesk(t)
	d.withModel(server)
	file := d.session("", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("4 of 200k context")
	d.types("go on")
	d.gone("4 of 200k context")
	d.sees(" of 200k") // while the model still works
	d.sees("working, esc stops")
	d.press("esc")
	d.sees("interrupted")
}

// The most recent session is the one in which something was said last, not the one
// whose file was written last.
func TestMostRecentFirst(t *testing.T) {
	d := newDesk(t)
	dir := d.env().Place(d.cwd).For(d.cwd)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, said := range []string{"2026-03-02", "2026-03-01"} {
		text := fmt.Sprintf(`{"type":"session","version":3,"id":"s%d","timestamp":"2026-01-01T00:00:00.000Z","cwd":%q}`+"\n", i, d.cwd) +
			fmt.Sprintf(`{"type":"message","id":"a1","parentId":null,"timestamp":"%[1]sT00:00:00.000Z","message":{"role":"user","content":"said on %[1]s"}}`+"\n", said)
		path := filepath.Join(dir, fmt.Sprintf("s%d.jsonl", i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 4, 1+i, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	d.start(nil)
	d.sees("said on 2026-03-01")
	d.sees("› π said on 2026-03-02")
}

// The picker sorts the whole list for each batch. Together that costs a few
// times the sorting of the complete list, however fast sessions arrive.
func TestBatchesOfALongList(t *testing.T) {
	const sessions = 100_000
	for _, each := range []time.Duration{0, time.Microsecond, 20 * time.Microsecond, time.Millisecond} {
		sorted, batch, sent, waited := 0, 0, 0, time.Duration(0)
		for range sessions {
			batch++
			waited += each
			if tui.Due(batch, sent, waited) {
				sent += batch
				sorted += sent
				batch, waited = 0, 0
			}
		}
		// A second of sorting 100,000 sessions for each minute of slow listing.
		most := 4*sessions + int(each*sessions/time.Second)*10*sessions
		if sent == 0 || sorted > most {
			t.Errorf("with %v for each session, %d sessions are sorted %d times; want at most %d", each, sessions, sorted, most)
		}
	}
}

// A file that is not a session any more, because another program wrote over it, is not
// moved to the trash.
func TestDeleteRefusesOtherFiles(t *testing.T) {
	for _, text := range []string{"notes\n", `{"type":"user","message":{"content":"of another agent"}}` + "\n", ""} {
		t.Run(fmt.Sprintf("%.8q", text), func(t *testing.T) {
			d := newDesk(t)
			file := d.session("Parser", "one", "<answer one")
			d.start(nil)
			d.sees("Parser")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			d.press("ctrl+d y")
			d.pump("an answer", func() bool {
				return strings.Contains(d.screen(), "not a session") || strings.Contains(d.screen(), "Moved to the trash")
			})
			if got, err := os.ReadFile(file); err != nil || string(got) != text {
				t.Errorf("the file has %q, %v", got, err)
			}
		})
	}
}

// Esc leaves the input and keeps the text, also for a session that was opened by its
// name, from which Esc leads to the list.
func TestEscKeepsTheDraft(t *testing.T) {
	d := newDesk(t)
	other := d.session("Other", "elsewhere", "<far")
	file := d.session("Mine", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	d.press("i")
	d.writes("half a thought")
	d.press("esc")
	d.sees("i write (draft)")
	d.press("q")
	d.sees("Quit and discard the unsent text?")
	d.press("esc i")
	d.sees("half a thought")
	d.press("esc esc")
	d.sees("Sessions · ")
	d.sees("Other")
	d.press("down enter")
	d.sees("far")
	if strings.Contains(d.screen(), "half a thought") || strings.Contains(d.screen(), "draft") {
		t.Errorf("the text is in another session, %s:\n%s", other, d.screen())
	}
	d.press("esc")
	d.sees("Sessions · ")
	d.press("up enter")
	d.sees("i write (draft)")
	d.press("i")
	d.sees("half a thought")
}
