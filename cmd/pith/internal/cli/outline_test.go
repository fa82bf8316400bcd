package cli_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeTree writes a session whose entry i is below parents[i]; -1 means no
// parent.
func writeTree(t testing.TB, parents []int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tree.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, `{"type":"session","version":3,"id":"tree","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}`)
	for i, p := range parents {
		parent := "null"
		if p >= 0 {
			parent = fmt.Sprintf(`"%08x"`, p)
		}
		fmt.Fprintf(w, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-02-03T10:00:00.000Z","message":{"role":"user","content":"m%d","timestamp":1}}`+"\n", i, parent, i)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// shape is the tree output without ids and without the texts' beginnings.
func shape(stdout string) string {
	var b strings.Builder
	for line := range strings.Lines(stdout) {
		_, rest, _ := strings.Cut(line, "  ")
		b.WriteString(strings.ReplaceAll(rest, "user: ", ""))
	}
	return b.String()
}

func TestOutline(t *testing.T) {
	tests := map[string]struct {
		parents []int
		want    string
	}{
		"chain": {[]int{-1, 0, 1, 2}, "" +
			"• m0\n• m1\n• m2\n◆ m3\n"},
		"branches inside branches": {[]int{-1, 0, 1, 2, 1, 4, 5, 5}, "" +
			"• m0\n• m1\n├─ • m4\n│     • m5\n│     ├─ ◆ m7\n│     └─ m6\n└─ m2\n      m3\n"},
		"three ways": {[]int{-1, 0, 0, 0}, "" +
			"• m0\n├─ ◆ m3\n├─ m1\n└─ m2\n"},
		"branch at once below a branch": {[]int{-1, 0, 0, 1, 1}, "" +
			"• m0\n├─ • m1\n│  ├─ ◆ m4\n│  └─ m3\n└─ m2\n"},
		"several roots": {[]int{-1, 0, -1, 2, 3, 3}, "" + // pitfall 76
			"• m2\n   • m3\n   ├─ ◆ m5\n   └─ m4\nm0\n   m1\n"},
		"roots alone": {[]int{-1, -1}, "" +
			"◆ m1\nm0\n"},
		"a parent that is missing": {[]int{-1, 7}, "" + // pitfall 73
			"◆ m1\nm0\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var d desk
			code, stdout, stderr := d.run(t, "tree", writeTree(t, tt.parents))
			if got := shape(stdout); code != 0 || got != tt.want {
				t.Errorf("pith tree of %v = %d:\n%s%s\nwant:\n%s", tt.parents, code, got, stderr, tt.want)
			}
		})
	}
}

// Deep and wide trees end, without recursion and without output that grows with
// the square (pitfall 74).
func TestHugeTrees(t *testing.T) {
	const n = 100_000
	shapes := map[string]func(i int) int{
		"chain":                     func(i int) int { return i - 1 },
		"fan":                       func(i int) int { return min(i-1, 0) },
		"a branch at every step":    func(i int) int { return max(i-2, -1+min(i, 1)) },
		"a chain of short branches": func(i int) int { return i - 1 - i%2 },
	}
	for name, parent := range shapes {
		t.Run(name, func(t *testing.T) {
			parents := make([]int, n)
			for i := range parents {
				parents[i] = parent(i)
			}
			file := writeTree(t, parents)
			for _, args := range [][]string{{"tree", file}, {"tree", file, "--json"}} {
				d := desk{terminal: true, width: 60}
				code, stdout, stderr := d.run(t, args...)
				if code != 0 {
					t.Fatalf("pith %q ended with %d: %s", args, code, stderr)
				}
				if len(stdout) > 400*n {
					t.Errorf("pith %q printed %d bytes for %d entries", args, len(stdout), n)
				}
			}
		})
	}
}

// A filter hangs what is shown below the nearest ancestor that is shown
// (pitfall 145).
func TestFilterKeepsTheShape(t *testing.T) {
	var d desk
	file := filepath.Join(sessionsCopy(t), "talk.jsonl")
	_, stdout, _ := d.run(t, "tree", file, "--filter", "user-only")
	want := "• why is the build slow?\n├─ • first measure again\n│     ◆ see the picture\n└─ use another linker\n"
	if got := shape(stdout); got != want {
		t.Errorf("pith tree --filter user-only:\n%s\nwant:\n%s", got, want)
	}
}

func BenchmarkTree(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("entries=%d", n), func(b *testing.B) {
			parents := make([]int, n)
			for i := range parents {
				parents[i] = i - 1 - i%2
			}
			file := writeTree(b, parents)
			b.ReportAllocs()
			for b.Loop() {
				var d desk
				if code, stdout, _ := d.run(b, "tree", file); code != 0 || strings.Count(stdout, "\n") != n {
					b.Fatalf("pith tree ended with %d and %d lines, want %d", code, strings.Count(stdout, "\n"), n)
				}
			}
		})
	}
}

// A session with more branches than a list has lists the newest, and says how
// many are left out.
func TestManyBranches(t *testing.T) {
	parents := make([]int, 1103)
	for i := range parents {
		parents[i] = min(i-1, 0)
	}
	code, stdout, stderr := (&desk{}).run(t, "branch", writeTree(t, parents))
	if lines := strings.Count(stdout, "\n"); code != 0 || lines != 1001 || !strings.Contains(stderr, "102 older branches are not shown") {
		t.Errorf("pith branch = %d with %d lines and %q; want a head, 1,000 branches and a note", code, lines, stderr)
	}
}
