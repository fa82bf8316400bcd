package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		args         []string
		runs, piRuns int
		err          string
	}{
		"none":            {nil, 5, 3, ""},
		"quick":           {[]string{"-quick"}, 3, 1, ""},
		"runs":            {[]string{"-quick", "-runs", "9", "-pi-runs", "2"}, 9, 2, ""},
		"only":            {[]string{"-only", "list,append"}, 5, 3, ""},
		"no such section": {[]string{"-only", "lists"}, 0, 0, "there are open, whole, plan, list"},
		"argument":        {[]string{"list"}, 0, 0, "an argument too many"},
		"write some":      {[]string{"-only", "list", "-write", "x.md"}, 0, 0, "excludes -only"},
		"negative":        {[]string{"-runs", "-1"}, 0, 0, "fewer than no runs"},
	}
	for name, tt := range tests {
		b := &bench{}
		err := b.parse(tt.args, io.Discard)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: parse(%q) = %v; want an error with %q", name, tt.args, err, tt.err)
			}
			continue
		}
		if err != nil || b.runs != tt.runs || b.piRuns != tt.piRuns {
			t.Errorf("%s: parse(%q) = %d and %d runs, %v; want %d and %d", name, tt.args, b.runs, b.piRuns, err, tt.runs, tt.piRuns)
		}
	}
}

// TestTasks does every task as a child would, on something small.
func TestTasks(t *testing.T) {
	store := filepath.Join(t.TempDir(), "sessions")
	if err := corpus.Store(store, corpus.StoreOptions{Sessions: 5, Bytes: 50_000, Projects: 2}); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := corpus.Chain(&text, 20); err != nil {
		t.Fatal(err)
	}
	chain := filepath.Join(t.TempDir(), "chain.jsonl")
	if err := os.WriteFile(chain, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), "long.jsonl") // worth a compaction
	if err := corpus.WriteFile(long, corpus.Options{Seed: 3, Entries: 500}); err != nil {
		t.Fatal(err)
	}
	crowd := filepath.Join(t.TempDir(), "sessions")
	if err := makeCrowd(t.Context(), crowd, 2); err != nil {
		t.Fatal(err)
	}
	twins := t.TempDir()
	if _, err := writeTwins(twins, 2); err != nil {
		t.Fatal(err)
	}
	if err := writeRollout(twins, 10_000); err != nil {
		t.Fatal(err)
	}
	for name := range tasks {
		t.Run(name, func(t *testing.T) {
			job, count, want := task{Name: name, Path: chain}, "entries", 20
			switch {
			case name == "list+home":
				job.Path, count, want = twins, "sessions", 3
			case strings.HasPrefix(name, "list"):
				job.Path, job.Index, count, want = store, t.TempDir(), "sessions", 5
			case strings.HasSuffix(name, " words"):
				job.Path, job.Index, count, want = crowd, t.TempDir(), "sessions", 2
			case strings.HasPrefix(name, "plan"):
				job.Path, want = long, 500
			case strings.HasPrefix(name, "append"):
				job.Path, job.N, want = t.TempDir(), 3, 0
			}
			text, err := json.Marshal(job)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := runTask(t.Context(), string(text), &out); err != nil {
				t.Fatalf("runTask(%s) = %v", text, err)
			}
			var got sample
			if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
				t.Fatalf("runTask(%s) printed %q: %v", text, out.String(), err)
			}
			if got.Counts[count] != want || got.Took <= 0 {
				t.Errorf("runTask(%s) = %+v; want a time and %d %s", text, got, want, count)
			}
		})
	}
	if err := runTask(t.Context(), `{"name":"juggle"}`, io.Discard); err == nil {
		t.Error("runTask(juggle) = nil; want an error")
	}
}

// Runs alternate, and a table has the medians and how they compare.
func TestMeasure(t *testing.T) {
	var order []string
	contending := func(name string, runs int, took ...time.Duration) contender {
		return contender{name, runs, func(context.Context) (reading, error) {
			order = append(order, name)
			d := took[0]
			took = took[1:]
			return reading{[]figure{{"open", d.Seconds(), seconds}, resident("peak", 0)}, map[string]int{"entries": 3}}, nil
		}}
	}
	ms := time.Millisecond
	fails := contender{"old pi", 2, func(context.Context) (reading, error) { return reading{}, errors.New("too large") }}
	tr := trial{contending("pith", 3, 30*ms, 10*ms, 20*ms), contending("pi", 1, 500*ms), fails}
	var out strings.Builder
	b := &bench{progress: newProgress(io.Discard)}
	if err := b.measure(t.Context(), &out, section{title: "A session"}, []trial{tr}); err != nil {
		t.Fatal(err)
	}
	want := "\n### A session\n\n| what | pith | pi | old pi |\n| --- | ---: | ---: | ---: |\n| open | 20.0 ms (10.0 ms to 30.0 ms) | 500 ms, 25.0x | failed |\n| peak | | | failed |\n"
	if out.String() != want {
		t.Errorf("measure printed %q; want %q", out.String(), want)
	}
	if !slices.Equal(order, []string{"pith", "pi", "pith", "pith"}) {
		t.Errorf("runs in the order %v", order)
	}
	differs := contender{"pi", 1, func(context.Context) (reading, error) { return reading{counts: map[string]int{"entries": 4}}, nil }}
	if _, err := b.alternate(t.Context(), trial{contending("pith", 1, ms), differs}); err == nil {
		t.Error("programs that found different things were compared")
	}
}

func TestFilesAreMadeOnce(t *testing.T) {
	t.Setenv("PITH_TEST_CACHE", t.TempDir())
	b := &bench{progress: newProgress(io.Discard)}
	made := 0
	for range 2 {
		path, err := b.ownFile(t.Context(), "chain-3", func(w io.Writer) error {
			made++
			return corpus.Chain(w, 3)
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("the file was made %d times, want once", made)
	}
}

// The table of limits compares with the newest release of a peer or with
// another figure, and says what was not measured.
func TestLimits(t *testing.T) {
	saved := limits
	t.Cleanup(func() { limits = saved })
	limits = []limit{
		{"opens `it`", []string{"pi"}, []goal{faster("open", 10), memory("peak", 64)}},
		{"shows it", []string{"open"}, []goal{atMostOver("show", 1.1)}},
		{"starts", nil, []goal{within("start", 6*time.Millisecond)}},
		{"flies", []string{"birds"}, []goal{atMostOver("fly", 2)}},
		{"idles", nil, []goal{share("idle", 2)}},
	}
	b := &bench{}
	for _, f := range []struct {
		figure
		program string
		amount  float64
	}{
		{took("open", 0), "pith", 0.1}, {took("open", 0), "pi 0.73.1", 3}, {took("open", 0), "pi 0.87.1", 2}, {resident("peak", 0), "pith", 65e6},
		{took("show", 0), "pith", 0.105}, {took("start", 0), "pith", 0.012}, {figure{"idle", 0, percent}, "pith", 0.5},
		{took("start", 0), "pith", 1}, // a second figure of that label
	} {
		b.note(f.figure, f.program, f.amount)
	}
	var out strings.Builder
	b.printLimits(&out)
	_, got, _ := strings.Cut(out.String(), "| --- | --- | --- | --- | --- |\n")
	want := "| opens `it` | pi 0.87.1: 2.00 s | 10x less than pi; 64.0 MB | 20.0x less: 100 ms; 65.0 MB | 1 of 2 |\n" +
		"| shows it | open: 100 ms | at most 1.1x that | 1.05x: 105 ms | yes |\n" +
		"| starts |  | 6.00 ms | 12.0 ms | no |\n" +
		"| flies | birds | at most 2x that | not measured |  |\n" +
		"| idles |  | 2.000 % | 0.500 % | yes |\n"
	if got != want {
		t.Errorf("printLimits printed\n%s\nwant\n%s", got, want)
	}
	chart := b.limitsChart()
	for what, n := range map[string]int{`class="met"`: 3, `class="missed"`: 2, "opens it": 2, "flies": 0} {
		if strings.Count(chart, what) != n {
			t.Errorf("the chart has %q %d times, want %d:\n%s", what, strings.Count(chart, what), n, chart)
		}
	}
	if err := xml.Unmarshal([]byte(chart), new(struct{})); err != nil {
		t.Errorf("the chart is not XML: %v", err)
	}
}

func TestRewrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.md")
	for _, text := range []string{"a\n" + printedBegin + "old\n" + printedEnd + "b\n" + printedEnd, "no comments\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := rewrite(path, "new\n")
		data, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if want := "a\n" + printedBegin + "\nnew\n\n" + printedEnd + "b\n" + printedEnd; err == nil && string(data) != want {
			t.Errorf("rewrite(%q) wrote %q, want %q", text, data, want)
		}
		if broken := text == "no comments\n"; (err != nil) != broken || broken && string(data) != text {
			t.Errorf("rewrite(%q) = %v and wrote %q", text, err, data)
		}
	}
}

// A table of growth names the growth between the first and the last measured
// point, and leaves out what was not measured.
func TestGrowth(t *testing.T) {
	saved := axes
	t.Cleanup(func() { axes = saved })
	axes = []axis{{"the size", []string{"1 MB", "10 MB", "100 MB"}, []float64{1, 10, 100}, []curve{
		each("reading", labeled("%d read"), 1, 10, 100), each("asking", labeled("%d asked"), 1, 10, 100),
		each("sorting", labeled("%d sorted"), 1, 10, 100), each("hashing", labeled("%d hashed"), 1, 10, 100), each("once", labeled("%d once"), 1, 10, 100),
	}}}
	b := &bench{}
	for what, amount := range map[string]float64{
		"1 read": 1, "10 read": 9, "100 read": 101, "1 asked": 1, "100 asked": 1.2, "1 sorted": 1, "10 sorted": 100, "100 sorted": 10_000, "1 hashed": 1, "10 hashed": 3, "1 once": 1,
	} {
		b.note(took(what, 0), "pith", amount)
	}
	var out strings.Builder
	b.printGrowth(&out)
	want := "\n### Growth with the size\n\n| what | 1 MB | 10 MB | 100 MB | growth |\n| --- | ---: | ---: | ---: | --- |\n" +
		"| reading | 1.00 s | 9.00 s | 101 s | linear |\n| asking | 1.00 s | | 1.20 s | constant |\n" +
		"| sorting | 1.00 s | 100 s | 10000 s | more than linear |\n| hashing | 1.00 s | 3.00 s | | less than linear |\n"
	if out.String() != want {
		t.Errorf("printGrowth printed\n%s\nwant\n%s", out.String(), want)
	}
	chart := b.growthChart()
	if n := strings.Count(chart, "<polyline"); n != 4 {
		t.Errorf("the chart has %d curves, want 4:\n%s", n, chart)
	}
	if err := xml.Unmarshal([]byte(chart), new(struct{})); err != nil {
		t.Errorf("the chart is not XML: %v", err)
	}
}

// Long sections are measured on request only.
func TestChosen(t *testing.T) {
	for _, c := range []struct {
		b    bench
		want string
	}{
		{bench{}, "open"}, {bench{write: "x.md"}, "open millions"}, {bench{build: true}, "open build"}, {bench{only: "millions,build"}, "millions build"},
	} {
		var got []string
		for _, name := range []string{"open", "millions", "build"} {
			if c.b.chosen(name) {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v measures %q, want %s", c.b, got, c.want)
		}
	}
}
