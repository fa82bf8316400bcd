package format_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pith-sessions/pith/format"
)

// A type that only one program writes identifies it; pi's types identify none.
func TestProgramOfType(t *testing.T) {
	for typ, want := range map[format.Type]format.Program{
		format.TypeTitleChange: format.OhMyPi, format.TypeModelUsage: format.OhMyPi, format.TypeArchive: format.OhMyPi,
		format.TypeSessionSummary: format.Atomic, format.TypeContextCompaction: format.Atomic,
		format.TypeLeaf: format.OpenClaw, format.TypeReset: format.OpenClaw,
	} {
		if got, ok := format.ProgramOfType(typ); got != want || !ok {
			t.Errorf("ProgramOfType(%s) = %s, %v; want %s", typ, got, ok, want)
		}
	}
	for _, typ := range []format.Type{format.TypeMessage, format.TypeLabel, "hologram", ""} {
		if got, ok := format.ProgramOfType(typ); got != format.Pi || ok {
			t.Errorf("ProgramOfType(%q) = %s, %v; want nobody", typ, got, ok)
		}
	}
}

// Programs that rewrite a file from memory hold it.
func TestHoldsSessions(t *testing.T) {
	for p, want := range map[format.Program]bool{format.Pi: false, format.OhMyPi: true, format.Atomic: true, format.OpenClaw: false} {
		if got := p.HoldsSessions(); got != want {
			t.Errorf("%s.HoldsSessions() = %v", p, got)
		}
	}
}

func TestProgramOfFolder(t *testing.T) {
	for path, want := range map[string]format.Program{
		"/home/u/.omp/agent/sessions/p/s.jsonl": format.OhMyPi, "/home/u/.atomic/s.jsonl": format.Atomic,
		"/home/u/.openclaw-work/agents/x/s.jsonl": format.OpenClaw, "/home/u/.openclaw/s.jsonl": format.OpenClaw,
		"/home/u/.pi/.omp/s.jsonl": format.OhMyPi, "/home/u/.omp/.pi/s.jsonl": format.Pi,
		".omp/s.jsonl": format.OhMyPi, "/.omp/s.jsonl": format.OhMyPi,
	} {
		if got, ok := format.ProgramOfFolder(filepath.FromSlash(path)); got != want || !ok {
			t.Errorf("ProgramOfFolder(%s) = %s, %v; want %s", path, got, ok, want)
		}
	}
	for _, path := range []string{"/home/u/work/s.jsonl", "/home/u/.ompx/s.jsonl", "/home/u/x/.omp", "s.jsonl", ""} {
		if got, ok := format.ProgramOfFolder(filepath.FromSlash(path)); ok {
			t.Errorf("ProgramOfFolder(%s) = %s; want nobody", path, got)
		}
	}
}

func decodeHeader(t *testing.T, members string) *format.Header {
	t.Helper()
	h, err := format.DecodeHeader([]byte(`{"type":"session",` + members + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The facts in a header about its program and its first entries.
func TestHeaderMembers(t *testing.T) {
	for members, want := range map[string]format.Program{
		`"version":3,"id":"x","title":"t"`: format.OhMyPi, `"version":3,"id":"x","workflow":{}`: format.Atomic,
	} {
		if got, ok := decodeHeader(t, members).Program(); got != want || !ok {
			t.Errorf("Program of a header with %s = %s, %v; want %s", members, got, ok, want)
		}
	}
	for _, h := range []*format.Header{{ID: "made"}, decodeHeader(t, `"version":3,"id":"x","cwd":"/p"`)} {
		if got, ok := h.Program(); ok {
			t.Errorf("Program of %+v = %s; want nobody", h, got)
		}
	}
	rust := `"provider":"p","modelId":"m","thinkingLevel":"high"`
	for members, want := range map[string][3]string{
		`"version":3,"id":"x",` + rust:                {"p", "m", "high"},
		`"id":"x",` + rust + `,"version":3`:           {},
		`"id":"x",` + rust:                            {},
		`"version":3,"id":"x","thinkingLevel":"high"`: {"", "", "high"},
	} {
		provider, model, level := decodeHeader(t, members).Settings()
		if got := [3]string{provider, model, level}; got != want {
			t.Errorf("Settings of a header with %s = %q, want %q", members, got, want)
		}
	}
}

// A clone does not change with its original.
func TestHeaderClone(t *testing.T) {
	h := decodeHeader(t, `"version":3,"id":"x","cwd":"/p"`)
	h.Workflow = &format.Workflow{RunID: "r"}
	c := h.Clone()
	if !reflect.DeepEqual(c, h) {
		t.Fatalf("Clone() = %+v, want %+v", c, h)
	}
	h.Raw[0], h.Workflow.RunID = 'X', "other"
	if c.Raw[0] != '{' || c.Workflow.RunID != "r" {
		t.Errorf("the clone changed with its original: %+v", c)
	}
}

func TestFirstLineNames(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"session","id":"x"}`: "header", `{"type":"title","v":1}`: "title slot", `{"v":4,"kind":"header"}`: "version 4 header", `{}`: "other",
	} {
		if got := format.ClassifyFirst([]byte(line)).String(); got != want {
			t.Errorf("%s is called %q, want %q", line, got, want)
		}
	}
}
