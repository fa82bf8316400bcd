package inspect_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/tests/corpus"
)

var update = flag.Bool("update", false, "rewrite testdata/zoo.txt")

// testdata/zoo.txt is what is read of every odd file and every demo session: the
// turns, an item on each line.
func TestGoldenZoo(t *testing.T) {
	var b strings.Builder
	for _, odd := range corpus.Odd() {
		tellFile(t, &b, odd.Name, odd.Bytes)
	}
	for _, demo := range corpus.Demos("/sessions") {
		tellFile(t, &b, "demo "+demo.Name, demo.Bytes)
	}
	got := b.String()
	if *update {
		if err := os.WriteFile("testdata/zoo.txt", []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/zoo.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("testdata/zoo.txt, line %d:\n%s\nwant\n%s\nrun with -update if that is right", i+1, g[i], w[i])
		}
	}
	t.Fatalf("testdata/zoo.txt has %d lines, want %d", len(w), len(g))
}

// mostItems is how many items of a turn are in the golden file.
const mostItems = 12

func tellFile(t *testing.T, b *strings.Builder, name string, data []byte) {
	t.Helper()
	s := open(t, data)
	if s == nil {
		fmt.Fprintf(b, "== %s: refused\n", name)
		return
	}
	r := reading(t, s, inspect.Scope{})
	fmt.Fprintf(b, "== %s: %d entries, %d on the path, %d findings\n", name, s.View().Len(), r.Entries(), len(s.Findings()))
	for i := range r.Len() {
		if i == mostItems {
			fmt.Fprintf(b, "%d turns more\n", r.Len()-i)
			break
		}
		x := turn(t, r, i, inspect.Detail{MaxContent: 40})
		fmt.Fprintf(b, "%d %s %q\n", x.Number, short(string(x.EntryID)), short(string(x.Title())))
		for k := range x.Items {
			if k == mostItems {
				fmt.Fprintf(b, "  %d items more\n", len(x.Items)-k)
				break
			}
			tellItem(b, &x.Items[k])
		}
	}
}

func tellItem(b *strings.Builder, it *inspect.Item) {
	fmt.Fprintf(b, "  %s", it.Kind)
	for name, text := range pairs("name", it.Name, "text", it.Text, "target", it.Target, "label", it.Label) {
		if text != "" {
			fmt.Fprintf(b, " %s=%q", name, short(string(text)))
		}
	}
	if it.LeftOut != nil {
		fmt.Fprintf(b, " leftOut=%d", it.LeftOut.Characters)
	}
	if it.Image != nil {
		fmt.Fprintf(b, " %s", it.Image)
	}
	if it.Bash != nil {
		fmt.Fprintf(b, " command=%q", short(string(it.Bash.Command)))
	}
	if it.Hidden {
		b.WriteString(" hidden")
	}
	if it.Tool != nil {
		fmt.Fprintf(b, " arguments=%q", short(string(it.Tool.Arguments)))
		if r := it.Tool.Result; r != nil {
			fmt.Fprintf(b, " result=%q error=%v images=%d", short(string(r.Text)), r.IsError, len(r.Images))
		}
	}
	b.WriteString("\n")
}

// pairs yields names and texts in turn.
func pairs(list ...any) func(yield func(string, inspect.Text) bool) {
	return func(yield func(string, inspect.Text) bool) {
		for i := 0; i < len(list); i += 2 {
			if !yield(list[i].(string), list[i+1].(inspect.Text)) {
				return
			}
		}
	}
}

func short(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
