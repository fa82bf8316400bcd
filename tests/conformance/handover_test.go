package conformance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/importer"
	"github.com/pith-sessions/pith/tests/agents"
	others "github.com/pith-sessions/pith/tests/interop/programs"
	"github.com/pith-sessions/pith/tests/interop/releases"
)

// sampleOfPi is a session of pi with a thought, calls, an error, a picture and a branch
// that was left, in a project.
func sampleOfPi(t *testing.T, project string) string {
	t.Helper()
	data, err := os.ReadFile(agents.Fixtures(t, "pi-sample.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sample.jsonl")
	lines := strings.SplitAfter(strings.ReplaceAll(string(data), "/home/u/proj", project), "\n")
	first := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "PI-USER-1") })
	left := `{"type":"message","id":"a00000ff","parentId":"a0000003","timestamp":"2026-11-16T10:00:01.500Z","message":{"role":"user","content":[{"type":"text","text":"PI-LEFT-1 another way"}],"timestamp":1794823201500}}` + "\n"
	lines = slices.Insert(lines, first+1, left) // a branch, which no request has
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// alike brings a context and a request of a program to one form: its own texts and
// pictures of results out of the way, tools under pi's names.
func alike(messages []agents.Message) []agents.Message {
	var out []agents.Message
	for _, m := range messages {
		if m.Role != "user" && m.Role != "assistant" {
			continue // instructions of the program
		}
		var parts []agents.Part
		for _, p := range m.Parts {
			p.Call, p.Images = strings.ToLower(p.Call), 0
			if args, ok := p.Args.(map[string]any); ok {
				if file, ok := args["file_path"]; ok {
					delete(args, "file_path")
					args["path"] = file
				}
			}
			if p.Result != nil {
				var answer map[string]string // Gemini's API wants objects
				if text := strings.TrimSpace(*p.Result); strings.HasPrefix(text, `{"output":`) || strings.HasPrefix(text, `{"error":`) {
					if decodeJSON(text, &answer) {
						joined := answer["output"] + answer["error"]
						p.Result = &joined
					}
				}
			}
			if p.Text != nil && (*p.Text == "" || strings.HasPrefix(*p.Text, "<") || strings.HasPrefix(*p.Text, "[program text")) {
				continue
			}
			parts = append(parts, p)
		}
		out = append(out, agents.Message{Role: m.Role, Parts: parts})
	}
	return out
}

// A session of pi that is handed over is continued by the real program: the request
// that it sends has the whole conversation. What it adds is read by pith, and imported
// back into a session of pi.
func TestProgramsContinueWhatIsHandedOver(t *testing.T) {
	for _, name := range releases.Names() {
		p, _ := all.Find(name)
		receiver, ok := p.(sources.Receiver)
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			stage := others.Require(t, name)
			path := sampleOfPi(t, stage.Project)
			s := agents.Open(t, path)
			env := sources.Environment{Home: stage.Home}
			c, err := sources.ConversationOf(s, s.LeafID(), filepath.Join(stage.Home, "handed"))
			if err != nil {
				t.Fatal(err)
			}
			receipt, err := receiver.Receive(t.Context(), env, c)
			if err != nil {
				t.Fatal(err)
			}
			for _, prepare := range receipt.Commands[:len(receipt.Commands)-1] {
				stage.Run("", prepare[1:]...)
			}
			const prompt = "CONTINUE please\n@say Continued there."
			stage.Resume(receipt.ID, receipt.Path, prompt)

			sent := stage.Request("CONTINUE please")
			want := agents.Context(t, path, "")
			text := prompt
			want = append(want, agents.Message{Role: "user", Parts: []agents.Part{{Text: &text}}})
			agents.Compare(t, alike(sent), alike(want), agents.Options{})

			m := agents.Translate(t, p, p.Roots(env)[0])
			back := translationWith(t, m, "Continued there.")
			r, err := importer.Import(t.Context(), back, importer.Options{DirFor: func(cwd string) string { return filepath.Join(stage.Home, "pi", format.ProjectDir(cwd)) }})
			if err != nil {
				t.Fatal(err)
			}
			agents.Compare(t, alike(agents.Context(t, r.Path, "")), alike(agents.Context(t, back, "")), agents.Options{})
			whole := contextText(t, r.Path)
			for _, piece := range []string{"PI-USER-1", "PI-TEXT-1", "PI-RESULT-1", "PI-USER-2", "PI-RESULT-2", "PI-TEXT-3", "CONTINUE please", "Continued there."} {
				if !strings.Contains(whole, piece) {
					t.Errorf("%q is lost on the way there and back", piece)
				}
			}
		})
	}
}

// A session that the real program made is read as the program sends it.
func TestSessionsOfPrograms(t *testing.T) {
	shell := map[string]string{"claude": `Bash {"command":"cat a.txt","description":"read"}`, "codex": `exec_command {"cmd":"cat a.txt"}`, "opencode": `bash {"command":"cat a.txt","description":"read"}`, "gemini": `run_shell_command {"command":"cat a.txt"}`}
	for _, name := range releases.Names() {
		t.Run(name, func(t *testing.T) {
			stage := others.Require(t, name)
			stage.Start("FIRST question\n@say I look.\n@call " + shell[name] + "\n@then\n@say It has alpha and beta.")
			p, _ := all.Find(name)
			m := agents.Translate(t, p, p.Roots(sources.Environment{Home: stage.Home})[0])
			path := translationWith(t, m, "It has alpha and beta.")
			agents.Compare(t, alike(agents.Context(t, path, "")), alike(stage.Request("FIRST question")), agents.Options{})
		})
	}
}

// translationWith is the translated session that has a text.
func translationWith(t *testing.T, m *agents.Translated, text string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.Dir, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.Contains(contextText(t, file), text) {
			return file
		}
	}
	t.Fatalf("none of %d sessions has %q", len(files), text)
	return ""
}

func contextText(t *testing.T, path string) string {
	t.Helper()
	var out strings.Builder
	for _, m := range agents.Context(t, path, "") {
		for _, p := range m.Parts {
			if p.Text != nil {
				out.WriteString(*p.Text + "\n")
			}
			if p.Result != nil {
				out.WriteString(*p.Result + "\n")
			}
		}
	}
	return out.String()
}

func decodeJSON(text string, v any) bool { return json.Unmarshal([]byte(text), v) == nil }
