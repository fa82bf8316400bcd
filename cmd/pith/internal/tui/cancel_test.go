package tui_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// A summary takes its time. Esc cancels it, and then nothing has changed:
// neither the file, nor the leaf, nor the selection in the tree.
func TestCancelledSummaries(t *testing.T) {
	server := llmtest.NewServer()
	defer server.Close()
	hold := make(chan struct{})
	defer close(hold)
	d := newDesk(t)
	d.withModel(server)
	said := []string{"one", "<answer one", "mend the parser", "<I mended it"}
	for i := range 30 {
		said = append(said, fmt.Sprintf("question %d %s", i, strings.Repeat("words ", 500)), fmt.Sprintf("<answer %d %s", i, strings.Repeat("words ", 500)))
	}
	file := d.session("", said...)
	d.start(func(c *tui.Config) { c.Open = file })
	d.sees("answer 29")
	d.sees("tiny")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	server.Answer(llmtest.Text("a summary of what was said").HoldAt(200, hold))
	d.types("/compact")
	d.sees("compacting, esc cancels")
	d.pump("the request", func() bool { return len(server.Requests()) == 1 })
	d.press("esc")
	d.sees("compaction canceled")

	server.Answer(llmtest.Text("a summary of the branch").HoldAt(200, hold))
	d.types("/tree")
	d.sees("› tree")
	d.press("/ p a r s e r enter")
	d.sees("› ● mend the parser")
	d.press("esc enter")
	d.sees("─ Go back ")
	d.press("s")
	d.sees("summarizing the branch, esc cancels")
	d.pump("the request", func() bool { return len(server.Requests()) == 2 })
	d.press("esc")
	d.sees("› tree")
	d.sees("› ● mend the parser") // the tree comes back on the entry
	d.press("esc")
	d.gone("› tree")
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(after) != string(before) {
		t.Errorf("the file has changed: %q", strings.TrimPrefix(string(after), string(before)))
	}
	if got := d.texts(file); !slices.Equal(got, said) {
		t.Errorf("the session stands elsewhere: it says %d texts, want %d", len(got), len(said))
	}
}
