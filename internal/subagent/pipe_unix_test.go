//go:build unix

package subagent_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith/internal/subagent"
)

// A pipe without a writer does not block, wherever a session names it.
func TestPipesDoNotHang(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	q := quoted(pipe)
	details := `,"details":{"mode":"single","asyncDir":` + q + `,"artifacts":{"dir":` + q + `},"results":[{"agent":"a","sessionFile":` + q + `,"transcriptPath":` + q +
		`,"artifactPaths":{"jsonlPath":` + q + `,"outputPath":` + q + `,"metadataPath":` + q + `}}]}`
	r := read(t, write(t, filepath.Join(dir, "p.jsonl"), parentLines("/w", `{"agent":"a"}`, details)...), subagent.Options{})
	run := r.Invocations[0].Runs[0]
	if run.Source.Kind != "" || len(run.Tried) != 4 {
		t.Errorf("source %q, tried %+v; want none and four attempts", run.Source.Kind, run.Tried)
	}
	for _, err := range (subagent.Source{Kind: subagent.FromTranscript, Path: pipe}).Messages(t.Context()) {
		if err == nil {
			t.Errorf("messages of a pipe: no error")
		}
	}
}
