package cli_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/tests/corpus"
)

// A list of any view stays near its budget, and following what it says about the
// rest comes to an end.
func TestBudgetOfLists(t *testing.T) {
	d := desk{cwd: t.TempDir()}
	file := filepath.Join(d.cwd, "s.jsonl")
	o := corpus.Options{Seed: 3, Entries: 900, Branches: 3, CompactEvery: 200, Cwd: d.cwd}
	if err := corpus.WriteFile(file, o); err != nil {
		t.Fatal(err)
	}
	const budget = 1200
	for _, view := range []string{"toc", "issues", "tools", "costs", "files", "overview", "conversation", "full"} {
		for _, f := range []string{"text", "markdown"} {
			args := []string{"show", file, "--view", view, "--format", f, "--budget", fmt.Sprint(budget)}
			code, stdout, stderr := d.run(t, args...)
			if took := inspect.Tokens(stdout); code != 0 || took > budget || took < budget/8 {
				t.Errorf("pith %q = %d, %d tokens, %s; want about %d", args, code, took, stderr, budget)
			}
		}
		var answer struct{ Page struct{ Earlier *string } }
		args := []string{"show", file, "--view", view, "--json", "--budget", fmt.Sprint(budget)}
		for n := 0; ; n++ {
			code, stdout, stderr := d.run(t, args...)
			answer.Page.Earlier = nil
			if err := json.Unmarshal([]byte(stdout), &answer); code != 0 || err != nil || n > 900 {
				t.Fatalf("pith %q, the %dth page = %d, %v, %s", args, n, code, err, stderr)
			}
			if answer.Page.Earlier == nil {
				break
			}
			args = strings.Fields(*answer.Page.Earlier)[1:]
		}
	}
}

var (
	enough  = regexp.MustCompile(`give at least --budget ([0-9]+)`)
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
	views := []string{"conversation", "toc", "issues", "overview", "full", "tools", "costs", "subagents", "files"}
	kept, refused := 0, 0
	check := func(file, view, f string, budget int64) {
		args := []string{"show", file, "--view", view, "--format", f, "--budget", fmt.Sprint(budget)}
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
	for _, f := range []string{"text", "plain", "markdown", "json"} {
		for _, view := range views {
			for _, budget := range []int64{100, 200, 350, 500, 2000, 10_000} {
				check(long, view, f, budget)
			}
		}
	}
	for i, file := range zooFiles(t) {
		if code, _, _ := d.run(t, "show", file, "--last", "1"); code != 0 {
			continue // it is no session
		}
		for k, view := range views {
			check(file, view, []string{"text", "json", "markdown"}[(i+k)%3], []int64{100, 150, 300, 700}[(i/3+k)%4])
		}
	}
	if kept < 4*refused {
		t.Errorf("%d were refused, %d were not: a budget is to be used", refused, kept)
	}
}
