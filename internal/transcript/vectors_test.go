package transcript_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/transcript"
)

// readVectors reads a file of conformance cases into cases.
func readVectors(t testing.TB, name string, cases any) {
	t.Helper()
	dir := os.Getenv("PITH_VECTORS")
	if dir == "" {
		dir = filepath.Join("..", "..", "tests", "conformance", "testdata", "vectors")
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatalf("read vectors: %v", err)
	}
	if err := json.Unmarshal(data, cases); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

type contextCase struct {
	Name   string
	File   string
	Expect []struct {
		LeafID        json.RawMessage
		Messages      []any
		ThinkingLevel string
		Model         *format.Model
	}
}

func TestContextVectors(t *testing.T) {
	var cases []contextCase
	readVectors(t, "context.json", &cases)
	if len(cases) == 0 {
		t.Fatal("context.json has no cases")
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			log := []byte(c.File)
			table := readTable(t, log)
			for _, want := range c.Expect {
				var leaf string
				switch {
				case want.LeafID == nil:
					leaf = table.ID(table.Len() - 1)
				default:
					if err := json.Unmarshal(want.LeafID, &leaf); err != nil {
						t.Fatal(err)
					}
				}
				plan, msgs := collect(t, pathTo(table, log, leaf))
				compareMessages(t, "context at "+leaf, msgs, want.Messages)
				if plan.ThinkingLevel != want.ThinkingLevel {
					t.Errorf("context at %q: ThinkingLevel = %q, want %q", leaf, plan.ThinkingLevel, want.ThinkingLevel)
				}
				got, _ := json.Marshal(plan.Model)
				model, _ := json.Marshal(want.Model)
				if string(got) != string(model) {
					t.Errorf("context at %q: Model = %s, want %s", leaf, got, model)
				}
			}
		})
	}
}

func TestModelVectors(t *testing.T) {
	var cases []struct {
		Name     string
		Messages []json.RawMessage
		Expect   []any
	}
	readVectors(t, "llm.json", &cases)
	if len(cases) == 0 {
		t.Fatal("llm.json has no cases")
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			var got []transcript.Message
			for _, raw := range c.Messages {
				if out, ok := transcript.ForModel(raw); ok {
					got = append(got, transcript.Message{Raw: out})
				}
			}
			compareMessages(t, "ForModel", got, c.Expect)
		})
	}
}

func compareMessages(t *testing.T, what string, got []transcript.Message, want []any) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d messages, want %d", what, len(got), len(want))
		return
	}
	for i, m := range got {
		if !reflect.DeepEqual(valueOf(t, m.Raw), want[i]) {
			t.Errorf("%s: message %d = %s, want %s", what, i, m.Raw, jsonOf(t, want[i]))
		}
	}
}

// The contexts that pi would send of its own sessions are unchanged by a repair
// if they are valid, and have no problems after it.
func TestRepairVectors(t *testing.T) {
	var cases []contextCase
	readVectors(t, "context.json", &cases)
	for _, c := range cases {
		log := []byte(c.File)
		table := readTable(t, log)
		for i := range table.Len() {
			_, msgs := collect(t, pathTo(table, log, table.ID(i)))
			checkRepair(t, msgs)
		}
	}
}

// Real sessions of hundreds of turns, with aborted and failed answers.
func TestRepairRealSessions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "tests", "conformance", "testdata", "fixtures", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sessions found (%v)", err)
	}
	for _, file := range files {
		log, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, msgs := collect(t, wholePath(log, readTable(t, log)))
		if len(msgs) < 100 {
			t.Errorf("%s: %d messages in the context, want hundreds", file, len(msgs))
		}
		checkRepair(t, msgs)
	}
}
