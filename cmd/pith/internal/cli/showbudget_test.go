package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/tests/corpus"
)

// A list of any view stays near its budget, and following what it says about the
// rest gives everything that the view has.
func TestBudgetOfLists(t *testing.T) {
	d := desk{cwd: t.TempDir()}
	file := filepath.Join(d.cwd, "s.jsonl")
	o := corpus.Options{Seed: 3, Entries: 900, Branches: 3, CompactEvery: 200, Cwd: d.cwd}
	if err := corpus.WriteFile(file, o); err != nil {
		t.Fatal(err)
	}
	const budget = 1200
	for _, view := range []string{"toc", "issues", "tools", "costs", "conversation", "full"} {
		code, stdout, stderr := d.run(t, "show", file, "--view", view, "--budget", fmt.Sprint(budget))
		if took := inspect.Tokens(stdout); code != 0 || took > budget || took < budget/8 {
			t.Errorf("pith show --view %s = %d, %d tokens, %s; want about %d", view, code, took, stderr, budget)
		}
		want := pagesOf(t, d, "show", file, "--view", view, "--json")
		if len(want) < 20 {
			t.Errorf("%s has %d elements: too few to tell anything", view, len(want))
		}
		for _, budget := range []int{700, budget, 5000} {
			got := pagesOf(t, d, "show", file, "--view", view, "--json", "--budget", fmt.Sprint(budget))
			if !maps.Equal(got, want) {
				t.Errorf("the pages of %s with a budget of %d hold %d different elements, want %d", view, budget, len(got), len(want))
			}
		}
	}
}

// pagesOf follows page.earlier of a command to the end. It returns the keys of
// the list elements.
func pagesOf(t *testing.T, d desk, args ...string) map[string]bool {
	t.Helper()
	type element struct {
		Number               int
		EntryID, Kind, Model string
		Issues               []struct{ Kind, EntryID, Name string }
	}
	found := map[string]bool{}
	for n := 0; ; n++ {
		code, stdout, stderr := d.run(t, args...)
		var answer struct {
			Page                      struct{ Earlier *string }
			Turns, Rows, Tools, Calls []element
		}
		if err := json.Unmarshal([]byte(stdout), &answer); code != 0 || err != nil || n > 900 {
			t.Fatalf("pith %q, the %dth page = %d, %v, %s", args, n, code, err, stderr)
		}
		for _, e := range slices.Concat(answer.Turns, answer.Rows, answer.Tools, answer.Calls) {
			issues := e.Issues
			if e.Issues = nil; len(issues) == 0 {
				found[fmt.Sprint(e)] = true
			}
			for _, i := range issues {
				found[fmt.Sprint(e, i)] = true
			}
		}
		if answer.Page.Earlier == nil {
			return found
		}
		args = strings.Fields(*answer.Page.Earlier)[1:]
	}
}

// The lists of other commands stay within a budget too, and use it.
func TestBudgetOfOtherCommands(t *testing.T) {
	d := desk{cwd: t.TempDir()}
	for seed := range uint64(60) {
		o := corpus.Options{Seed: seed, Entries: 10, Cwd: d.cwd, Name: fmt.Sprint("session ", seed)}
		if seed == 0 {
			o.Entries, o.Branches = 900, 9
		}
		if err := corpus.WriteFile(filepath.Join(d.cwd, fmt.Sprintf("s%d.jsonl", seed)), o); err != nil {
			t.Fatal(err)
		}
	}
	long := filepath.Join(d.cwd, "s0.jsonl")
	for _, command := range [][]string{{"search", "the", "--limit", "0"}, {"tree", long}, {"context", long}} {
		for _, f := range [][]string{nil, {"--json"}} {
			args := append(append(slices.Clone(command), f...), "--session-dir", d.cwd)
			_, whole, _ := d.run(t, args...)
			for _, budget := range []int64{600, 1500, 4000} {
				args := append(slices.Clone(args), "--budget", fmt.Sprint(budget))
				code, stdout, stderr := d.run(t, args...)
				took := inspect.Tokens(stdout)
				if code != 0 || took > budget || took < min(budget, inspect.Tokens(whole))/3 {
					t.Errorf("pith %q = %d, %d tokens, %s; all of it has %d", args, code, took, stderr, inspect.Tokens(whole))
				}
			}
		}
	}
}

var (
	enough  = regexp.MustCompile(`use at least ([0-9]+)`)
	earlier = regexp.MustCompile(`(?m)^earlier: |"earlier":"`)
)

// No output takes more tokens than its budget, whatever the view, the format and
// the session. A budget that has no room for anything is refused with the least
// one that has.
func TestBudgetIsKept(t *testing.T) {
	d := desk{cwd: t.TempDir()}
	long := filepath.Join(d.cwd, "long.jsonl")
	if err := corpus.WriteFile(long, corpus.Options{Entries: 400, Branches: 3, CompactEvery: 100, Labels: 3, Images: true}); err != nil {
		t.Fatal(err)
	}
	views := []string{"conversation", "toc", "issues", "full", "tools", "costs"}
	kept, refused := 0, 0
	check := func(file, view, f string, budget int64) {
		args := slices.Concat([]string{"show", file, "--view", view}, formatFlags(f), []string{"--budget", fmt.Sprint(budget)})
		code, stdout, stderr := d.run(t, args...)
		if m := enough.FindStringSubmatch(stderr); code == 2 && m != nil {
			refused++
			least, err := strconv.ParseInt(m[1], 10, 64)
			args[len(args)-1] = m[1]
			code, stdout, stderr = d.run(t, args...)
			if got := inspect.Tokens(stdout); err != nil || least <= budget || code != 0 || got > least {
				t.Errorf("pith %q, as was advised for %d = %d, %d tokens, %s", args, budget, code, got, stderr)
			}
			return
		}
		kept++
		if got := inspect.Tokens(stdout); code != 0 || got > budget {
			t.Errorf("pith %q = %d, %d tokens, %s", args, code, got, stderr)
		} else if file == long && budget >= 2000 && got < budget/2 && earlier.MatchString(stdout) {
			t.Errorf("pith %q used only %d tokens, and left something out", args, got)
		}
	}
	for _, f := range []string{"text", "json"} {
		for _, view := range views {
			for _, budget := range []int64{100, 200, 350, 500, 2000, 10_000} {
				check(long, view, f, budget)
			}
		}
	}
	for i, file := range zooFiles(t) {
		if code, _, _ := d.run(t, "show", file, "--turns", "-1"); code != 0 {
			continue // not a session
		}
		for k, view := range views {
			check(file, view, []string{"text", "json"}[(i+k)%2], []int64{100, 150, 300, 700}[(i/3+k)%4])
		}
	}
	if kept < 4*refused {
		t.Errorf("%d were refused, %d were not: a budget is to be used", refused, kept)
	}
}
