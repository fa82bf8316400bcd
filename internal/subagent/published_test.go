package subagent_test

import (
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/internal/subagent"
)

// Output of the published pi-subagents 0.67.0 is read: its own code made the
// artifacts and the details of the fixture (redacted tasks, names of artifacts,
// transcripts, totals). The directory has moved since, so that the paths in it
// are gone, and the transcripts are found next to the session.
func TestPublished(t *testing.T) {
	file, err := filepath.Abs(filepath.Join("testdata", "pi-subagents-0.67.0", "parent.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	r := read(t, file, subagent.Options{})
	if r.Runs != 2 || r.Bad != 1 || r.Own.Cost.Micros() != 1_000 || r.Children.Cost.Micros() != 18_000 {
		t.Errorf("%d runs, %d bad, own %d, children %d; want 2, 1, 1000, 18000", r.Runs, r.Bad, r.Own.Cost.Micros(), r.Children.Cost.Micros())
	}
	tasks := []string{"survey", "review"}
	for i, run := range r.Invocations[0].Runs {
		var roles []string
		for m, err := range run.Source.Messages(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			roles = append(roles, string(m.Role()))
		}
		if run.Source.Kind != subagent.FromTranscript || run.Task != tasks[i] || len(roles) != 4 || roles[0] != "user" || run.ToolCalls != 1 || run.Turns != 2 {
			t.Errorf("run %d: source %q, task %q, messages %v, %d tool calls, %d turns", i, run.Source.Kind, run.Task, roles, run.ToolCalls, run.Turns)
		}
	}
}
