package conversation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/screentest"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/inspect"
)

// desk is a screen over exchanges in memory, driven without a program.
type desk struct {
	t         testing.TB
	m         *conversation.Model
	exchanges []*inspect.Turn
	reads     []int
	told      []tea.Msg
	source    func(search string) []conversation.Place // what Find finds, if set
}

func (d *desk) Turn(_ context.Context, i int) (*inspect.Turn, error) {
	d.reads = append(d.reads, i)
	return d.exchanges[i], nil
}

func (d *desk) Find(_ context.Context, search string) ([]conversation.Place, error) {
	if d.source != nil {
		return d.source(search), nil
	}
	var out []conversation.Place
	for i, x := range d.exchanges {
		for _, it := range x.Items {
			if strings.Contains(strings.ToLower(string(it.Text)), strings.ToLower(search)) {
				out = append(out, conversation.Place{Turn: i, EntryID: string(it.EntryID)})
			}
		}
	}
	return out, nil
}

func (d *desk) Holding(id string) (int, bool) {
	for i, x := range d.exchanges {
		for _, it := range x.Items {
			if string(it.EntryID) == id {
				return i, true
			}
		}
	}
	return 0, false
}

func start(t testing.TB, width, height int, exchanges ...*inspect.Turn) *desk {
	d := &desk{t: t, exchanges: exchanges}
	d.m = conversation.New(d, conversation.Options{Keys: keys.Default(), Len: len(exchanges), Home: "/home/ann", Agent: facts.AgentOf("pi")})
	d.run(d.m.Update(tea.WindowSizeMsg{Width: width, Height: height}))
	d.run(d.m.Init())
	return d
}

func (d *desk) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	answer := make(chan tea.Msg, 1)
	go func() { answer <- cmd() }()
	select {
	case msg := <-answer:
		list, several := screentest.Commands(msg)
		switch {
		case msg == nil:
		case several:
			for _, c := range list {
				d.run(c)
			}
		default:
			if _, ok := msg.(transient.News); ok {
				d.told = append(d.told, msg)
			}
			d.run(d.m.Update(msg))
		}
	case <-time.After(time.Minute):
		d.t.Fatal("a command did not end")
	}
}

func (d *desk) press(names string) {
	for _, name := range strings.Fields(names) {
		d.run(d.m.Update(screentest.Key(name)))
	}
}

// view is the screen without colours and without blank lines at its end.
func (d *desk) view(width, height int) string {
	return strings.TrimRight(screentest.Plain(strings.Join(d.m.Lines(paint.New(true, paint.Monochrome), width, height), "\n")), "\n") + "\n"
}

func exchange(n int, items ...inspect.Item) *inspect.Turn {
	for i := range items {
		items[i].EntryID = inspect.Text(fmt.Sprintf("e%d-%d", n, i))
	}
	return &inspect.Turn{Number: n, Items: items}
}

func ask(text string) inspect.Item { return inspect.Item{Kind: inspect.User, Text: inspect.Text(text)} }
func answer(text string) inspect.Item {
	return inspect.Item{Kind: inspect.Response, Text: inspect.Text(text)}
}

func call(name, args, result string, failed bool) inspect.Item {
	return inspect.Item{Kind: inspect.ToolUse, Name: inspect.Text(name), Tool: &inspect.Tool{
		Arguments: json.RawMessage(args), Result: &inspect.Result{Text: inspect.Text(result), IsError: failed},
	}}
}

func talk(n int) []*inspect.Turn {
	out := make([]*inspect.Turn, n)
	for i := range out {
		out[i] = exchange(i, ask(fmt.Sprintf("question %d", i)), answer(fmt.Sprintf("answer %d", i)))
	}
	return out
}

func TestItems(t *testing.T) {
	exit := int64(2)
	d := start(t, 60, 40, exchange(1,
		ask("why do tests fail\non Tuesdays?"),
		inspect.Item{Kind: inspect.Thinking, Text: "let me look\nat the files"},
		call("bash", `{"command":"npm test"}`, "a\nb\nc\n", false),
		call("edit", `{"path":"/home/ann/x.ts"}`, "no match", true),
		inspect.Item{Kind: inspect.Shell, Text: "boom", Bash: &inspect.Bash{Command: "make", ExitCode: &exit}},
		inspect.Item{Kind: inspect.Compaction, Text: "## Goal\nmend", TokensBefore: 51000},
		inspect.Item{Kind: inspect.Custom, Name: "memo", Text: "seen", Hidden: false},
		inspect.Item{Kind: inspect.Custom, Name: "memo", Text: "not seen", Hidden: true},
		inspect.Item{Kind: inspect.ModelChange, Name: "anthropic/x"},
		inspect.Item{Kind: inspect.State, Name: "ext"},
		answer("They use **local** time."),
	))
	want := `   ▎ why do tests fail
   ▎ on Tuesdays?

   ▸ thinking: let me look

   ▾ 2 calls · 1 failed
    ▸ bash   npm test                               3 lines
    ▾ edit   ~/x.ts                              ✗ no match
       no match

   $ make

   ▸ compacted 51k tokens
     ## Goal

   [memo]
   seen

 › They use local time.
`
	got := strings.ReplaceAll(d.view(60, 40), "**", "")
	if got != want {
		t.Errorf("view:\n%s\nwant:\n%s", got, want)
	}
	d.press("e")
	got = d.view(60, 60)
	for _, part := range []string{"▾ thinking", "at the files", "    c\n"} {
		if !strings.Contains(got, part) {
			t.Errorf("unfolded, no %q in\n%s", part, got)
		}
	}
	d.press("e")
	if got = d.view(60, 60); strings.Contains(got, "npm test") || !strings.Contains(got, "▸ 2 calls") || !strings.Contains(got, "✗ no match") {
		t.Errorf("folded, only the failed call is shown:\n%s", got)
	}
}

// More than eight calls fold to their head and the failed ones; the model is named once.
func TestLongRuns(t *testing.T) {
	var items []inspect.Item
	items = append(items, ask("go"))
	for i := range 9 {
		it := call("bash", fmt.Sprintf(`{"command":"step %d"}`, i), "ok", i == 4)
		it.Model = "anthropic/claude-x"
		items = append(items, it)
	}
	last := answer("done")
	last.Model = "anthropic/claude-x"
	d := start(t, 80, 40, exchange(1, append(items, last)...))
	got := d.view(80, 40)
	if strings.Count(got, "bash") != 1 || !strings.Contains(got, "step 4") || !strings.Contains(got, "▸ 9 calls · 1 failed") || strings.Count(got, "claude-x") != 1 {
		t.Errorf("view:\n%s", got)
	}
	d.press("g down down enter")
	if got = d.view(80, 40); strings.Count(got, "bash") != 9 {
		t.Errorf("unfolded:\n%s", got)
	}
}

// Where other branches continue is shown, and b and B go there.
func TestForks(t *testing.T) {
	d := start(t, 80, 20, talk(40)...)
	f := &blocks.Fork{At: "e20-1", Ways: []blocks.Way{{Text: "question 21", Entries: 38, Shown: true, Current: true}, {Text: "another way", Label: "dead end", Entries: 9}}}
	d.run(d.m.SetForks(blocks.Forks{"e20-1": f}))
	d.press("B")
	got := d.view(80, 20)
	for _, want := range []string{" › ├ 2 branches continue here", "● question 21", "current · 38 entries", "○ another way  [dead end]", "9 entries"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if b := d.m.Block(); b == nil || b.Branch != f {
		t.Errorf("selected %+v", b)
	}
	d.press("g b")
	if b := d.m.Block(); b == nil || b.Branch != f {
		t.Errorf("from the start: selected %+v", b)
	}
}

func TestScrollingAndFollowing(t *testing.T) {
	d := start(t, 40, 8, talk(100)...)
	end := d.view(40, 8)
	if !strings.Contains(end, "answer 99") {
		t.Fatalf("the page begins at\n%s", end)
	}
	d.press("pgup up")
	before := d.view(40, 8)
	if before == end {
		t.Error("still at the end after scrolling up")
	}
	d.exchanges = append(d.exchanges, talk(101)[100])
	d.run(d.m.SetSource(d, 101, 2))
	if got := d.view(40, 8); got != before { // S3
		t.Errorf("the page moved when something was appended:\n%s\nwas:\n%s", got, before)
	}
	if _, below := d.m.Position(); below != "2 new entries below: G" {
		t.Errorf("what was appended is counted as %q", below)
	}
	d.press("end")
	if got := d.view(40, 8); !strings.Contains(got, "answer 100") {
		t.Errorf("end shows\n%s", got)
	}
	d.exchanges = append(d.exchanges, talk(102)[101])
	d.run(d.m.SetSource(d, 102, 2))
	if got := d.view(40, 8); !strings.Contains(got, "answer 101") {
		t.Errorf("the page does not follow:\n%s", got)
	}
	d.press("home")
	if got := d.view(40, 8); !strings.HasPrefix(got, " › ▎ question 0\n") {
		t.Errorf("home shows\n%s", got)
	}
	d.press("] ]")
	if got := d.selectedIn(40, 8); !strings.Contains(got, "question 2") {
		t.Errorf("two prompts on:\n%s", got)
	}
	d.press("[")
	if got := d.selectedIn(40, 8); !strings.Contains(got, "question 1") {
		t.Errorf("one prompt back:\n%s", got)
	}
}

// state is what the status line says of a search.
func (d *desk) state() string {
	line, state, _ := d.m.SearchLine(paint.New(true, paint.Monochrome), 60)
	return strings.TrimSpace(paint.Bare(line)) + "  " + state
}

// selectedIn returns the line with the cursor.
func (d *desk) selectedIn(width, height int) string {
	for line := range strings.Lines(d.view(width, height)) {
		if rest, ok := strings.CutPrefix(line, " › "); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// Going down selects every block once, in order, and scrolls through one that does not
// fit.
func TestGoingDownShowsEverything(t *testing.T) {
	long := exchange(30, ask("last question"), answer(strings.Repeat("a line\n\n", 20)+"the end"))
	d := start(t, 40, 6, append(talk(30), long)...)
	d.press("home")
	var seen []string
	all := ""
	for range 90 {
		if now := d.selectedIn(40, 6); now != "" && (len(seen) == 0 || seen[len(seen)-1] != now) {
			seen = append(seen, now)
		}
		all += d.view(40, 6)
		d.press("down")
	}
	for i := range 30 {
		if q := fmt.Sprintf("▎ question %d", i); !slices.Contains(seen, q) {
			t.Errorf("%q never was selected", q)
		}
	}
	if !strings.Contains(all, "the end") {
		t.Error("the end of a long answer was never shown")
	}
}

// A session of many turns takes memory for those near the screen.
func TestFewPartsAreInUse(t *testing.T) {
	var exchanges []*inspect.Turn
	for i := range 3000 {
		exchanges = append(exchanges, &inspect.Turn{Items: []inspect.Item{{Kind: inspect.User, EntryID: inspect.Text(fmt.Sprint(i)), Text: "hello"}}})
	}
	d := start(t, 80, 24, exchanges...)
	for range 200 {
		d.press("pgup")
	}
	if n := d.m.PartsInUse(); n == 0 || n > 500 {
		t.Errorf("%d of %d exchanges are in use", n, len(exchanges))
	}
}

// S2: only what is near is read.
func TestReadsWhatIsNear(t *testing.T) {
	d := start(t, 80, 24, talk(5000)...)
	if len(d.reads) > 10 || slices.Min(d.reads) < 4990 {
		t.Errorf("%d exchanges were read for the end: %v", len(d.reads), d.reads)
	}
	d.reads = nil
	d.press("home")
	if len(d.reads) > 10 || slices.Max(d.reads) > 10 {
		t.Errorf("%d exchanges were read for the beginning: %v", len(d.reads), d.reads)
	}
}

func TestSearch(t *testing.T) {
	d := start(t, 60, 10, talk(200)...)
	d.press("/ 1 7 enter")
	if got := d.view(60, 10); !strings.Contains(got, "answer 17") && !strings.Contains(got, "answer 117") && !strings.Contains(got, "answer 17") {
		t.Errorf("found:\n%s", got)
	}
	if got := d.state(); !strings.Contains(got, " of ") {
		t.Errorf("no count of places in %q", got)
	}
	first := d.view(60, 10)
	d.press("N")
	if d.view(60, 10) == first {
		t.Error("N stays where it is")
	}
	d.press("n")
	if got := d.view(60, 10); got != first {
		t.Errorf("n does not come back:\n%s\nwas:\n%s", got, first)
	}
	if !d.m.EndSearch() || d.m.EndSearch() {
		t.Error("the search must end once")
	}
	d.press("/ q q q enter")
	if got := d.state(); !strings.Contains(got, "not found") {
		t.Errorf("the state is %q", got)
	}
}

func TestShow(t *testing.T) {
	d := start(t, 60, 10, talk(200)...)
	d.run(d.m.Show(conversation.Place{Turn: 40, EntryID: "e40-1"}))
	if got := d.selectedIn(60, 10); got != "answer 40" {
		t.Errorf("selected %q in\n%s", got, d.view(60, 10))
	}
	d.press("y")
	if len(d.told) != 1 {
		t.Errorf("copying told %v", d.told)
	}
}

func TestLiveAnswer(t *testing.T) {
	d := start(t, 60, 12, talk(3)...)
	d.m.Begin(conversation.LiveThinking, "")
	d.m.Grow("let me see")
	d.m.Begin(conversation.LiveText, "")
	d.m.Grow("It is ")
	d.m.Grow("Tuesday.")
	d.m.Waiting("asking")
	d.run(d.m.Update(conversation.Beat{}))
	got := d.view(60, 12)
	for _, part := range []string{"let me see", "It is Tuesday.", "● asking"} {
		if !strings.Contains(got, part) {
			t.Errorf("no %q in\n%s", part, got)
		}
	}
	d.m.Waiting("")
	d.m.EndLive()
	if got := d.view(60, 12); strings.Contains(got, "Tuesday") {
		t.Errorf("the answer is still there:\n%s", got)
	}
}

// A session that is shown at a place which another path does not have.
func TestThePlaceIsGone(t *testing.T) {
	d := start(t, 80, 20, talk(60)...)
	d.m.Show(conversation.Place{Turn: 30}) // is not read before the path changes
	d.run(d.m.SetSource(d, 3, 0))
	if got := d.view(80, 20); !strings.Contains(got, "answer 2") {
		t.Errorf("screen:\n%s", got)
	}
}

// The screen is full, however short exchanges are: of those that it has room for
// none is left unread.
func TestTheScreenIsFull(t *testing.T) {
	const height = 50
	for name, c := range map[string]struct {
		exchanges int
		keys      string
		first     string // exchange on the screen
		last      string
	}{
		"all of them fit":    {exchanges: 10, first: "question 0", last: "answer 9"},
		"at the end":         {exchanges: 71, first: "question 59", last: "answer 70"},
		"at the beginning":   {exchanges: 71, keys: "g", first: "question 0", last: "answer 11"},
		"back at the end":    {exchanges: 71, keys: "g G", first: "question 59", last: "answer 70"},
		"two pages up":       {exchanges: 71, keys: "pgup pgup", first: "question 35", last: "answer 46"},
		"message by message": {exchanges: 71, keys: "g ] ] ] ]", first: "question 4", last: "answer 15"},
	} {
		t.Run(name, func(t *testing.T) {
			d := start(t, 80, height, talk(c.exchanges)...)
			d.press(c.keys)
			d.full(height, c.first, c.last)
		})
	}
}

// full checks that the screen shows messages from its first line to its last.
func (d *desk) full(height int, first, last string) {
	d.t.Helper()
	view := d.view(80, height)
	if strings.Contains(view, "…") || !strings.Contains(view, first+"\n") || !strings.Contains(view, last+"\n") {
		d.t.Errorf("want %q to %q, and all between; the screen:\n%s", first, last, view)
	}
}

// It stays full when the session grows and when the window does.
func TestTheScreenStaysFull(t *testing.T) {
	d := start(t, 80, 20, talk(30)...)
	d.full(20, "question 26", "answer 29")
	d.exchanges = talk(60)
	d.run(d.m.SetSource(d, 60, 60))
	d.full(20, "question 56", "answer 59")
	d.run(d.m.Update(tea.WindowSizeMsg{Width: 80, Height: 50}))
	d.full(50, "question 48", "answer 59")
	d.exchanges = talk(100)
	d.run(d.m.Restart(d, 100))
	d.full(50, "question 88", "answer 99")
}

// A search goes forward from the current position; after the last match comes
// the first.
func TestSearchGoesForward(t *testing.T) {
	d := start(t, 60, 10, talk(100)...)
	d.press("g / 5 enter")
	d.sees("1 of ", "question 5\n")
	d.press("n n") // its answer, and the next question
	d.sees("3 of ", "question 15\n")
	d.run(d.m.Show(conversation.Place{Turn: 60}))
	d.press("/ 2 enter")
	d.sees("question 62\n", " of ")
	d.run(d.m.Show(conversation.Place{Turn: 97}))
	d.press("/ 9 2 enter") // is above
	d.sees("1 of 2", "question 92\n")
}

// A match in folded tool output is unfolded and on the screen.
func TestSearchShowsWhatItFound(t *testing.T) {
	lines := strings.Repeat("nothing of note\n", 40)
	d := start(t, 60, 10, append(talk(30), exchange(30, ask("why?"), call("bash", `{"command":"make"}`, "ok", false),
		call("bash", `{"command":"make lint"}`, lines+"the needle is here\n"+lines, false), answer("done")))...)
	d.press("g")
	d.source = func(string) []conversation.Place { return []conversation.Place{{Turn: 30}} }
	d.press("/ n e e d l e space h e r e enter")
	d.sees("1 of 1", "the needle is here")
}

func (d *desk) sees(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		if got := d.view(60, 10) + d.state(); !strings.Contains(got, text) {
			d.t.Errorf("no %q in\n%s", text, got)
		}
	}
}

// The end of a response is shown once.
func TestAborted(t *testing.T) {
	d := start(t, 60, 10, exchange(1, ask("go"), inspect.Item{Kind: inspect.Failure, Name: "aborted", Text: "Aborted"}),
		exchange(2, ask("again"), inspect.Item{Kind: inspect.Failure, Name: "error", Text: "overloaded"}))
	d.sees("response stopped: aborted\n", "response stopped: error overloaded\n")
}
