package tui_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm/llmtest"
	"github.com/pith-sessions/pith/sessiondir"
)

func TestFromThePickerToTheSession(t *testing.T) {
	d := newDesk(t)
	d.session("", "first question", "<first answer")
	d.session("Parser bug", "why Tuesdays?", "<because of **time zones**")
	d.start(nil)
	d.sees("Parser bug")
	d.sees("first question")
	d.press(`" P a r "`) // without quotes, letters of the path would do
	d.gone("first question")
	d.press("enter")
	d.sees("time zones")
	d.sees("▎ why Tuesdays?")
	d.press("?")
	d.sees("esc close")
	d.press("esc")
	d.gone("esc close")
	d.press("q")
	d.pump("the end", func() bool { return d.ended })
	if bye := d.app.Farewell(); bye.Cancelled {
		t.Errorf("farewell %+v", bye)
	}
}

func TestLeavingThePickerEnds(t *testing.T) { // pitfall 148
	d := newDesk(t)
	d.start(nil)
	d.sees("No sessions yet")
	d.press("esc")
	d.pump("the end", func() bool { return d.ended && d.app.Farewell().Cancelled })
}

func TestTreeTakesAMessageBack(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one", "two", "<answer two")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer two")
	d.press("t")
	d.sees("› tree")
	d.sees("● two")
	d.press("[ enter") // the prompt "two"
	d.sees("─ Go back ")
	d.press("enter")
	d.sees("Went back")
	d.gone("answer two")
	if got := d.screen(); !strings.Contains(got, "two") {
		t.Errorf("the message is not in the editor:\n%s", got)
	}
	if got, want := d.texts(file), []string{"one", "<answer one", "two", "<answer two"}; !slices.Equal(got, want) {
		t.Errorf("the file changed at once: %q", got) // nothing is written by moving
	}
	if err := d.app.Close(); err != nil {
		t.Fatal(err)
	}
	if got, want := d.texts(file), []string{"one", "<answer one"}; !slices.Equal(got, want) {
		t.Errorf("the position was not recorded: %q, want %q", got, want)
	}
}

func TestSummaryOfABranch(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one", "mend the parser in parser.go", "<I mended it")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("I mended it")
	d.press("t")
	d.sees("● one")
	d.press("up up enter") // response one
	d.sees("─ Go back ")
	d.press("s") // with a summary without a model: there is no model
	d.sees("summary of a branch")
	s, err := pith.Open(t.Context(), file, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	leaf, err := s.Entry(s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	if sum, ok := leaf.(*format.BranchSummary); !ok || !strings.Contains(sum.Summary, "parser") {
		t.Errorf("the leaf is %#v", leaf)
	}
}

func TestLabelInTheTree(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	d.press("t")
	d.sees("● one")
	d.press("up L m a r k enter")
	d.sees("[mark]")
	d.press("shift+tab")
	d.sees("[Labeled 1]")
	d.press("esc")
	d.sees("[mark]") // on the page too
	d.press("ctrl+z")
	d.sees("The label is as before")
	d.gone("[mark]")
}

// The response next to the tree is rendered, not shown as raw text.
func TestAnswersBesideTheTree(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<It is **bold**:\n\n- `first`\n- second")
	d.start(func(c *tui.Config) { c.Open, c.Tree = file, true })
	d.resize(140, 30)
	d.sees("│ It is bold:")
	d.sees("│ • first")
}

// A label is set at the current entry as people see it, also if its position
// was recorded, or it had a label before.
func TestLabelWhereTheSessionStands(t *testing.T) {
	d := newDesk(t)
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
	if err := s.Close(); err != nil { // which marks the position
		t.Fatal(err)
	}
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	d.gone("answer two")
	d.press("i")
	for _, label := range []string{"here", "there"} {
		d.types("/label " + label)
		d.sees("[" + label + "]")
	}
	d.types("/label " + path[0] + " the beginning")
	d.sees("[the beginning]")
	d.types("/label @root -")
	d.gone("[the beginning]")
	d.types("/label")
	d.sees("label: there")
	s, err = pith.Open(t.Context(), file, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := s.View().Label(path[1]); got != "there" {
		t.Errorf("the entry is labelled %q, want %q", got, "there")
	}
}

func TestCommands(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one", "two", "<answer two")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer two")
	d.press("i")
	d.types("/name A good name")
	d.sees("A good name")
	d.types("/session")
	d.sees("4 (2 user, 2 assistant")
	d.press("esc")
	d.types("/nonsense")
	d.sees("unknown command /nonsense")
	d.press("ctrl+c")
	d.types("/export out.jsonl")
	d.sees("exported to ~/proj/out.jsonl")
	if got, want := d.texts(filepath.Join(d.cwd, "out.jsonl")), []string{"one", "<answer one", "two", "<answer two"}; !slices.Equal(got, want) {
		t.Errorf("exported %q, want %q", got, want)
	}
	d.types("/export out.jsonl")
	d.sees("the file already exists")
	d.types("/fork")
	d.sees("› two")
	d.press("enter")
	d.sees("forked to a new session")
	d.gone("answer two")
	d.press("ctrl+c")
	d.types("/clone")
	d.sees("cloned to a new session")
	if got := len(d.files()); got != 3 {
		t.Errorf("%d files after a fork and a clone, want 3", got)
	}
	for _, f := range d.files() {
		if f != file {
			if got, want := d.texts(f), []string{"one", "<answer one"}; !slices.Equal(got, want) {
				t.Errorf("%s holds %q, want %q", f, got, want)
			}
		}
	}
	d.types("/delete")
	d.sees("Move this session to the trash?")
	d.press("y")
	d.sees("Sessions · ")
	d.pump("the file to be gone", func() bool { return len(d.files()) == 2 })
}

func TestCompactWithoutAModel(t *testing.T) {
	d := newDesk(t)
	texts := []string{}
	for i := range 40 {
		texts = append(texts, fmt.Sprintf("question %d %s", i, strings.Repeat("words ", 400)), fmt.Sprintf("<answer %d %s", i, strings.Repeat("words ", 400)))
	}
	file := d.session("", texts...)
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer 39")
	d.press("i")
	d.types("/compact what matters is words")
	d.sees("compacted:")
	d.sees("▸ compacted")
	d.types("/compact")
	d.sees("nothing to compact")
}

// pitfall 151: asked once, when something is to run, and remembered. Looking asks
// nothing.
func TestAWorkingDirectoryThatIsGone(t *testing.T) {
	server := llmtest.NewServer()
	defer server.Close()
	server.Answer(llmtest.Text("here I am"), llmtest.Text("and here again"), llmtest.Text("a third time"))
	d := newDesk(t)
	d.withModel(server)
	file := d.session("", "one", "<answer one")
	if err := os.Remove(d.cwd); err != nil {
		t.Fatal(err)
	}
	asked := map[string]string{}
	open := func(c *tui.Config) {
		c.Open, c.Cwd = file, d.home
		c.Setup = func(cwd string) *userconfig.Setup { return userconfig.Read(d.env(), cwd) }
		c.Remembered = func(cwd string) (string, bool) { v, ok := asked[cwd]; return v, ok }
		c.Remember = func(cwd, instead string) { asked[cwd] = instead }
	}
	d.start(open)
	d.sees("answer one")
	d.types("where are you?")
	d.sees("The project directory is gone")
	d.press("esc")
	d.sees("where are you?") // nothing is lost
	d.press("enter")
	d.sees("The project directory is gone")
	d.press("enter")
	d.sees("here I am")
	again := newDesk(t)
	again.start(open)
	again.sees("here I am")
	again.types("still there?")
	again.sees("and here again")
	asked = map[string]string{}
	fork := newDesk(t)
	fork.start(open)
	fork.sees("and here again")
	fork.types("and in a fork?")
	fork.sees("Fork into " + d.home)
	fork.press("down enter")
	fork.sees("a third time")
	forks, err := filepath.Glob(filepath.Join(fork.env().Place(d.home).For(d.home), "*.jsonl"))
	if err != nil || len(forks) != 1 || len(asked) > 0 {
		t.Fatalf("the forks are %v, %v, with the answers %v; want one fork and no answer", forks, err, asked)
	}
	if h, err := sessiondir.HeaderOf(forks[0]); err != nil || h.Cwd != d.home || h.ParentSession != file {
		t.Errorf("the fork has the header %+v, %v; want the directory %s and the parent %s", h, err, d.home, file)
	}
	tree := newDesk(t)
	tree.start(func(c *tui.Config) { open(c); c.Tree = true })
	tree.sees("› tree") // who only looks is not asked
	tree.sees("and here again")
	agent := newDesk(t)
	agent.start(func(c *tui.Config) { open(c); c.Handover = []string{"no-such-agent"} })
	agent.sees("and here again")
	agent.press("esc o")
	agent.sees("no-such-agent is not installed") // before a question about the directory
}

// A project without sessions lists those of others. A user without sessions sees the
// demo until there is one.
func TestFirstStart(t *testing.T) {
	d := newDesk(t)
	d.session("Elsewhere", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Cwd = d.home })
	d.sees("Elsewhere")
	d.sees("Sessions · all projects")

	none := newDesk(t)
	demo := d.env().Place(d.cwd).For(d.cwd)
	none.start(func(c *tui.Config) {
		c.Demo = func(context.Context) (string, error) { return demo, nil }
	})
	none.sees("Elsewhere")
	none.sees("demo: you have no sessions yet")
	none.gone("custom")
	none.writes("answer")
	none.sees("answer one") // its texts are searched too
	none.press("enter")
	none.sees("▎ one")
	none.press("i")
	none.types("/new") // of the user, not in the demo
	none.sees("new session")
	none.gone("▎ one")
	if files, err := filepath.Glob(filepath.Join(demo, "*.jsonl")); err != nil || len(files) != 1 {
		t.Errorf("the demo has the files %v, %v; want one", files, err)
	}

	again := newDesk(t)
	again.start(func(c *tui.Config) {
		c.Demo = func(context.Context) (string, error) { return demo, nil }
	})
	again.sees("demo: you have no sessions yet")
	again.press("space n")
	again.sees("no messages yet")
	again.press("esc")
	again.sees("demo: you have no sessions yet") // nothing was written
	again.press("space n")
	again.sees("no messages yet")
	again.session("Mine", "two", "<answer two")
	again.press("esc")
	again.sees("Mine")
	again.gone("demo:")

	// A demo that cannot be written leaves the list empty, and says why.
	fails := newDesk(t)
	fails.start(func(c *tui.Config) {
		c.Demo = func(context.Context) (string, error) {
			return "", errors.New("cannot write the demo sessions: read-only")
		}
	})
	fails.sees("cannot write the demo sessions: read-only")
	fails.sees("No sessions yet")
}

func TestFollowingAnotherWriter(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	other, err := pith.Open(t.Context(), file, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.AppendMessage(t.Context(), format.NewUser("written elsewhere", time.Now())); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	d.sees("written elsewhere")
}

// withModel configures a model of a server on loopback.
func (d *desk) withModel(s *llmtest.Server) {
	d.t.Helper()
	dir := filepath.Join(d.home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	text := fmt.Sprintf(`{"providers":{"local":{"baseUrl":%q,"api":"anthropic-messages","apiKey":"k","models":[{"id":"tiny","contextWindow":200000,"maxTokens":8000}]}}}`, s.URL)
	if err := os.WriteFile(filepath.Join(dir, "models.json"), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func TestConversation(t *testing.T) {
	server := llmtest.NewServer()
	defer server.Close()
	hold := make(chan struct{})
	server.Answer(llmtest.Text("It is Tuesday.").Tokens(100, 5), llmtest.Text("slowly, slowly, slowly").HoldAt(400, hold), llmtest.Text("and this too"))
	d := newDesk(t)
	d.withModel(server)
	file := d.session("", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("tiny")
	d.types("what day is it?")
	d.sees("▎ what day is it?")
	d.sees("It is Tuesday.")
	d.pump("the answer to be kept", func() bool { return slices.Contains(d.texts(file), "<It is Tuesday.") })

	d.types("go on")
	d.sees("working, esc stops")
	d.types("and then this") // while the model works
	d.sees("queued: and then this")
	d.press("alt+up")
	d.gone("queued:")
	d.sees("and then this")
	d.press("ctrl+c")
	d.sees("interrupted")
	close(hold)
	d.pump("what was said to be kept", func() bool { return slices.Contains(d.texts(file), "go on") })
	if d.ended {
		t.Error("Esc ended the app")
	}
}

// Terminals send a carriage return for each line end of what is pasted.
func TestPastedLines(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	d.update(tea.PasteMsg{Content: "first\rsecond\r\nthird"})
	d.sees("third")
	if screen := d.screen(); strings.Contains(screen, `\x0d`) || strings.Contains(screen, "second third") || !strings.Contains(screen, "first") {
		t.Errorf("pasted lines are not lines:\n%s", screen)
	}
}

func TestWithoutAModelNothingIsLost(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	d.press("i")
	d.types("hello")
	d.sees("pi is not installed")
	if got := d.screen(); !strings.Contains(got, "hello") {
		t.Errorf("what was typed is gone:\n%s", got)
	}
	if got := d.texts(file); len(got) != 2 {
		t.Errorf("something was written: %q", got)
	}
}

// Windows of any size show the app and never break it.
func TestSizes(t *testing.T) {
	d := newDesk(t)
	file := d.session("名前\x1b[31m", "one 日本語 \x1b]0;x\x07", "<answer "+strings.Repeat("日本語", 100))
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer")
	for _, keys := range []string{"", "?", "esc t", "esc esc", "space"} {
		d.press(keys)
		for _, size := range [][2]int{{20, 10}, {28, 24}, {60, 20}, {130, 50}, {220, 70}} {
			d.resize(size[0], size[1])
			lines := strings.Split(d.screen(), "\n")
			if len(lines) != size[1] {
				t.Errorf("after %q at %v: %d lines", keys, size, len(lines))
			}
			if strings.ContainsAny(d.screen(), "\x1b\x07") {
				t.Errorf("after %q at %v: control characters on the screen", keys, size)
			}
		}
	}
}

func TestNextModel(t *testing.T) {
	server := llmtest.NewServer()
	defer server.Close()
	d := newDesk(t)
	d.withModel(server)
	d.vars["OPENAI_API_KEY"] = "k"
	file := d.session("", "one", "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	before := d.app.View().Content
	d.press("ctrl+p")
	d.sees("model: ")
	if d.app.View().Content == before {
		t.Error("ctrl+p changed nothing")
	}
}

// Keys that are typed before a session is in the trash count too.
func TestUndoWhileDeleting(t *testing.T) {
	d := newDesk(t)
	file := d.session("", "one", "<answer one")
	d.start(nil)
	d.sees("› π one")
	d.press("ctrl+d enter ctrl+z")
	d.sees("Restored “one”")
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}
