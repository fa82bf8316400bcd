package subagent_test

import (
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/internal/subagent"
)

func TestStatus(t *testing.T) {
	for result, want := range map[string]subagent.Status{
		`"exitCode":0`:                                       subagent.OK,
		`"exitCode":2`:                                       subagent.Failed,
		`"exitCode":-1`:                                      subagent.Running,
		`"exitCode":0,"stopReason":"error"`:                  subagent.Failed,
		`"exitCode":0,"stopReason":"aborted"`:                subagent.Stopped,
		`"exitCode":1,"timedOut":true`:                       subagent.TimedOut,
		`"exitCode":0,"stopped":true`:                        subagent.Stopped,
		`"exitCode":0,"interrupted":true`:                    subagent.Interrupted,
		`"exitCode":0,"detached":true`:                       subagent.Detached,
		`"exitCode":1,"aborted":true`:                        subagent.Stopped,
		`"exitCode":0,"timedOut":"true"`:                     subagent.OK,
		`"status":"ok"`:                                      subagent.OK,
		`"status":"error","cause":"x"`:                       subagent.Failed,
		`"status":"skipped"`:                                 subagent.Skipped,
		`"status":"interrupted"`:                             subagent.Interrupted,
		`"status":"continued"`:                               subagent.Continued,
		`"state":"complete"`:                                 subagent.OK,
		`"state":"queued"`:                                   subagent.Pending,
		`"state":"rejected"`:                                 subagent.Rejected,
		`"success":true`:                                     subagent.OK,
		`"success":false`:                                    subagent.Failed,
		`"error":"x"`:                                        subagent.Failed,
		`"execution":{"status":"partial"},"exitCode":0`:      subagent.Partial,
		`"exitCode":null,"processSignal":"SIGKILL"`:          subagent.Failed,
		`"progress":{"status":"running"}`:                    subagent.Running,
		`"status":"a word that nobody knows","exitCode":"0"`: subagent.Unknown,
	} {
		details := `,"details":{"mode":"single","results":[{"agent":"a",` + result + `}]}`
		s := open(t, write(t, filepath.Join(t.TempDir(), "p.jsonl"), parentLines("/w", `{"agent":"a"}`, details)...))
		found, err := subagent.FindAll(s)
		if err != nil || len(found) != 1 || len(found[0].Runs) != 1 || found[0].Runs[0].Status != want {
			t.Errorf("FindAll with {%s} = %+v, %v; want the status %s", result, found, err, want)
		}
	}
}

// The request of a call is known before its result.
func TestRequests(t *testing.T) {
	for _, tt := range []struct {
		arguments string
		mode      subagent.Mode
		agents    []string
	}{
		{`{"agent":"a","task":"x"}`, subagent.Single, []string{"a"}},
		{`{"tasks":[{"agent":"a"},{"agent":"b","count":2}]}`, subagent.Parallel, []string{"a", "b", "b"}},
		{`{"chain":[{"agent":"a"},{"parallel":[{"agent":"b"},{"agent":"c"}]},{"parallel":{"agent":"d"},"expand":{}}]}`, subagent.Chain, []string{"a", "b", "c", "d"}},
		{`{"action":"status","agent":"a"}`, subagent.Management, nil},
		{`{"workflowScript":"x"}`, subagent.Workflow, nil},
		{`{"agent":"e","tasks":[{"id":"X","assignment":"y"}]}`, subagent.Parallel, []string{"e"}},
		{`"no object"`, "", nil},
	} {
		s := open(t, write(t, filepath.Join(t.TempDir(), "p.jsonl"), parentLines("/w", tt.arguments, "")[:3]...))
		found, err := subagent.FindAll(s)
		if err != nil || len(found) != 1 || found[0].Mode != tt.mode || found[0].Status != subagent.NoResult || len(found[0].Runs) != len(tt.agents) {
			t.Errorf("FindAll with the call %s = %+v, %v; want mode %q and %d runs", tt.arguments, found, err, tt.mode, len(tt.agents))
			continue
		}
		for i, agent := range tt.agents {
			if found[0].Requested[i].Agent != agent || found[0].Runs[i].Agent != agent {
				t.Errorf("the call %s asks for %+v; want %v", tt.arguments, found[0].Requested, tt.agents)
			}
		}
	}
	huge := `{"tasks":[{"agent":"a","count":1e12}]}`
	s := open(t, write(t, filepath.Join(t.TempDir(), "p.jsonl"), parentLines("/w", huge, "")[:3]...))
	if found, err := subagent.FindAll(s); err != nil || len(found[0].Runs) != 1000 {
		t.Errorf("FindAll with %s: %d runs, %v; want a limit of 1000", huge, len(found[0].Runs), err)
	}
}
