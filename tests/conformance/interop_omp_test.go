package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/interop/omp"
)

// What pith writes into a session of oh-my-pi is what oh-my-pi reads, and what
// oh-my-pi writes behind it is what pith reads.
func TestOhMyPiBothDirections(t *testing.T) {
	in := omp.Require(t)
	home := t.TempDir()
	var steps []omp.Step
	var files []string
	for _, base := range []string{"full", "reset", "dangling", "branchSrc", "fork", "rollover", "remote", "navigate-then-exit"} {
		file := filepath.Join(home, base+".jsonl")
		text := readFile(t, filepath.Join(programs, "oh-my-pi-18.2.3", base+".jsonl"))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		writeAsPith(t, file)
		steps = append(steps, omp.Step{Op: "view", File: file})
	}
	compareViews(t, in, home, steps)
	steps = nil
	for _, file := range files {
		steps = append(steps, omp.Step{Op: "say", File: file, Text: "said in oh-my-pi"}, omp.Step{Op: "rename", File: file, Text: "named in oh-my-pi"})
	}
	for _, v := range compareViews(t, in, home, steps) {
		if len(v.Messages) == 0 {
			t.Error("oh-my-pi shows no messages")
		}
	}
}

// writeAsPith adds one entry of each kind that a user adds.
func writeAsPith(t *testing.T, file string) {
	t.Helper()
	s := openPith(t, file, pith.Options{Force: true})
	defer closePith(t, s)
	if _, err := s.SetName("named in pith"); err != nil {
		t.Fatal(err)
	}
	leaf := s.LeafID()
	if _, err := s.SetLabel(leaf, "here"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendModel("fake", "chosen/in-pith"); err != nil {
		t.Fatal(err)
	}
	asked := sayNext(t, s)
	if _, err := s.AppendCompaction(format.Compaction{Summary: "compacted in pith", FirstKeptEntryID: asked, TokensBefore: 100}); err != nil {
		t.Fatal(err)
	}
	sayNext(t, s)
	if _, err := s.BranchWithSummary(asked, format.BranchSummary{Summary: "left in pith"}); err != nil {
		t.Fatal(err)
	}
	sayNext(t, s)
}

// compareViews does the steps in oh-my-pi and compares what it shows in the end with
// what pith shows.
func compareViews(t *testing.T, in omp.Installation, home string, steps []omp.Step) []omp.View {
	t.Helper()
	views, err := in.Run(t.Context(), home, steps...)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]omp.View{}
	for i, v := range views {
		last[steps[i].File] = v
	}
	for file, v := range last {
		want := standing{Leaf: v.LeafID, Name: v.Name, Model: v.Model}
		for _, m := range v.Messages {
			want.Messages = append(want.Messages, sketchMessage(t, m))
		}
		got := standingOf(t, file)
		got.Level = ""
		if fmt.Sprintf("%+q", got) != fmt.Sprintf("%+q", want) {
			t.Errorf("%s: pith sees\n%+q\noh-my-pi sees\n%+q", filepath.Base(file), got, want)
		}
	}
	return views
}
