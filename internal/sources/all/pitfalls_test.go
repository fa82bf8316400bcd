package all_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/tests/agents"
)

// fixtureRoots are the roots of real sessions, by program.
func fixtureRoots(t testing.TB) map[string]string {
	at := func(parts ...string) string { return agents.Fixtures(t, filepath.Join(parts...)) }
	return map[string]string{
		"claude": at("claude-code-2.1.325", "projects"), "codex": at("codex-0.166.0"), "opencode": at("opencode-1.18.33", "final.db"),
		"gemini": at("gemini-cli-0.61.0", "tmp"), "qwen": at("qwen-code-0.24.4", "projects"), "copilot": at("copilot-cli-1.0.102", "session-state"),
		"kimi": at("kimi-code-2.1.0", "sessions"),
	}
}

// mirrored translates the real sessions of a program.
func mirrored(t testing.TB, name string) *agents.Translated {
	p, ok := all.Find(name)
	if !ok {
		t.Fatalf("no program %s", name)
	}
	return agents.Translate(t, p, fixtureRoots(t)[name])
}

// A subagent is a session of its own: its header names the parent, and the call in the
// parent leads to it.
func TestSubagentsAreChildSessions(t *testing.T) { // I4
	for name, ids := range map[string][2]string{
		"claude":   {"11111111-2222-4333-8444-555555555501", "11111111-2222-4333-8444-555555555501.agent-ab31ebdf8389676ee"},
		"codex":    {"01a1e73a-9dfd-7ee1-b76e-80cb78947223", "01a1e73b-31c0-7463-b51e-076bdc311a79"},
		"opencode": {"ses_e18c010afffelcaBhDgnHtiYfc", "ses_e18c063ebffeCZ3iI603wdrMQw"},
		"gemini":   {"proj.session-2026-11-17T02-07-38604592", "proj.38604592-7805-4834-a684-aa105372f03c.4ce0d5ff-5dcc-4df9-8d41-6be39b4ef623"},
	} {
		t.Run(name, func(t *testing.T) {
			m := mirrored(t, name)
			parent, child := agents.Open(t, m.Path(ids[0])), m.Path(ids[1])
			h := agents.Open(t, child).Header()
			if name != "opencode" && h.ParentSession != m.Path(ids[0]) { // the parent of this one was forked
				t.Errorf("the child names %q as its parent, want %q", h.ParentSession, m.Path(ids[0]))
			}
			if !bytes.Contains(h.Raw, []byte(`"spawned":true`)) {
				t.Errorf("the header does not tell a subagent from a fork: %s", h.Raw)
			}
			r, err := subagent.Read(t.Context(), parent, subagent.Options{AllBranches: true})
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, run := range subagent.Flat(r.Invocations) {
				found = append(found, run.Source.Path)
			}
			if len(found) != 1 || found[0] != child {
				t.Errorf("runs lead to %q, want %q", found, child)
			}
		})
	}
}

// Lines of a subagent inside its parent's file, as older releases write them, are not
// part of the conversation.
func TestSidechains(t *testing.T) { // I4
	root, _ := write(t, "claude", []byte(fmt.Sprintf(prompts["claude"], 1)+"\n"+
		strings.Replace(fmt.Sprintf(prompts["claude"], 2), `"type"`, `"isSidechain":true,"type"`, 1)+"\n"))
	p, _ := all.Find("claude")
	m := agents.Translate(t, p, root)
	got := agents.Context(t, m.Path("s"), "")
	if len(got) != 1 || *got[0].Parts[0].Text != "U1" {
		t.Errorf("context = %+v, want U1 alone", got)
	}
	if data, err := os.ReadFile(m.Path("s")); err != nil || !bytes.Contains(data, []byte("U2")) {
		t.Errorf("the sidechain is lost: %v", err)
	}
}

// A picture that a program writes several times, for a tool and for its own screen, is
// kept once.
func TestPicturesOnce(t *testing.T) { // I6
	const picture = "iVBORw0KGgo"
	for name := range fixtureRoots(t) {
		t.Run(name, func(t *testing.T) {
			m := mirrored(t, name)
			for file, data := range files(t, m.Dir) {
				for _, line := range bytes.Split(data, []byte("\n")) {
					if n := bytes.Count(line, []byte(picture)); n > 1 {
						t.Errorf("%s has a picture %d times in one line: %.300s", file, n, line)
					}
				}
			}
		})
	}
	line := `{"type":"user","uuid":"r1","parentUuid":"u1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + picture + `"}}]}]},"toolUseResult":{"type":"image","file":{"base64":"` + picture + `"}}}`
	root, _ := write(t, "claude", []byte(fmt.Sprintf(prompts["claude"], 1)+"\n"+line+"\n"))
	p, _ := all.Find("claude")
	for _, data := range translations(t, p, root) {
		if n := bytes.Count(data, []byte(picture)); n != 1 {
			t.Errorf("the picture is there %d times, want 1", n)
		}
	}
}

// Times in milliseconds, in seconds and in texts are the same moments in every time
// zone.
func TestTimes(t *testing.T) { // I8
	from, to := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)
	here := time.Local
	t.Cleanup(func() { time.Local = here })
	for name, root := range fixtureRoots(t) {
		t.Run(name, func(t *testing.T) {
			p, _ := all.Find(name)
			m := &agents.Translated{Program: p, Root: root, Dir: t.TempDir()}
			in := func(zone *time.Location) map[string][]byte {
				time.Local = zone
				if err := errors.Join(os.RemoveAll(m.Dir), m.Refresh(t.Context())); err != nil {
					t.Fatal(err)
				}
				return files(t, m.Dir)
			}
			far := in(time.FixedZone("far", 13*3600))
			for file, data := range in(time.UTC) {
				if !bytes.Equal(data, far[file]) {
					t.Errorf("%s depends on the time zone", file)
				}
				for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
					entry := sources.ObjectOf(line)
					at, ok := format.ParseTime(entry.Text("timestamp"))
					if !ok || at.Before(from) || at.After(to) {
						t.Errorf("%s, line %d: time %v", file, i+1, entry.Text("timestamp"))
					}
					if ms := entry.Object("message").Int("timestamp"); ms != 0 && (time.UnixMilli(ms).Before(from) || time.UnixMilli(ms).After(to)) {
						t.Errorf("%s, line %d: the time of the message is %v", file, i+1, time.UnixMilli(ms))
					}
				}
			}
		})
	}
}

// halves are sessions in which the user stopped a response.
var halves = map[string]string{
	"claude": `{"type":"user","uuid":"u1","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","message":{"role":"user","content":"U1"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","isAbortedMidStream":true,"message":{"id":"m1","role":"assistant","model":"x","content":[{"type":"text","text":"half an ans"}]}}
{"type":"user","uuid":"u2","parentUuid":"a1","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}
{"type":"user","uuid":"u3","parentUuid":"u2","message":{"role":"user","content":"U3"}}
`,
	"codex": `{"timestamp":"2026-11-17T01:49:54.368Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"U1"}]}}
{"timestamp":"2026-11-17T01:49:55.368Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"half an ans"}]}}
{"timestamp":"2026-11-17T01:49:56.368Z","type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}
{"timestamp":"2026-11-17T01:49:57.368Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"U3"}]}}
`,
	"kimi": `{"type":"context.append_message","time":1,"message":{"role":"user","id":"u1","content":[{"type":"text","text":"U1"}]}}
{"type":"context.append_loop_event","time":2,"event":{"type":"step.begin","uuid":"s1"}}
{"type":"context.append_loop_event","time":3,"event":{"type":"content.part","stepUuid":"s1","part":{"type":"text","text":"half an ans"}}}
{"type":"context.append_message","time":4,"message":{"role":"user","id":"u3","content":[{"type":"text","text":"U3"}]}}
`,
}

// The half response that a program keeps is there, and marked as aborted.
func TestHalfResponses(t *testing.T) { // I15
	for name, text := range halves {
		t.Run(name, func(t *testing.T) {
			root, _ := write(t, name, []byte(text))
			p, _ := all.Find(name)
			for file, data := range translations(t, p, root) {
				half := ""
				for _, line := range bytes.Split(data, []byte("\n")) {
					if bytes.Contains(line, []byte("half an ans")) {
						half = sources.ObjectOf(line).Object("message").Text("stopReason")
					}
				}
				if half != "aborted" {
					t.Errorf("%s: the half response ends with %q, want aborted\n%s", file, half, data)
				}
				for _, want := range []string{"U1", "U3"} {
					if !bytes.Contains(data, []byte(want)) {
						t.Errorf("%s: no %s", file, want)
					}
				}
			}
		})
	}
}

// A result that comes after its step has ended is written where it stands.
func TestLateResults(t *testing.T) {
	root, _ := write(t, "kimi", []byte(`{"type":"context.append_message","time":1,"message":{"role":"user","id":"u1","content":[{"type":"text","text":"U1"}]}}
{"type":"context.append_loop_event","time":2,"event":{"type":"tool.call","stepUuid":"s1","toolCallId":"c1","name":"Shell"}}
{"type":"context.append_loop_event","time":3,"event":{"type":"step.end","finishReason":"tool_use"}}
{"type":"context.append_loop_event","time":4,"event":{"type":"tool.result","toolCallId":"c1","result":{"output":"R1"}}}
`))
	p, _ := all.Find("kimi")
	for _, data := range translations(t, p, root) {
		if !bytes.Contains(data, []byte("R1")) {
			t.Errorf("the result is lost:\n%s", data)
		}
	}
}
