package main

import (
	"bytes"
	"testing"

	"github.com/pith-sessions/pith/llm/llmtest"
)

func TestRun(t *testing.T) {
	model := llmtest.NewServer()
	defer model.Close()
	var out bytes.Buffer
	if err := run(t.Context(), &out, t.TempDir(), model); err != nil {
		t.Fatal(err)
	}
	want := "Take an umbrella.\nforked before: Thank you.\nStill rain.\nresumed with 6 messages\nresumed with 6 messages\n"
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}
}
