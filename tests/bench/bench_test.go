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
		args           []string
		runs, peerRuns int
		err            string
	}{
		"none":            {nil, 5, 3, ""},
		"quick":           {[]string{"-quick"}, 3, 1, ""},
		"runs":            {[]string{"-quick", "-runs", "9", "-peer-runs", "2"}, 9, 2, ""},
		"only":            {[]string{"-only", "list,append"}, 5, 3, ""},
		"no such section": {[]string{"-only", "lists"}, 0, 0, "there are open, command, append, growth"},
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
		if err != nil || b.runs != tt.runs || b.peerRuns != tt.peerRuns {
			t.Errorf("%s: parse(%q) = %d and %d runs, %v; want %d and %d", name, tt.args, b.runs, b.peerRuns, err, tt.runs, tt.peerRuns)
		}
	}
}

// TestTasks does every task as a child would, on something small.
func TestTasks(t *testing.T) {
	var text strings.Builder
	if err := corpus.Chain(&text, 20); err != nil {
		t.Fatal(err)
	}
	chain := filepath.Join(t.TempDir(), "chain.jsonl")
	if err := os.WriteFile(chain, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	crowd := filepath.Join(t.TempDir(), "sessions")
	if err := makeCrowd(t.Context(), crowd, 2); err != nil {
		t.Fatal(err)
	}
	for name := range tasks {
		t.Run(name, func(t *testing.T) {
			job, count, want := task{Name: name, Path: chain}, "entries", 20
			switch {
			case name == "search words":
				job.Path, job.Index, count, want = crowd, t.TempDir(), "sessions", 2
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
	contending := func(name string, runs int, times ...time.Duration) contender {
		return contender{name, runs, func(context.Context) (reading, error) {
			order = append(order, name)
			d := times[0]
			times = times[1:]
			return reading{[]figure{
				took("open", d).with(faster(20)), took("same", d).with(over(0.5)), took("alone", d).with(within(time.Millisecond)), resident("peak", 0).with(atMost(64e6)), took("free", d),
			}, map[string]int{"entries": 3}}, nil
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
	want := "\n### A session\n\n| what | pith | pi | old pi | goal | reached |\n| --- | ---: | ---: | ---: | --- | --- |\n" +
		"| open | 20.0 ms (10.0 ms to 30.0 ms) | 500 ms, 25.0x | failed | 20x less | yes |\n" +
		"| same | 20.0 ms (10.0 ms to 30.0 ms) | 500 ms, 25.0x | failed | at most 0.5x | yes |\n" +
		"| alone | 20.0 ms (10.0 ms to 30.0 ms) | 500 ms, 25.0x | failed | 1.00 ms | no |\n" +
		"| peak | | | failed | 64.0 MB | |\n" +
		"| free | 20.0 ms (10.0 ms to 30.0 ms) | 500 ms, 25.0x | failed | | |\n"
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

// The sessions of Claude Code have the size that their section names.
func TestWriteClaude(t *testing.T) {
	home := t.TempDir()
	size, err := writeClaude(home, 3)
	if err != nil {
		t.Fatal(err)
	}
	if written, err := sizeBelow(home); err != nil || written != size || size/3 < 355_000 || size/3 > 361_000 {
		t.Errorf("3 sessions have %d bytes, the files %d, %v; want 358,000 each", size, written, err)
	}
}
