package subagent_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/tests/corpus"
)

var update = flag.Bool("update", false, "rewrite what the tests expect")

// exhibits writes the zoo and opens the exhibits that have runs.
func exhibits(t *testing.T) (string, map[string]corpus.Exhibit) {
	t.Helper()
	dir := t.TempDir()
	all, err := corpus.WriteZoo(dir)
	if err != nil || len(all) == 0 {
		t.Fatalf("WriteZoo = %d exhibits, %v", len(all), err)
	}
	byName := map[string]corpus.Exhibit{}
	for _, e := range all {
		byName[e.Name] = e
	}
	return dir, byName
}

func open(t *testing.T, path string) *pith.Session {
	t.Helper()
	s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func read(t *testing.T, path string, o subagent.Options) *subagent.Report {
	t.Helper()
	r, err := subagent.Read(t.Context(), open(t, path), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every exhibit says what was spent in it. Money that is mentioned several times,
// in details, messages, metadata, nested summaries and children's files, counts
// once.
func TestMoneyCountsOnce(t *testing.T) {
	dir, all := exhibits(t)
	for name, e := range all {
		r := read(t, filepath.Join(dir, filepath.FromSlash(e.Session)), subagent.Options{AllBranches: true})
		if r.Own.Cost.Micros() != e.OwnMicros || r.Children.Cost.Micros() != e.ChildMicros || r.All.Cost.Micros() != e.OwnMicros+e.ChildMicros {
			t.Errorf("%s: own %d, children %d, all %d; want %d, %d and their sum", name, r.Own.Cost.Micros(), r.Children.Cost.Micros(), r.All.Cost.Micros(), e.OwnMicros, e.ChildMicros)
			t.Log(outline(dir, r.Invocations))
		}
	}
}

// outline writes one line for each run: what the tests compare.
func outline(dir string, list []subagent.Invocation) string {
	var b strings.Builder
	outlineCalls(&b, dir, list, "")
	return b.String()
}

func outlineCalls(b *strings.Builder, dir string, list []subagent.Invocation, indent string) {
	for _, inv := range list {
		fmt.Fprintf(b, "%s%s %s", indent, inv.Mode, inv.Status)
		if !inv.Unassigned.IsZero() {
			fmt.Fprintf(b, " +%d", inv.Unassigned.Cost.Micros())
		}
		b.WriteString("\n")
		outlineRuns(b, dir, inv.Runs, indent+"  ")
	}
}

func outlineRuns(b *strings.Builder, dir string, runs []subagent.Run, indent string) {
	for _, r := range runs {
		where := ""
		if r.Source.Path != "" {
			rel, err := filepath.Rel(dir, r.Source.Path)
			if err != nil {
				rel = r.Source.Path
			}
			where = " " + filepath.ToSlash(rel)
		}
		fmt.Fprintf(b, "%s%d %s %s %d/%s %q/%s %s%s", indent, r.Index, r.Agent, r.Status, r.Usage.Cost.Micros(), r.UsageFrom, r.Task, r.TaskFrom, r.Source.Kind, where)
		if r.Note != "" {
			fmt.Fprintf(b, " (%s)", r.Note)
		}
		for _, a := range r.Tried {
			fmt.Fprintf(b, " [%s %s]", a.Kind, a.Why)
		}
		b.WriteString("\n")
		outlineCalls(b, dir, r.Calls, indent+"  ")
		outlineRuns(b, dir, r.Children, indent+"  ")
	}
}

func TestShapes(t *testing.T) {
	dir, all := exhibits(t)
	for name, e := range all {
		r := read(t, filepath.Join(dir, filepath.FromSlash(e.Session)), subagent.Options{})
		got := outline(filepath.Join(dir, name), r.Invocations)
		file := filepath.Join("testdata", "shapes", name+".txt")
		if *update && got != "" {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if got == "" && err != nil {
			continue
		}
		if err != nil || got != string(want) {
			t.Errorf("Read(%s) gives\n%s\nwant (%s, %v)\n%s", name, got, file, err, want)
		}
	}
}
