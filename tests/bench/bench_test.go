package main

import (
	"context"
	"encoding/json"
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
		"negative":        {[]string{"-runs", "-1"}, 0, 0, "fewer than no runs"},
	}
	for name, tt := range tests {
		b := &bench{log: io.Discard}
		err := b.parse(tt.args)
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
			case name == "usage", strings.HasPrefix(name, "list"):
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
	b := &bench{log: io.Discard}
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
	b := &bench{log: io.Discard}
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
