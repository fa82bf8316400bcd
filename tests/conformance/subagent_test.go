package conformance_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/llm/llmtest"
	"github.com/pith-sessions/pith/tests/interop/pi"
)

// Sessions of pi's own subagent example are read: pi runs with the extension
// that it ships, which starts its own pi for each task; a server on loopback
// answers for the model.
func TestSubagentsOfPi(t *testing.T) {
	for _, v := range pi.Versions() {
		t.Run(string(v), func(t *testing.T) {
			t.Parallel()
			in := pi.Require(t, v)
			r := runsOf(t, delegate(t, in, t.TempDir(), filepath.Join(in.Package(), "examples", "extensions", "subagent", "index.ts"),
				`{"agent":"scout","task":"look around"}`,
				`{"tasks":[{"agent":"scout","task":"look again"},{"agent":"nobody","task":"do what?"}]}`))
			if r.Runs != 3 || r.Bad != 1 || len(r.Invocations) != 2 {
				t.Fatalf("%d runs, %d bad, %d calls; want 3, 1, 2", r.Runs, r.Bad, len(r.Invocations))
			}
			checkRuns(t, r.Invocations[0], subagent.Single, subagent.FromInline, "look around")
			checkRuns(t, r.Invocations[1], subagent.Parallel, subagent.FromInline, "look again", "")
			if lost := r.Invocations[1].Runs[1]; lost.Agent != "nobody" || lost.Task != "do what?" || lost.Status != subagent.Failed {
				t.Errorf("the run that cannot be: agent %q, task %q, status %s", lost.Agent, lost.Task, lost.Status)
			}
			if r.Children.Input != 140 || r.Own.Input != 300 {
				t.Errorf("input of the children %d, of the session itself %d; want 140, 300", r.Children.Input, r.Own.Input)
			}
		})
	}
}

// The same with the published pi-subagents: its children have sessions of their
// own, the tasks are redacted in the results, and several runs are a workflow.
func TestPublishedSubagents(t *testing.T) {
	t.Parallel()
	in, extension, temporary := pi.Require(t, pi.V0_87_1), pi.RequireSubagents(t), t.TempDir()
	compiled, err := in.CompiledSubagents(t.Context(), extension)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(temporary, "jiti"), os.DirFS(compiled)); err != nil {
		t.Fatal(err)
	}
	r := runsOf(t, delegate(t, in, temporary, extension,
		`{"agent":"scout","task":"look around","async":false}`,
		`{"async":false,"workflowScript":"const [a, b] = await runs.all([{key:'one',agent:'scout',task:'look left'},{key:'two',agent:'scout',task:'look right'}]); return a.output"}`))
	if r.Runs != 3 || r.Bad != 0 || len(r.Invocations) != 2 {
		t.Fatalf("%d runs, %d bad, %d calls; want 3, 0, 2", r.Runs, r.Bad, len(r.Invocations))
	}
	checkRuns(t, r.Invocations[0], subagent.Single, subagent.FromSession, "look around")
	checkRuns(t, r.Invocations[1], subagent.Workflow, subagent.FromSession, "look left", "look right")
	if r.Children.Input != 210 || r.Own.Input != 300 {
		t.Errorf("input of the children %d, of the session itself %d; want 210, 300", r.Children.Input, r.Own.Input)
	}
}

// checkRuns holds the runs of a call against the tasks that were given; a task of
// "" is not looked at.
func checkRuns(t *testing.T, call subagent.Invocation, mode subagent.Mode, source subagent.SourceKind, tasks ...string) {
	t.Helper()
	if call.Mode != mode || len(call.Runs) != len(tasks) {
		t.Fatalf("a %s call with %d runs; want %s with %d", call.Mode, len(call.Runs), mode, len(tasks))
	}
	for i, run := range call.Runs {
		if tasks[i] == "" {
			continue
		}
		if run.Agent != "scout" || run.Task != tasks[i] || run.Status != subagent.OK || run.Source.Kind != source || lastResponse(t, run) != "nothing but trees" {
			t.Errorf("run %d: agent %q, task %q, status %s, from %s, answer %q; want scout, %q, ok, %s, the answer",
				i, run.Agent, run.Task, run.Status, run.Source.Kind, lastResponse(t, run), tasks[i], source)
		}
		if run.Usage.Input != 70 || run.Usage.Output != 7 || run.Turns != 1 {
			t.Errorf("run %d: usage %+v, %d turns; want 70 in, 7 out, 1 turn", i, run.Usage, run.Turns)
		}
	}
}

// delegate makes pi hold a conversation in which a model calls subagents twice,
// with a directory for temporary files, and returns its session.
func delegate(t *testing.T, in pi.Installation, temporary, extension, first, second string) string {
	t.Helper()
	model := llmtest.NewServer()
	t.Cleanup(model.Close)
	model.AnswerFunc(func(r llmtest.Request) llmtest.Answer {
		switch answered := bytes.Count(r.Body, []byte(`"role":"tool"`)); {
		case !bytes.Contains(r.Body, []byte("go and see")):
			return llmtest.Text("nothing but trees").Tokens(70, 7)
		case answered == 0:
			return llmtest.Call("call_1", "subagent", first).Tokens(100, 10)
		case answered == 1:
			return llmtest.Call("call_2", "subagent", second).Tokens(100, 10)
		}
		return llmtest.Text("all is told").Tokens(100, 10)
	})
	home, sessions := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"models.json":     model.ModelsJSON(),
		"settings.json":   `{"defaultProvider":"` + llmtest.OpenAIProvider + `","defaultModel":"` + llmtest.ModelID + `"}`,
		"agents/scout.md": "---\nname: scout\ndescription: looks around\ntools: read\n---\nLook around.\n",
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := in.Program(t.Context(), home, "-p", "--session-dir", sessions, "-e", extension, "go and see")
	cmd.Dir = t.TempDir()
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary, "NODE_DISABLE_COMPILE_CACHE=1") // the cache would be written in the background
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("all is told")) {
		t.Fatalf("pi: %v\n%s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(sessions, "*.jsonl"))
	if err != nil || len(found) != 1 {
		t.Fatalf("pi left %v, %v; want one session", found, err)
	}
	return found[0]
}

func runsOf(t *testing.T, path string) *subagent.Report {
	t.Helper()
	s, err := pith.Open(t.Context(), path, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := subagent.Read(t.Context(), s, subagent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lastResponse is what a run's own conversation ends with.
func lastResponse(t *testing.T, run subagent.Run) string {
	t.Helper()
	last := ""
	for m, err := range run.Source.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if a, ok := m.(*format.Assistant); ok {
			last = a.Content.Joined()
		}
	}
	return last
}
