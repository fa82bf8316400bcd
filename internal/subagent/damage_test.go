package subagent_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/subagent"
)

// For any damage of the details and files of runs, reading ends, sums are sums,
// and no number is negative.
func TestDamage(t *testing.T) {
	dir, all := exhibits(t)
	rounds := 12
	if testing.Short() {
		rounds = 5
	}
	for name, e := range all {
		rnd := rand.New(rand.NewPCG(7, uint64(len(name))))
		for round := range rounds {
			for _, f := range e.Files {
				path := filepath.Join(dir, filepath.FromSlash(f.Path))
				if err := os.WriteFile(path, damaged(rnd, f.Bytes, filepath.Join(dir, name)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s, err := pith.Open(t.Context(), filepath.Join(dir, filepath.FromSlash(e.Session)), pith.Options{ReadOnly: true})
			if err != nil {
				continue // the header may be hit too
			}
			r, err := subagent.Read(t.Context(), s, subagent.Options{AllBranches: true})
			if cerr := s.Close(); cerr != nil {
				t.Fatal(cerr)
			}
			if err != nil {
				t.Fatalf("%s, round %d: Read: %v", name, round, err)
			}
			checkReport(t, name, r)
		}
	}
}

// checkReport checks what holds for every report.
func checkReport(t *testing.T, name string, r *subagent.Report) {
	t.Helper()
	if r.All != r.Own.Plus(r.Children) {
		t.Errorf("%s: all is %+v, own %+v, children %+v", name, r.All, r.Own, r.Children)
	}
	runs := 0
	var sum format.Spent
	for level, run := range subagent.Flat(r.Invocations) {
		runs++
		sum = sum.Plus(run.Usage)
		if negative(run.Usage) || negative(run.Total) || run.Duration < 0 || run.ToolCalls < 0 || run.Turns < 0 || run.Index < 0 || level > 60 {
			t.Errorf("%s: a run on level %d is %+v", name, level, run)
		}
		for _, err := range run.Source.Messages(t.Context()) {
			if err != nil {
				t.Errorf("%s: messages of %s: %v", name, run.Source.Path, err)
			}
		}
	}
	if runs != r.Runs {
		t.Errorf("%s: %d runs are counted and %d are there", name, r.Runs, runs)
	}
	if negative(r.Own) || negative(r.Children) || negative(r.All) || r.Children.Cost.Micros() < sum.Cost.Micros() {
		t.Errorf("%s: own %+v, children %+v, all %+v; the runs have %+v", name, r.Own, r.Children, r.All, sum)
	}
}

func negative(u format.Spent) bool {
	return u.Input < 0 || u.Output < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.Tokens < 0 || u.Cost < 0
}

// damaged changes a few values on a few lines of a file; a line that is not
// JSON loses some of its end.
func damaged(rnd *rand.Rand, file []byte, dir string) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(file) {
		var v any
		if rnd.IntN(3) > 0 || json.Unmarshal(line, &v) != nil {
			out.Write(line)
			continue
		}
		for range 1 + rnd.IntN(4) {
			v = spoil(rnd, v, dir, 0)
		}
		text, err := json.Marshal(v)
		if err != nil {
			out.Write(line)
			continue
		}
		out.Write(append(text, '\n'))
	}
	b := out.Bytes()
	if rnd.IntN(8) == 0 && len(b) > 0 {
		b = b[:rnd.IntN(len(b))]
	}
	return b
}

// spoil replaces one value somewhere in v.
func spoil(rnd *rand.Rand, v any, dir string, depth int) any {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		rnd.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			member := v[name]
			switch {
			case name == "type" || name == "id" || name == "parentId":
				continue
			case rnd.IntN(10) == 0:
				delete(v, name)
			default:
				v[name] = spoil(rnd, member, dir, depth+1)
			}
			if rnd.IntN(3) == 0 {
				return v
			}
		}
		if depth > 2 && rnd.IntN(6) == 0 {
			v["children"] = []any{map[string]any{"id": "x", "agent": "y", "sessionFile": filepath.Join(dir, "parent.jsonl"), "steps": []any{v["results"]}}}
		}
		return v
	case []any:
		if len(v) > 0 && rnd.IntN(4) > 0 {
			i := rnd.IntN(len(v))
			v[i] = spoil(rnd, v[i], dir, depth+1)
			return v
		}
		return append(v, v...)
	}
	if rnd.IntN(2) == 0 {
		return v
	}
	values := []any{nil, true, -1, -1e308, 1e308, 1e17, "", "x", "../..", []any{}, map[string]any{}, filepath.Join(dir, "parent.jsonl"), filepath.Join(dir, "one.jsonl"), dir, "/dev/zero", "~"}
	return values[rnd.IntN(len(values))]
}

// Nesting deeper than any program writes is cut, not followed to its end.
func TestDeepNesting(t *testing.T) {
	var b bytes.Buffer
	const levels = 20_000
	for range levels {
		b.WriteString(`{"agent":"a","state":"complete","totalCost":{"costUsd":0.001},"steps":[{"agent":"b","children":[`)
	}
	b.WriteString(`{}`)
	for range levels {
		b.WriteString(`]}]}`)
	}
	details := `,"details":{"mode":"single","workflowGraph":{"nodes":[` + b.String() + `]},"results":[{"agent":"a","exitCode":0,"children":[` + b.String() + `]}]}`
	r := read(t, write(t, filepath.Join(t.TempDir(), "p.jsonl"), parentLines("/w", `{"agent":"a"}`, details)...), subagent.Options{})
	if r.Runs == 0 || r.Runs > 100 {
		t.Errorf("%d runs of %d levels; want a few", r.Runs, levels)
	}
	checkReport(t, "deep", r)
}
