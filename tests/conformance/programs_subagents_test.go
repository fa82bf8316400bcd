package conformance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/internal/subagent"
)

// Subagents that oh-my-pi and pi-subagents ran outside of the conversation are
// found, with their results, text and cost.
func TestRunsOfPrograms(t *testing.T) {
	type run struct {
		name, task string
		status     subagent.Status
		tokens     int64
	}
	tests := map[string]struct {
		file string
		want []run
	}{
		"asked for with hub": {"oh-my-pi-18.2.3/task-hub-wait.jsonl", []run{
			{"ColonialMite", "find the file a.txt", subagent.Stopped, 770}, {"DailyOpossum", "find the file b.txt", subagent.OK, 880}}},
		"delivered":           {"oh-my-pi-18.2.3/task-async-result.jsonl", []run{{"CurlyRodent", "find the file a.txt", subagent.OK, 880}}},
		"in the conversation": {"oh-my-pi-18.2.3/subagent.jsonl", []run{{"0-FindIt", "find it", subagent.OK, 120}}},
		"a folder of another run's name": {"pi-subagents-0.67.0/2026-11-15T21-42-23-215Z_01a1e129-4eee-7500-900d-5e2692cfb6e5.jsonl",
			[]run{{"", "find the file a.txt", subagent.OK, 110}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := openPith(t, filepath.Join(programs, tt.file), pith.Options{ReadOnly: true})
			defer closePith(t, s)
			r, err := subagent.Read(t.Context(), s, subagent.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []run
			for _, inv := range r.Invocations {
				for _, x := range inv.Runs {
					got = append(got, run{x.Key, x.Task, x.Status, x.Usage.Input + x.Usage.Output})
					if x.Source.Kind != subagent.FromDerived || x.Session == nil {
						t.Errorf("%s: its conversation comes from %q, want its session", x.Key, x.Source.Kind)
					}
				}
			}
			if len(got) != len(tt.want) {
				t.Fatalf("runs %+v, want %+v", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("run %d is %+v, want %+v", i, got[i], tt.want[i])
				}
			}
		})
	}
}

// The cost of oh-my-pi subagents counts, once, for the session that ran them.
func TestUsageOfPrograms(t *testing.T) {
	for name, want := range map[string]int64{"subagent": 360, "task-hub-wait": 1980, "task-async-result": 1320} {
		t.Run(name, func(t *testing.T) {
			file := copySample(t, "oh-my-pi-18.2.3", name, t.TempDir())
			if err := os.CopyFS(strings.TrimSuffix(file, ".jsonl"), os.DirFS(filepath.Join(programs, "oh-my-pi-18.2.3", name))); err != nil {
				t.Fatal(err)
			}
			info, err := catalog.Facts(t.Context(), catalog.Ref{Path: file}, catalog.Options{})
			if err != nil {
				t.Fatal(err)
			}
			l, err := cost.Count(t.Context(), []catalog.Info{info}, cost.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := l.Total(); got.Tokens != want || got.Sessions != 1 {
				t.Errorf("%d tokens in %d sessions, want %d in 1", got.Tokens, got.Sessions, want)
			}
		})
	}
}
