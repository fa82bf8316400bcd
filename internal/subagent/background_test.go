package subagent_test

import (
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/internal/subagent"
)

// A finished background run leaves its state in two places: metadata in the
// artifacts, which record how it ended, and the status of its runner, which
// alone records where its session is.
func TestBackgroundSession(t *testing.T) {
	dir := t.TempDir()
	child := write(t, filepath.Join(dir, "children", "c.jsonl"), childLines("01990000-0000-7000-8000-00000000000c")...)
	async := filepath.Join(dir, "runs", "run1")
	write(t, filepath.Join(async, "status.json"),
		`{"runId":"run1","mode":"single","state":"complete","steps":[{"agent":"scout","status":"complete","sessionFile":`+quoted(child)+`}]}`)
	write(t, filepath.Join(dir, "subagent-artifacts", "run1_scout_meta.json"),
		`{"runId":"run1","agent":"scout","task":"look","exitCode":0,"usage":`+resultUsage+`,"durationMs":900}`)
	parent := write(t, filepath.Join(dir, "p.jsonl"), parentLines(dir, `{"agent":"scout","task":"look","async":true}`,
		`,"details":{"mode":"single","runId":"run1","asyncId":"run1","results":[],"asyncDir":`+quoted(async)+`}`)...)

	r := read(t, parent, subagent.Options{})
	run := r.Invocations[0].Runs[0]
	if run.Status != subagent.OK || run.Source.Kind != subagent.FromSession || run.Source.Path != child {
		t.Errorf("status %s, source %s %s; want ok, session %s", run.Status, run.Source.Kind, run.Source.Path, child)
	}
	if r.Children.Cost.Micros() != spentMicros {
		t.Errorf("the children cost %d; want %d, once", r.Children.Cost.Micros(), spentMicros)
	}
}
