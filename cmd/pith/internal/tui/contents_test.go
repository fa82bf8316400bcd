package tui_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/format"
)

// worked writes a session of several turns: each edits a file, the second one
// fails, and each costs something.
func (d *desk) worked(turns int) string {
	d.t.Helper()
	clock := func() time.Time { return time.Date(2026, 2, 3, 9, 1, 0, 0, time.Local) }
	s, err := pith.Create(pith.Options{Now: clock, Cwd: d.cwd, Dir: d.env().Place(d.cwd).For(d.cwd)})
	if err != nil {
		d.t.Fatal(err)
	}
	for i := 1; i <= turns; i++ {
		when := time.Date(2026, 2, 3, 9, i, 0, 0, time.Local)
		call := &format.ToolCallBlock{ID: fmt.Sprintf("c%d", i), Name: "edit", Arguments: json.RawMessage(fmt.Sprintf(`{"path":"file%d.go","oldText":"a","newText":"b"}`, i))}
		for _, m := range []format.Message{
			format.NewUser(fmt.Sprintf("question %d", i), when),
			&format.Assistant{Content: format.BlockContent(call), API: "x", Provider: "p", Model: "m", StopReason: "toolUse", Timestamp: when.UnixMilli(),
				Usage: format.Usage{Input: 1000, Output: 10, TotalTokens: 1010, Cost: format.Cost{Total: 0.25 * float64(i)}}},
			&format.ToolResult{ToolCallID: call.ID, ToolName: "edit", Content: format.BlockContent(&format.TextBlock{Text: fmt.Sprintf("output %d", i)}), IsError: i == 2, Timestamp: when.UnixMilli()},
			message(fmt.Sprintf("<%sanswer %d", strings.Repeat("more\n\n", 30), i)),
		} {
			if _, err := s.AppendMessage(context.Background(), m); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	if err := s.Close(); err != nil {
		d.t.Fatal(err)
	}
	return s.File()
}

// X2: the contents next to the conversation list the turns; Enter goes to one.
func TestContents(t *testing.T) {
	d := newDesk(t)
	file := d.worked(4)
	d.start(func(c *tui.Config) { c.Open = file })
	d.resize(120, 30)
	d.sees("answer 4")
	d.press("c")
	d.sees("› 4 question 4")
	d.sees("±1 $1.000")
	d.sees("file4.go")
	d.sees("✗1 ±1 $0.500") // of turn 2
	d.press("k k")
	d.sees("› 2 question 2")
	d.sees("file2.go")
	d.press("enter")
	d.sees("› ▎ question 2")
	d.press("g enter")
	d.sees("› ▎ question 1")
	for _, width := range []int{100, 60, 20, 120} { // resized while it is open
		d.resize(width, 20)
		if got := d.screen(); !strings.Contains(got, "Contents") {
			t.Errorf("%d columns:\n%s", width, got)
		}
	}
	d.resize(20, 5)
	d.screen()
	d.resize(60, 20)
	d.press("j enter") // in a narrow window the contents close
	d.sees("› ▎ question 2")
	d.gone("Contents")
	d.press("c")
	d.sees("Contents")
	d.press("esc")
	d.gone("Contents")
	d.sees("question 2") // Esc closed the contents alone
}

// X10: the tree compares the paths to two entries.
func TestCompareEntries(t *testing.T) {
	d := newDesk(t)
	file := d.worked(3)
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer 3")
	d.press("t")
	d.sees("Session Tree")
	d.sees("user: question 3")
	d.press("d g d")
	d.sees("Comparison of")
	d.sees("in common")
	d.sees("2 turns since then")
	d.sees("question 3 (1 tool call)")
	d.sees("file3.go")
	d.press("x")
	d.sees("Session Tree") // it stays
}

// A session that is deleted while it is open, a tiny window and wide letters: the
// contents neither fail nor act on anything else.
func TestContentsOfADeletedSession(t *testing.T) {
	d := newDesk(t)
	file := d.session("", strings.Repeat("設定 👩‍💻 ", 40), "<answer one")
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer one")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	d.sees("the session file was deleted")
	d.press("c")
	d.sees("設定")
	for _, size := range [][2]int{{20, 5}, {1, 1}, {60, 20}, {120, 30}} {
		d.resize(size[0], size[1])
		for line := range strings.SplitSeq(d.screen(), "\n") {
			if termsafe.Width(line) > size[0] {
				t.Errorf("at %d columns: %q", size[0], line)
			}
		}
	}
	d.press("enter esc")
	if files := d.files(); len(files) != 0 {
		t.Errorf("there are %q", files)
	}
}
