package cli_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
)

// A limited list is the start of the whole list, and counts the rest, whether the
// sessions are read or come from the index. Times of files are only roughly in order, one
// session is pinned, and one is archived.
func TestLimitedList(t *testing.T) {
	home := t.TempDir()
	root := filepath.Join(home, ".pi", "agent", "sessions")
	if err := corpus.Store(root, corpus.StoreOptions{Sessions: 700, Bytes: 700_000, Projects: 3}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "*.jsonl"))
	if err != nil || len(files) != 700 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	slices.SortFunc(files, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	for i, file := range files {
		at := time.Now().Add(-time.Duration(10*(len(files)-i)+random.IntN(100)) * time.Hour)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	d := desk{cwd: home, env: map[string]string{"HOME": home}}
	id := regexp.MustCompile(` (0[0-9a-f]{7}[0-9a-f-]*)  `)
	list := func(args ...string) (ids []string, stderr string) {
		t.Helper()
		code, stdout, stderr := d.run(t, append([]string{"ls", "--all"}, args...)...)
		if code != 0 {
			t.Fatalf("pith ls %q = %d, %s", args, code, stderr)
		}
		for line := range strings.Lines(stdout) {
			if m := id.FindStringSubmatch(line); m != nil {
				ids = append(ids, m[1])
			}
		}
		return ids, stderr
	}
	check := func(when string, whole []string) {
		t.Helper()
		for _, n := range []int{1, 7, 19, 100, 698, 1000} {
			got, stderr := list("--limit", fmt.Sprint(n))
			if want := whole[:min(n, len(whole))]; !slices.Equal(got, want) {
				t.Errorf("%s, ls --limit %d = %q; want %q", when, n, got, want)
			}
			if more := len(whole) - n; more > 0 && !strings.Contains(stderr, fmt.Sprintf("%d more:", more)) {
				t.Errorf("%s, ls --limit %d notes %q; want %d more", when, n, stderr, more)
			}
		}
	}
	whole, _ := list("--limit", "0")
	if len(whole) != 700 {
		t.Fatalf("%d sessions in the list: %q", len(whole), whole)
	}
	check("without marks", whole)
	for _, args := range [][]string{{"mark", whole[50], "+pin"}, {"mark", whole[0], "+archive"}, {"mark", whole[3], "-pin"}} {
		if code, _, stderr := d.run(t, args...); code != 0 {
			t.Fatalf("pith %q = %d, %s", args, code, stderr)
		}
	}
	marked, _ := list("--limit", "0")
	if len(marked) != 699 || marked[0] != whole[50] {
		t.Fatalf("%d sessions, the first %s; want 699 and %s", len(marked), marked[0], whole[50])
	}
	check("with marks", marked)
}
