package conversation_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// A search stops at each occurrence: in a question, twice in one line of output,
// in arguments and in the response.
func TestSearchStopsAtEachOccurrence(t *testing.T) {
	d := start(t, 60, 12, exchange(0, ask("why is the lease lost?"),
		call("bash", `{"command":"grep -rn lease ."}`, "a.go: lease, Lease\nb.go: nothing\n", false),
		answer("The lease expires.")), exchange(1, ask("more"), answer("Renew the lease.")))
	d.source = func(string) []conversation.Place {
		return []conversation.Place{{Turn: 0}, {Turn: 1}}
	}
	d.press("g / l e a s e enter")
	for i, want := range []string{"1 of 6", "2 of 6", "3 of 6", "4 of 6", "5 of 6", "6 of 6", "1 of 6"} {
		view := d.view(60, 12) + d.state()
		if !strings.Contains(view, "/lease  "+want) {
			t.Fatalf("after %d steps: no %q in\n%s", i, want, view)
		}
		current := d.current(60, 12)
		if !strings.EqualFold(current, "lease") {
			t.Errorf("after %d steps the current match is %q", i, current)
		}
		d.press("n")
	}
	d.press("N N")
	if view := d.view(60, 12) + d.state(); !strings.Contains(view, "6 of 6") || !strings.Contains(view, "Renew the lease.") {
		t.Errorf("one back from the first:\n%s", view)
	}
}

// current returns the text that is drawn as the current match.
func (d *desk) current(width, height int) string {
	_, rest, _ := strings.Cut(strings.Join(d.m.Lines(paint.New(true, paint.Full), width, height), "\n"), "\x1b[1;4;48;2;217;138;0m")
	text, _, _ := strings.Cut(rest, "\x1b[0m")
	return text
}

// A match beyond the lines that an unfolded output shows is shown all the same.
func TestSearchShowsTheEndOfLongOutput(t *testing.T) {
	d := start(t, 60, 12, exchange(0, ask("run it"),
		call("bash", `{"command":"make"}`, strings.Repeat("nothing\n", 900)+"the needle\n"+strings.Repeat("nothing\n", 50), false)))
	d.source = func(string) []conversation.Place { return []conversation.Place{{Turn: 0}} }
	d.press("/ n e e d l e enter")
	d.sees("1 of 1", "the needle")
}

// A search that starts at a match shows that one, and n continues from there.
func TestSearchStartsAtAMatch(t *testing.T) {
	d := start(t, 60, 12, append(talk(50), exchange(50, ask("the lease"), answer("a lease"), answer("no lease")))...)
	d.source = func(string) []conversation.Place { return []conversation.Place{{Turn: 50}} }
	d.run(d.m.Search("lease", &conversation.Place{Turn: 50, EntryID: "e50-1"}))
	d.sees("2 of 3", "a lease")
	d.press("n")
	d.sees("3 of 3")
	d.run(d.m.Restart(d, 51))
	d.run(d.m.Search("lease", nil)) // stays at the end until n
	d.sees("3 found", "no lease")
	d.press("n")
	d.sees("1 of 3")
}

// Long lines of output are wrapped.
func TestLongLinesAreWrapped(t *testing.T) {
	long := strings.Repeat("word ", 40) + "last"
	d := start(t, 60, 30, exchange(0, ask("run it"), call("bash", `{"command":"make"}`, long, false),
		call("edit", `{"path":"x","oldText":"a","newText":"`+long+`2"}`, "done", false)))
	d.press("e")
	if view := d.view(60, 30); !strings.Contains(view, "       last\n") || !strings.Contains(view, "last2\n") {
		t.Errorf("the end of a long line is not shown:\n%s", view)
	}
}

// G selects the last item and g the first; steps start there.
func TestEndsAreSelected(t *testing.T) {
	d := start(t, 60, 10, talk(30)...)
	d.press("G")
	if got := d.selected(); got != "answer 29" {
		t.Errorf("G selects %q", got)
	}
	d.press("up")
	if got := d.selected(); got != "▎ question 29" {
		t.Errorf("one back from the last is %q", got)
	}
	d.press("G [")
	if got := d.selected(); got != "▎ question 29" {
		t.Errorf("the prompt before the last response is %q", got)
	}
	d.press("[")
	if got := d.selected(); got != "▎ question 28" {
		t.Errorf("the prompt before it is %q", got)
	}
	d.press("]")
	if got := d.selected(); got != "▎ question 29" {
		t.Errorf("the prompt after it is %q", got)
	}
	d.press("g")
	if got := d.selected(); got != "▎ question 0" {
		t.Errorf("g selects %q", got)
	}
	d.press("right")
	if got := d.selected(); got != "answer 0" {
		t.Errorf("the block after the first is %q", got)
	}
	d.press("G y")
	if len(d.told) != 1 {
		t.Errorf("y told %v", d.told)
	}
}

// selected returns the line with the cursor.
func (d *desk) selected() string { return d.selectedIn(60, 10) }
