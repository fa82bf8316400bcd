package export_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/agents"
)

// atif is what a trajectory must have, by the rules of ATIF v1.7.
type atif struct {
	SchemaVersion string `json:"schema_version"`
	SessionID     string `json:"session_id"`
	TrajectoryID  string `json:"trajectory_id"`
	Agent         struct{ Name, Version string }
	Steps         []struct {
		StepID    int `json:"step_id"`
		Timestamp string
		Source    string
		ModelName string `json:"model_name"`
		Message   *string
		Reasoning string `json:"reasoning_content"`
		Metrics   *struct {
			Prompt int64 `json:"prompt_tokens"`
		}
		ToolCalls []struct {
			ID        string `json:"tool_call_id"`
			Name      string `json:"function_name"`
			Arguments map[string]any
		} `json:"tool_calls"`
		Observation *struct {
			Results []struct {
				Call    string `json:"source_call_id"`
				Content string
				Refs    []struct {
					ID string `json:"trajectory_id"`
				} `json:"subagent_trajectory_ref"`
			}
		}
	}
	FinalMetrics *struct {
		Steps int `json:"total_steps"`
	} `json:"final_metrics"`
	Subagents []atif `json:"subagent_trajectories"`
}

// check holds a trajectory against the rules.
func (a *atif) check(t *testing.T) {
	t.Helper()
	if a.SchemaVersion != "ATIF-v1.7" || a.SessionID == "" || a.TrajectoryID == "" || a.Agent.Name == "" || a.Agent.Version == "" {
		t.Errorf("the head is %+v", a)
	}
	children := map[string]bool{}
	for i := range a.Subagents {
		children[a.Subagents[i].TrajectoryID] = true
		a.Subagents[i].check(t)
	}
	for i, s := range a.Steps {
		if s.StepID != i+1 || s.Message == nil {
			t.Errorf("step %d has the id %d and the message %v", i+1, s.StepID, s.Message)
		}
		if _, err := time.Parse(time.RFC3339Nano, s.Timestamp); s.Timestamp != "" && err != nil {
			t.Errorf("step %d: %v", i+1, err)
		}
		switch s.Source {
		case "agent":
		case "user", "system":
			if s.ModelName != "" || s.Reasoning != "" || s.Metrics != nil || len(s.ToolCalls) > 0 || s.Observation != nil {
				t.Errorf("step %d of %s has fields of an agent", i+1, s.Source)
			}
		default:
			t.Errorf("step %d has the source %q", i+1, s.Source)
		}
		calls := map[string]bool{}
		for _, c := range s.ToolCalls {
			calls[c.ID] = true
			if c.Name == "" || c.Arguments == nil {
				t.Errorf("step %d: call %+v", i+1, c)
			}
		}
		if s.Observation == nil {
			continue
		}
		for _, r := range s.Observation.Results {
			if !calls[r.Call] {
				t.Errorf("step %d: an observation of the call %q, which is not in it", i+1, r.Call)
			}
			for _, ref := range r.Refs {
				if !children[ref.ID] {
					t.Errorf("step %d refers to the trajectory %q, which is not there", i+1, ref.ID)
				}
			}
		}
	}
	if a.FinalMetrics == nil || a.FinalMetrics.Steps != len(a.Steps) {
		t.Errorf("final metrics %+v for %d steps", a.FinalMetrics, len(a.Steps))
	}
}

func trajectory(t *testing.T, s *pith.Session, o export.Options) *atif {
	t.Helper()
	o.Format = export.ATIF
	text := write(t, s, o)
	var a atif
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	a.check(t)
	return &a
}

// A trajectory contains the context of the model: compactions are resolved,
// abandoned branches are omitted, results are with their calls.
func TestTrajectory(t *testing.T) {
	s := agents.Open(t, agents.Fixtures(t, "pi-sample.jsonl"))
	a := trajectory(t, s, export.Options{})
	calls, results := 0, 0
	for _, step := range a.Steps {
		calls += len(step.ToolCalls)
		if step.Observation != nil {
			results += len(step.Observation.Results)
		}
	}
	if calls == 0 || calls != results {
		t.Errorf("%d calls, %d results", calls, results)
	}
}

func texts(a *atif) (out []string) {
	for _, s := range a.Steps {
		out = append(out, *s.Message, s.Reasoning)
	}
	return out
}

func TestTrajectoryOfCompactedSession(t *testing.T) {
	s, err := pith.InMemory(pith.Options{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at := time.Date(2026, 11, 17, 10, 0, 0, 0, time.UTC)
	add := func(m format.Message) string {
		t.Helper()
		id, err := s.AppendMessage(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first := add(format.NewUser("FIRST", at))
	add(format.NewAssistant("ONE", at))
	kept := add(format.NewUser("KEPT", at))
	add(format.NewAssistant("TWO", at))
	if _, err := s.AppendCompaction(t.Context(), format.Compaction{Summary: "SUMMARY", FirstKeptEntryID: kept, TokensBefore: 9}); err != nil {
		t.Fatal(err)
	}
	add(format.NewUser("LAST", at))
	got := strings.Join(texts(trajectory(t, s, export.Options{})), " ")
	if strings.Contains(got, "FIRST") || !strings.Contains(got, "SUMMARY") || !strings.Contains(got, "KEPT") || !strings.Contains(got, "LAST") {
		t.Errorf("steps: %s", got)
	}
	if got := strings.Join(texts(trajectory(t, s, export.Options{Leaf: first})), " "); !strings.Contains(got, "FIRST") || strings.Contains(got, "LAST") {
		t.Errorf("steps at the first entry: %s", got)
	}
}

func TestTrajectoryHidesSecrets(t *testing.T) {
	s, err := pith.InMemory(pith.Options{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	secret := "ghp_" + strings.Repeat("aB3dE6gH9", 4)
	if _, err := s.AppendMessage(t.Context(), format.NewUser("use "+secret+" please", time.Now())); err != nil {
		t.Fatal(err)
	}
	if text := write(t, s, export.Options{Format: export.ATIF}); strings.Contains(text, secret) {
		t.Errorf("the secret left: %s", text)
	}
}
