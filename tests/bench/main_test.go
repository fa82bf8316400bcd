package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/tests/corpus"
)

func TestParseOptions(t *testing.T) {
	tests := map[string]struct {
		args         []string
		runs, piRuns int
		only         []string
		err          string
	}{
		"none":            {nil, 5, 3, nil, ""},
		"quick":           {[]string{"-quick"}, 3, 1, nil, ""},
		"runs":            {[]string{"-quick", "-runs", "9", "-pi-runs", "2"}, 9, 2, nil, ""},
		"only":            {[]string{"-only", "list, append"}, 5, 3, []string{"list", "append"}, ""},
		"no such section": {[]string{"-only", "lists"}, 0, 0, nil, "there are open, whole, plan, list"},
		"both forms":      {[]string{"-json", "-markdown"}, 0, 0, nil, "choose one"},
		"argument":        {[]string{"list"}, 0, 0, nil, `unexpected argument "list"`},
		"negative":        {[]string{"-runs", "-1"}, 0, 0, nil, "at least 1"},
	}
	for name, tt := range tests {
		o, err := parseOptions(tt.args, io.Discard)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: parseOptions(%q) = %v; want an error with %q", name, tt.args, err, tt.err)
			}
			continue
		}
		if err != nil || o.runs != tt.runs || o.piRuns != tt.piRuns || !slices.Equal(o.only, tt.only) {
			t.Errorf("%s: parseOptions(%q) = %+v, %v; want %d runs, %d of pi, only %v", name, tt.args, o, err, tt.runs, tt.piRuns, tt.only)
		}
	}
}

// TestTasks does every task as a child would, on something small.
func TestTasks(t *testing.T) {
	agent := t.TempDir()
	store := filepath.Join(agent, "sessions")
	if err := corpus.Store(store, corpus.StoreOptions{Sessions: 5, Bytes: 50_000, Projects: 2}); err != nil {
		t.Fatal(err)
	}
	chain := filepath.Join(t.TempDir(), "chain.jsonl")
	if err := writeChain(chain, 20); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), "long.jsonl") // worth a compaction
	if err := corpus.WriteFile(long, corpus.Options{Seed: 3, Entries: 500}); err != nil {
		t.Fatal(err)
	}
	for name := range tasks {
		t.Run(name, func(t *testing.T) {
			job, want := task{Name: name, Path: chain}, sample{Entries: 20}
			switch {
			case name == "list", name == "list+text":
				job.Path, want = store, sample{Sessions: 5}
			case name == "list+index", name == "usage", name == "words", name == "scan", strings.HasPrefix(name, "search"):
				job.Path, job.Index, job.Query, want = store, t.TempDir(), "error", sample{Sessions: 5}
			case strings.HasPrefix(name, "plan"):
				job.Path, want = long, sample{Entries: 500}
			case strings.HasPrefix(name, "append"):
				job.Path, job.N, want = t.TempDir(), 3, sample{Entries: 5}
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
			if got.Entries != want.Entries || got.Sessions != want.Sessions || got.Wall <= 0 {
				t.Errorf("runTask(%s) = %+v; want a time, %d entries, %d sessions", text, got, want.Entries, want.Sessions)
			}
		})
	}
}

func TestUnknownTask(t *testing.T) {
	if err := runTask(t.Context(), `{"name":"juggle"}`, io.Discard); err == nil {
		t.Error("runTask(juggle) = nil; want an error")
	}
}

func TestProbes(t *testing.T) {
	if ownPeak() == 0 {
		t.Skip("memory cannot be measured on this system")
	}
	if peak := ownPeak(); peak < 1<<20 || peak > 1<<40 {
		t.Errorf("ownPeak() = %d; want some megabytes", peak)
	}
	before := ownCPU()
	for ownCPU() == before { // spends what it waits for
	}
	if _, ok := processCPU(os.Getpid()); ok {
		if other, own := mustCPU(t), ownCPU(); own < other || own-other > time.Minute {
			t.Errorf("processCPU(self) = %v and ownCPU() = %v; want about the same", other, own)
		}
	}
}

func mustCPU(t *testing.T) time.Duration {
	t.Helper()
	d, ok := processCPU(os.Getpid())
	if !ok {
		t.Fatal("processCPU(self) is not known any more")
	}
	return d
}

func TestFilesAreMadeOnce(t *testing.T) {
	t.Setenv("PITH_TEST_CACHE", t.TempDir())
	var log strings.Builder
	b := &bench{log: &log}
	made := 0
	for range 2 {
		path, err := b.ownFile(t.Context(), "a chain", "chain-3", func(path string) error {
			made++
			return writeChain(path, 3)
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
	if _, err := b.file(context.Background(), "nothing", func(context.Context) (string, error) { return "", os.ErrPermission }); err == nil {
		t.Error("file of what cannot be made = nil; want an error")
	}
}
