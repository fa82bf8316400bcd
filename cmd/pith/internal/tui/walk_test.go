package tui_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// A leg is a part of a task: keys, and what the screen shows after them. Keys are named
// and separated by spaces; text in quotes is typed.
type leg struct{ keys, sees string }

// A task is something that people do with their sessions.
type task struct {
	name   string
	before string // what an earlier version of the app did
	pick   bool   // in pith pick
	legs   []leg
}

// tasks are the tasks of the walk, in the order of the document.
var tasks = []task{
	{"Find a half-remembered phrase", "typed twice: the session opened at its end, without the query", false, []leg{{`"lease is"`, "mails · "}, {"enter", "/lease is  1 of 1"}}},
	{"Read the tool output that matters", "not possible: long lines were cut, and the search stopped once per turn", false, []leg{{`"output 2"`, "question 1 · output 2"}, {"enter", "/output 2  1 of"}}},
	{"Compare two attempts", "not possible in the app", false, []leg{{`"attempt"`, "make it fast · "}, {"enter", "i write"}, {"t", "Session Tree"}, {"d k k d", "Comparison of"}}},
	{"Go back and branch", "possible", false, []leg{{`"attempt"`, "make it fast · "}, {"enter", "i write"}, {"t", "Session Tree"}, {"k k enter", "summar"}, {"enter", "moved to the selected entry"}}},
	{"Share three turns", "not possible: the whole session or one path", false, []leg{{`"lease"`, "mails · "}, {"enter", "i write"}, {"g V V V", "3 turns marked"}, {"alt+e", "Export turns 1,2,3 as"}, {"enter", "Export to"}, {"enter", "exported to"}}},
	{"See what last week cost", "not possible in the app", false, []leg{{"alt+u", "Usage of all sessions in the last 7 days"}}},
	{"Triage what is unfinished", "not possible: no list of them", false, []leg{{"alt+i", "pending"}, {"alt+z", "snoozed until tomorrow"}}},
	{"Tag five sessions, rename one", "possible", false, []leg{{`"chore"`, "chore 5"}, {"alt+v alt+v alt+v alt+v alt+v alt+t", "Tags"}, {`"red" enter`, "#red"}, {"ctrl+r ctrl+u", "Rename"}, {`"chore no" enter`, "chore no"}}},
	{"Resume in pi from a shell pipeline", "not possible: the ID was not shown", true, []leg{{`"lease"`, "mails · "}, {"enter", ""}}},
}

var updateWalk = flag.Bool("update-walk", false, "rewrite the table of docs/explanation/walk.md")

// The keys of each task in the walk lead to its end, and the document has them and their
// number. Rewrite its table with -update-walk.
func TestWalk(t *testing.T) {
	var table strings.Builder
	table.WriteString("| task | keys | number | before |\n|---|---|---|---|\n")
	for i, task := range tasks {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) { task.walk(t) }) // its name is in paths, which the list searches too
		var all []string
		for _, l := range task.legs {
			all = append(all, l.keys)
		}
		fmt.Fprintf(&table, "| %s | `%s` | %d | %s |\n", task.name, strings.Join(all, " "), count(task.legs), task.before)
	}
	file := filepath.Join("..", "..", "..", "..", "docs", "explanation", "walk.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const from, to = "<!-- The table is made by TestWalk. -->\n", "<!-- End of the table. -->\n"
	head, rest, ok := strings.Cut(string(text), from)
	got, tail, done := strings.Cut(rest, to)
	if !ok || !done {
		t.Fatalf("%s has no place for the table", file)
	}
	if *updateWalk {
		if err := os.WriteFile(file, []byte(head+from+table.String()+to+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != table.String() {
		t.Errorf("the table of %s is\n%s\nwant\n%s", file, got, table.String())
	}
}

// split calls do for each key and each typed text.
func (l leg) split(key, text func(string)) {
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

func (task *task) walk(t *testing.T) {
	d := newDesk(t)
	d.branched()
	worked := d.worked(4)
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(worked, old, old); err != nil {
		t.Fatal(err)
	}
	d.session("", "customers get two mails", "<The lease is too short for slow mail servers.", "mend it", "<done", "add a test", "<tested")
	for i := 1; i <= 5; i++ {
		d.session(fmt.Sprint("chore ", i), "do it", "<done")
	}
	d.session("", "pending")
	dir := t.TempDir()
	d.start(func(c *tui.Config) {
		c.Pick = task.pick
		c.Now = time.Now
		c.Marks = func() (*marks.Collection, error) { return marks.Open(dir) }
		c.Usage = func(context.Context) ([]view.Usage, error) { return nil, nil }
	})
	d.sees("chore 1")
	for _, l := range task.legs {
		l.split(func(name string) { d.press(name) }, d.writes)
		if l.sees == "" {
			d.pump("wait for the end", func() bool { return d.ended })
		} else {
			d.sees(l.sees)
		}
	}
}

// branched writes a session with two attempts.
func (d *desk) branched() {
	d.t.Helper()
	s, err := pith.Create(pith.Options{Cwd: d.cwd, Dir: d.env().Place(d.cwd).For(d.cwd)})
	if err != nil {
		d.t.Fatal(err)
	}
	var first string
	for i, text := range []string{"make it fast", "<how?", "first attempt", "<slow"} {
		id, err := s.AppendMessage(context.Background(), message(text))
		if err != nil {
			d.t.Fatal(err)
		}
		if i == 1 {
			first = id
		}
	}
	if err := s.Branch(first); err != nil {
		d.t.Fatal(err)
	}
	for _, text := range []string{"second attempt", "<fast"} {
		if _, err := s.AppendMessage(context.Background(), message(text)); err != nil {
			d.t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		d.t.Fatal(err)
	}
	old := time.Now().Add(-3 * time.Hour)
	if err := os.Chtimes(s.File(), old, old); err != nil {
		d.t.Fatal(err)
	}
}
