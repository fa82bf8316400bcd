package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The yardstick is the same each time, and has an answer to each question.
func TestYardstick(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	list, err := generate(first, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := generate(second, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != questions || !slices.EqualFunc(list, again, func(a, b question) bool { return a.text == b.text && a.session == b.session }) {
		t.Fatalf("%d questions, then %d; want %d, the same", len(list), len(again), questions)
	}
	names, err := filepath.Glob(filepath.Join(first, "*.jsonl"))
	if err != nil || len(names) != sessionCount {
		t.Fatalf("%d sessions, %v; want %d", len(names), err, sessionCount)
	}
	texts := map[string]string{}
	for _, name := range names {
		a, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(second, filepath.Base(name))); err != nil || string(a) != string(b) {
			t.Fatalf("%s differs: %v", filepath.Base(name), err)
		}
		_, id, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".jsonl"), "_")
		texts[id] = string(a)
	}
	for _, q := range list {
		if !strings.Contains(texts[q.session], `"id":"`+q.entries[0]+`"`) {
			t.Errorf("%q: session %s has no entry %s", q.text, q.session, q.entries[0])
		}
	}
}
