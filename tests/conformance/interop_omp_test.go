package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/interop/omp"
	"github.com/pith-sessions/pith/tests/interop/openclaw"
)

// writes are what a user of pith does to a session, each by its name. They return the
// file that came of it.
var writes = map[string]func(t *testing.T, s *pith.Session) string{
	"append": func(t *testing.T, s *pith.Session) string {
		sayNext(t, s)
		return s.File()
	},
	"name": func(t *testing.T, s *pith.Session) string {
		_, err := s.SetName(t.Context(), "named in pith")
		return must(t, s.File(), err)
	},
	"label": func(t *testing.T, s *pith.Session) string {
		_, err := s.SetLabel(t.Context(), firstUser(t, s), "here")
		return must(t, s.File(), err)
	},
	"model": func(t *testing.T, s *pith.Session) string {
		_, err := s.AppendModel(t.Context(), "fake", "chosen/in-pith")
		return must(t, s.File(), err)
	},
	"compact": func(t *testing.T, s *pith.Session) string {
		asked := sayNext(t, s)
		_, err := s.AppendCompaction(t.Context(), format.Compaction{Summary: "compacted in pith", FirstKeptEntryID: asked, TokensBefore: 100})
		sayNext(t, s)
		return must(t, s.File(), err)
	},
	"branch": func(t *testing.T, s *pith.Session) string {
		return must(t, s.File(), s.Branch(firstUser(t, s)))
	},
	"branch with a summary": func(t *testing.T, s *pith.Session) string {
		_, err := s.BranchWithSummary(t.Context(), firstUser(t, s), format.BranchSummary{Summary: "left in pith"})
		sayNext(t, s)
		return must(t, s.File(), err)
	},
	"fork": func(t *testing.T, s *pith.Session) string {
		n, err := pith.ForkFrom(t.Context(), s.File(), pith.Options{Cwd: "/home/u/proj", Dir: s.Dir()})
		if err != nil {
			t.Fatal(err)
		}
		return must(t, n.File(), n.Close())
	},
	"clone": func(t *testing.T, s *pith.Session) string {
		n, err := s.Clone(t.Context(), s.LeafID())
		if err != nil {
			t.Fatal(err)
		}
		return must(t, n.File(), n.Close())
	},
	"all": func(t *testing.T, s *pith.Session) string {
		writeAsPith(t, s)
		return s.File()
	},
}

func must(t *testing.T, file string, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// firstUser is the first thing that the user said on the way to the leaf.
func firstUser(t *testing.T, s *pith.Session) string {
	t.Helper()
	v := s.View()
	path, err := v.Path(s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	for _, pos := range path {
		e, err := v.Entry(pos)
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := e.(*format.MessageEntry); ok && m.Message.Role() == format.RoleUser {
			return e.Head().ID
		}
	}
	t.Fatal("the user said nothing")
	return ""
}

// A shown is what another program shows of a session.
type shown struct {
	file, leaf, name, model string
	labels                  map[string]string
	messages                []json.RawMessage
}

// writeEach applies each write to a copy of each sample, in directories named
// as by the program, and returns the files by write.
func writeEach(t *testing.T, home, folder, samples string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, base := range samplesIn(t, samples) {
		for what, write := range writes {
			file := copySample(t, samples, base, filepath.Join(home, folder, base+"-"+what))
			s := openPith(t, file, pith.Options{Force: true, Dir: filepath.Dir(file)})
			made := write(t, s)
			closePith(t, s)
			files[base+": "+what] = made
		}
	}
	return files
}

func samplesIn(t *testing.T, folder string) []string {
	t.Helper()
	views, err := filepath.Glob(filepath.Join(programs, folder, "expected", "*"))
	if err != nil || len(views) == 0 {
		t.Fatalf("no views in %s: %v", folder, err)
	}
	for i, v := range views {
		views[i] = filepath.Base(v[:len(v)-len(filepath.Ext(v))])
	}
	return views
}

func copySample(t *testing.T, folder, base, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, base+".jsonl")
	if err := os.WriteFile(file, []byte(readFile(t, filepath.Join(programs, folder, base+".jsonl"))), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// agrees compares what a program shows with what pith shows.
func agrees(t *testing.T, what string, v shown) {
	t.Helper()
	want := standing{Leaf: v.leaf, Name: v.name, Model: v.model}
	for _, m := range v.messages {
		want.Messages = append(want.Messages, sketchMessage(t, m))
	}
	got := standingOf(t, v.file)
	got.Level = ""
	if fmt.Sprintf("%+q", got) != fmt.Sprintf("%+q", want) {
		t.Errorf("%s: pith sees\n%+q\nthe program sees\n%+q", what, got, want)
	}
	s := openPith(t, v.file, pith.Options{ReadOnly: true})
	defer closePith(t, s)
	labels, now := map[string]string{}, s.View()
	for i := range now.Len() {
		if id := now.At(i).ID; now.Label(id) != "" {
			labels[id] = now.Label(id)
		}
	}
	if !maps.Equal(labels, v.labels) {
		t.Errorf("%s: pith sees the labels %v, the program %v", what, labels, v.labels)
	}
}

// deeds are what a user of another program does to a session.
var deeds = []struct{ op, text string }{
	{"say", "said there"}, {"rename", "named there"}, {"label", "there"}, {"compact", "compacted there"}, {"branch", "left there"},
	{"model", "fake/chosen-there"}, {"fork", ""}, {"clone", ""},
}

// actEach has a program do each act to a copy of each sample: do gets the op, the file,
// a text and an entry.
func actEach(t *testing.T, home, folder, samples string, do func(what, op, file, text, target string)) {
	t.Helper()
	for _, base := range samplesIn(t, samples) {
		for _, act := range deeds {
			file := copySample(t, samples, base, filepath.Join(home, folder, base+"-in-"+act.op))
			s := openPith(t, file, pith.Options{ReadOnly: true})
			target := firstUser(t, s)
			closePith(t, s)
			do(base+": "+act.op+" there", act.op, file, act.text, target)
		}
	}
}

// isElsewhere checks that a copy is a file of its own, and everything else is not.
func isElsewhere(t *testing.T, what, op, file, shown string) {
	t.Helper()
	if copied := op == "fork" || op == "clone"; copied == (file == shown) {
		t.Errorf("%s: %s of %s is in %s", what, op, file, shown)
	}
}

// pith reads the writes of oh-my-pi: each kind of write, on each sample.
func TestPithReadsOhMyPi(t *testing.T) {
	in := omp.Require(t)
	home := t.TempDir()
	var steps []omp.Step
	var told []string
	actEach(t, home, ".omp/agent/sessions", "oh-my-pi-18.2.3", func(what, op, file, text, target string) {
		steps, told = append(steps, omp.Step{Op: op, File: file, Text: text, Target: target}), append(told, what)
	})
	views, err := in.Run(t.Context(), home, steps...)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range views {
		isElsewhere(t, told[i], steps[i].Op, steps[i].File, v.File)
		agrees(t, told[i], shown{v.File, v.LeafID, v.Name, v.Model, v.Labels, v.Messages})
	}
}

// OpenClaw, in the last release that keeps sessions in files, reads pith's
// writes, and pith reads OpenClaw's: each kind of write, on each sample.
func TestOpenClawBothDirections(t *testing.T) {
	in := openclaw.Require(t)
	home := t.TempDir()
	const folder, samples = ".openclaw/agents/main/sessions", "openclaw-2026.7.1"
	var steps []openclaw.Step
	var told []string
	files := writeEach(t, home, folder, samples)
	for _, what := range slices.Sorted(maps.Keys(files)) {
		steps, told = append(steps, openclaw.Step{Op: "view", File: files[what]}), append(told, what)
	}
	actEach(t, home, folder, samples, func(what, op, file, text, target string) {
		steps, told = append(steps, openclaw.Step{Op: op, File: file, Text: text, Target: target}), append(told, what)
	})
	views, err := in.Run(t.Context(), home, steps...)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range views {
		isElsewhere(t, told[i], steps[i].Op, steps[i].File, v.File)
		agrees(t, told[i], shown{v.File, v.LeafID, v.Name, v.Model, v.Labels, v.Messages})
	}
}

// writeAsPith adds one entry of each kind that a user adds.
func writeAsPith(t *testing.T, s *pith.Session) {
	t.Helper()
	if _, err := s.SetName(t.Context(), "named in pith"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetLabel(t.Context(), firstUser(t, s), "here"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendModel(t.Context(), "fake", "chosen/in-pith"); err != nil {
		t.Fatal(err)
	}
	asked := sayNext(t, s)
	if _, err := s.AppendCompaction(t.Context(), format.Compaction{Summary: "compacted in pith", FirstKeptEntryID: asked, TokensBefore: 100}); err != nil {
		t.Fatal(err)
	}
	sayNext(t, s)
	if _, err := s.BranchWithSummary(t.Context(), asked, format.BranchSummary{Summary: "left in pith"}); err != nil {
		t.Fatal(err)
	}
	sayNext(t, s)
}
