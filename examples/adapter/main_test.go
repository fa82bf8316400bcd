package main

import (
	"bytes"
	"path/filepath"
	"testing"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), &out, filepath.Join(t.TempDir(), "trip.jsonl")); err != nil {
		t.Fatal(err)
	}
	if want := "1 message, forked: true\n"; out.String() != want {
		t.Errorf("printed %q; want %q", out.String(), want)
	}
}
