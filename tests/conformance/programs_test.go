package conformance_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/format"
)

// programs is the directory of files that other programs wrote, each with the
// output of the program's own loader for them.
const programs = "testdata/programs"

// A standing is what a program shows of a session when it opens it.
type standing struct {
	Leaf, Name, Model, Level string
	Messages                 []string
}

// The leaf, name, model and context of a session are those of the program that
// wrote the file.
func TestProgramsSeeTheSame(t *testing.T) {
	for _, folder := range []string{"atomic-0.9.15", "oh-my-pi-18.2.3", "openclaw-2026.7.1"} {
		views, err := filepath.Glob(filepath.Join(programs, folder, "expected", "*"))
		if err != nil || len(views) == 0 {
			t.Fatalf("no views in %s: %v", folder, err)
		}
		for _, view := range views {
			base := strings.TrimSuffix(filepath.Base(view), filepath.Ext(view))
			t.Run(folder+"/"+base, func(t *testing.T) {
				want := expectedStanding(t, view)
				got := standingOf(t, filepath.Join(programs, folder, base+".jsonl"))
				if want.Model == "" { // the view does not include it
					got.Model, got.Level = "", ""
				}
				if fmt.Sprintf("%+q", got) != fmt.Sprintf("%+q", want) {
					t.Errorf("pith sees\n%+q\nthe program sees\n%+q", got, want)
				}
			})
		}
	}
}

// After OpenClaw's reset the context starts again.
func TestOpenClawReset(t *testing.T) {
	got := standingOf(t, filepath.Join(programs, "openclaw-2026.9.6", "reset-entry.jsonl")).Messages
	want := []string{"user: after reset", "assistant stop: after reset answer"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the context is %q, want %q", got, want)
	}
}

// standingOf is what pith shows.
func standingOf(t *testing.T, path string) standing {
	t.Helper()
	s := openPith(t, path, pith.Options{ReadOnly: true})
	defer closePith(t, s)
	c, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	out := standing{Leaf: s.LeafID(), Name: s.Name(), Level: c.ThinkingLevel}
	if c.Model != nil {
		out.Model = c.Model.Provider + "/" + c.Model.ModelID
	}
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		out.Messages = append(out.Messages, sketchMessage(t, m.Raw))
	}
	return out
}

func expectedStanding(t *testing.T, path string) standing {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(path) == ".txt" {
		return claimedStanding(t, string(data))
	}
	var view struct {
		Name, LeafID, ThinkingLevel string
		Model                       struct{ Provider, ModelID string }
		Models                      map[string]string
		Messages                    []json.RawMessage
	}
	if err := json.Unmarshal(data, &view); err != nil {
		t.Fatal(err)
	}
	out := standing{Leaf: view.LeafID, Name: view.Name, Model: view.Models["default"], Level: view.ThinkingLevel}
	if out.Model == "" {
		out.Model = view.Model.Provider + "/" + view.Model.ModelID
	}
	for _, m := range view.Messages {
		out.Messages = append(out.Messages, sketchMessage(t, m))
	}
	return out
}

var claimed = regexp.MustCompile(`^leaf (\S+) name (.*?) (\[.*\])\s*$`)

// claimedStanding reads the view of OpenClaw: a line.
func claimedStanding(t *testing.T, line string) standing {
	t.Helper()
	parts := claimed.FindStringSubmatch(line)
	if parts == nil {
		t.Fatalf("%q is no view", line)
	}
	out := standing{Leaf: parts[1], Name: strings.TrimSuffix(parts[2], "undefined")}
	if err := json.Unmarshal([]byte(parts[3]), &out.Messages); err != nil {
		t.Fatal(err)
	}
	for i, m := range out.Messages {
		role, text, _ := strings.Cut(m, ": ")
		if role == "assistant" {
			role += " stop"
			if strings.HasSuffix(text, "|") { // a call, which the view does not spell out
				role, text = "assistant toolUse", strings.TrimSuffix(text, "|")+"|exec()"
			}
		}
		out.Messages[i] = role + ": " + text
	}
	return out
}

// sketchMessage returns a message in one line. Texts are compared up to where
// the views cut them. oh-my-pi's notebook is compared by kind, since pith has
// its own words around it.
func sketchMessage(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var m struct {
		Role, StopReason, Summary, CustomType, Command, Code string
		Content, Files                                       json.RawMessage
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	title := strings.TrimSpace(m.Role + " " + m.StopReason + m.CustomType)
	if m.CustomType == format.ContextNotesType {
		return title
	}
	var text string
	if m.Summary != "" {
		return title + ": " + m.Summary
	}
	if m.Content == nil { // what ran, or what was mentioned
		return title + ": " + m.Command + m.Code + string(m.Files)
	}
	if json.Unmarshal(m.Content, &text) == nil {
		return title + ": " + text
	}
	var blocks []struct{ Type, Text, ID, Name string }
	if err := json.Unmarshal(m.Content, &blocks); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	var parts []string
	for _, b := range blocks {
		if b.Type == "toolCall" {
			b.Text = b.Name + "()"
		}
		parts = append(parts, b.Text)
	}
	return title + ": " + strings.Join(parts, "|")
}

// A copy of an oh-my-pi session for another program contains the images
// themselves, its name and its artifacts, since no other program knows where
// they are.
func TestForkCarriesPictures(t *testing.T) {
	source := filepath.Join(programs, "oh-my-pi-18.2.3", "full.jsonl")
	const hash = "6150cd2c9c192bca96c4db35231f857a0715bafc3ad99b9a5cd97dae6b6a1e08"
	blob, err := os.ReadFile(filepath.Join(programs, "oh-my-pi-18.2.3", "blobs", hash))
	if err != nil {
		t.Fatal(err)
	}
	forked, err := pith.ForkFrom(t.Context(), source, pith.Options{Cwd: "/home/u/proj", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer forked.Close()
	src := openPith(t, source, pith.Options{Dir: t.TempDir(), ReadOnly: true})
	path, err := src.Clone(t.Context(), src.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	defer path.Close()
	for _, s := range []*pith.Session{forked, path} {
		text := readFile(t, s.File())
		if strings.Contains(text, hash) || !strings.Contains(text, base64.StdEncoding.EncodeToString(blob)) {
			t.Errorf("%s has a reference in the place of the picture", s.File())
		}
		if s.Name() != "My user title" {
			t.Errorf("its name is %q", s.Name())
		}
	}
	with, err := pith.ForkFrom(t.Context(), filepath.Join(programs, "oh-my-pi-18.2.3", "subagent.jsonl"), pith.Options{Cwd: "/home/u/proj", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer with.Close()
	if _, err := os.Stat(filepath.Join(strings.TrimSuffix(with.File(), ".jsonl"), "0-FindIt.jsonl")); err != nil {
		t.Errorf("the artifacts did not come along: %v", err)
	}
}

// A program that left a session at an older entry resumes there: nothing is hidden.
func TestDoctorKnowsWhereProgramsStand(t *testing.T) {
	for _, path := range []string{"oh-my-pi-18.2.3/navigate-then-exit.jsonl", "openclaw-2026.7.1/leaf-record.jsonl"} {
		r, err := doctor.Check(t.Context(), filepath.Join(programs, path), doctor.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			if f.Code == doctor.HiddenHistory {
				t.Errorf("%s: %+v", path, f)
			}
		}
	}
}

// The header of pi_agent_rust names the model and the thinking level that hold until
// an entry says otherwise.
func TestHeaderSettings(t *testing.T) {
	ask := `{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z","message":{"role":"user","content":"hello"}}` + "\n"
	change := `{"type":"model_change","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T10:00:00.000Z","provider":"b","modelId":"n"}` + "\n"
	tests := map[string]struct{ text, model, level string }{
		"pi_agent_rust":    {`{"type":"session","version":3,"id":"s","provider":"a","modelId":"m","thinkingLevel":"high"}` + "\n" + ask, "a/m", "high"},
		"an entry since":   {`{"type":"session","version":3,"id":"s","provider":"a","modelId":"m","thinkingLevel":"high"}` + "\n" + ask + change, "b/n", "high"},
		"old pi, migrated": {`{"type":"session","id":"s","provider":"a","modelId":"m","thinkingLevel":"high","version":3}` + "\n" + ask, "", "off"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := standingOf(t, sessionFile(t, tt.text)); got.Model != tt.model || got.Level != tt.level {
				t.Errorf("the model is %q at level %q, want %q at %q", got.Model, got.Level, tt.model, tt.level)
			}
		})
	}
}
