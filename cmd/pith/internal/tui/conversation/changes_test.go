package conversation_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
)

func TestChangesAreColoured(t *testing.T) {
	theme := paint.New(true, paint.Full)
	added := theme.Line(90, paint.Span{Tone: paint.Added, Text: "+         new()"})
	removed := theme.Line(90, paint.Span{Tone: paint.Removed, Text: "-         old()"})
	kept := theme.Line(90, paint.Span{Tone: paint.Dim, Text: "  func f() {"})
	for name, args := range map[string]string{
		"pi":     `{"path":"x.go","oldText":"func f() {\n\told()\n}","newText":"func f() {\n\tnew()\n}"}`,
		"many":   `{"path":"x.go","edits":[{"oldText":"a","newText":"b"},{"oldText":"func f() {\n\told()","newText":"func f() {\n\tnew()"}]}`,
		"others": `{"file_path":"x.go","old_string":"func f() {\n\told()\n}","new_string":"func f() {\n\tnew()\n}"}`,
	} {
		d := start(t, 100, 40, exchange(1, ask("mend it"), call("edit", args, "done", false)))
		d.press("e")
		got := strings.Join(d.m.Lines(theme, 100, 40), "\n")
		for _, want := range []string{added, removed, kept} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the screen lacks %q:\n%q", name, want, got)
			}
		}
	}
	diff := "--- a/x\n+++ b/x\n-old\n+new\n"
	d := start(t, 100, 40, exchange(1, ask("show it"), call("bash", `{"command":"git diff"}`, diff, false)))
	d.press("e")
	got := strings.Join(d.m.Lines(theme, 100, 40), "\n")
	for _, want := range []string{theme.Line(90, paint.Span{Tone: paint.Removed, Text: "-old"}), theme.Line(90, paint.Span{Tone: paint.Added, Text: "+new"})} {
		if !strings.Contains(got, want) {
			t.Errorf("the screen lacks %q:\n%q", want, got)
		}
	}
}

// Files read and written are colored by their extension, and code in a response
// by the name of its language; tool output is not.
func TestCodeIsColoured(t *testing.T) {
	theme := paint.New(true, paint.Full)
	coloured := theme.Line(90, paint.Span{Tone: paint.Keyword, Text: "return"})
	for name, tt := range map[string]struct {
		it   inspect.Item
		want bool
	}{
		"read":    {call("read", `{"path":"a/x.go"}`, "return 1", false), true},
		"write":   {call("write", `{"path":"x.py","content":"return 1"}`, "done", false), true},
		"text":    {call("read", `{"path":"x.txt"}`, "return 1", false), false},
		"failure": {call("read", `{"path":"x.go"}`, "return 1", true), false},
		"output":  {call("bash", `{"command":"cat x.go"}`, "return 1", false), false},
		"answer":  {answer("```go\nreturn 1\n```"), true},
	} {
		d := start(t, 100, 40, exchange(1, ask("mend it"), tt.it))
		d.press("e")
		if got := strings.Join(d.m.Lines(theme, 100, 40), "\n"); strings.Contains(got, coloured) != tt.want || !strings.Contains(got, "return") {
			t.Errorf("%s: coloured is %t, want %t:\n%q", name, !tt.want, tt.want, got)
		}
	}
}
