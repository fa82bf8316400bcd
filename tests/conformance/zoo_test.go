package conformance_test

import (
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/tests/corpus"
)

// The sessions of the zoo are sessions for pi too: both releases open each of
// them, parents, children and those whose histories part, change nothing, and see
// what pith sees at every entry. The doctor has nothing to say against them.
func TestZooAndPi(t *testing.T) {
	eachPi(t, func(t *testing.T, r rig) {
		dir := t.TempDir()
		all, err := corpus.WriteZoo(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			t.Run(e.Name, func(t *testing.T) {
				opened := 0
				for _, f := range e.Files {
					if r.zooFile(t, filepath.Join(dir, filepath.FromSlash(f.Path)), f.Path == e.Session || f.Path == e.Other) {
						opened++
					}
				}
				if opened == 0 {
					t.Errorf("exhibit %s holds no session", e.Name)
				}
			})
		}
	})
}

// zooFile compares one file of an exhibit and reports whether it is a session. Of
// the others, which are outputs and streams of events, nothing is asked.
func (r rig) zooFile(t *testing.T, path string, must bool) bool {
	t.Helper()
	if !must && filepath.Ext(path) != ".jsonl" {
		return false
	}
	found, err := doctor.Check(t.Context(), path, doctor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found.Version == 0 && !must {
		return false
	}
	if n := found.Count(doctor.Error) + found.Count(doctor.Warning); n > 0 {
		t.Errorf("Check(%s) = %v; want no errors and no warnings", path, found.Findings)
	}
	if !r.printsAlike(t, path) { // a member that comes twice: only opening can be compared
		r.open(t, path)
		return true
	}
	r.compare(t, path, atEntries)
	return true
}
