package past_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops/past"
	"github.com/pith-sessions/pith/cmd/pith/internal/samples"
)

// hookAnswer is what an agent reads from a hook.
func hookAnswer(t *testing.T, raw []byte) (event, text string) {
	t.Helper()
	if raw == nil {
		return "", ""
	}
	var answer struct {
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	if text = answer.HookSpecificOutput.AdditionalContext; len(text) == 0 || len(text) > 1024 {
		t.Errorf("the answer has %d bytes: %q", len(text), text)
	}
	return answer.HookSpecificOutput.HookEventName, text
}

func demo(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := samples.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func app(dir string) ops.App {
	return ops.App{Dir: dir, Now: func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) }}
}

func recalled(t *testing.T, dir string, input map[string]any) []byte {
	t.Helper()
	raw, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	return past.Recall(t.Context(), app(dir), raw)
}

// A prompt gets the earlier session that it is about, with a reference, and one that is
// about something else gets nothing.
func TestRecall(t *testing.T) {
	dir := demo(t)
	right := 0
	for _, q := range []struct{ project, prompt, session string }{
		{"parcel-tracker", "Why do customers get the delivery mail twice?", "019cadd3"},
		{"parcel-tracker", "how long is the lease of a parcel, and what happens when the mail server is slow?", "019cadd3"},
		{"parcel-tracker", "two workers send the same mail again", "019cadd3"},
		{"parcel-tracker", "The staging deploy fails, what was it last time?", "7c1f0b52"},
		{"ledger-cli", "is the export one cent off from the bank statement again?", "019f40da"},
		{"ledger-cli", "Which modules did we split report.ts into?", "019d8c38"},
		{"backup-tool", "the nightly backup stopped again, look at the log", "019f2018"},
		{"booking-site", "The Book now button hangs out of the header on small screens", "019dfe07"},
		{"weather-bot", "in which time zone does the bot post the forecast?", "019a748e"},
		{"weather-bot", "the forecast is posted at the wrong time in one channel", "019a748e"},
	} {
		event, text := hookAnswer(t, recalled(t, dir, map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "x", "cwd": filepath.Join(dir, q.project), "prompt": q.prompt}))
		if event == "UserPromptSubmit" && strings.Contains(text, "- "+q.session) {
			right++
		} else {
			t.Logf("%q got %q", q.prompt, text)
		}
	}
	if right < 8 {
		t.Errorf("%d of 10 questions got the right session, want 8", right)
	}
	for _, prompt := range []string{"write a poem about cats and dogs", "please add a dark mode to the settings page", "What is the capital of France?", "continue", "rename the variable in the config parser"} {
		if _, text := hookAnswer(t, recalled(t, dir, map[string]any{"hook_event_name": "UserPromptSubmit", "cwd": filepath.Join(dir, "parcel-tracker"), "prompt": prompt})); text != "" {
			t.Errorf("%q got %q", prompt, text)
		}
	}
}

// The session that asks is left out.
func TestRecallLeavesTheAskingSessionOut(t *testing.T) {
	dir := demo(t)
	id := "019d8c38-9802-7a27-b74f-607716373d9a"
	input := map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "x", "cwd": filepath.Join(dir, "ledger-cli"), "prompt": "Which modules did we split report.ts into?"}
	if _, text := hookAnswer(t, recalled(t, dir, input)); !strings.Contains(text, id) {
		t.Errorf("answer %q; want %s", text, id)
	}
	input["session_id"] = id
	if _, text := hookAnswer(t, recalled(t, dir, input)); strings.Contains(text, id) {
		t.Errorf("answer %q has the session that asks", text)
	}
}

// Secrets are replaced, escapes are harmless, and anything but a hook's JSON gets nothing.
func TestRecallIsHarmless(t *testing.T) {
	dir, project := t.TempDir(), t.TempDir()
	secret := "ghp_x8Qz3LkT9vBn2MwR5yHc7PdJ4sFg6aEu1oXi"
	entries := fmt.Sprintf(`{"type":"session","version":3,"id":"one","timestamp":"2026-10-01T00:00:00.000Z","cwd":%q}
{"type":"message","id":"e1","parentId":null,"timestamp":"2026-10-01T00:00:00.000Z","message":{"role":"user","content":"deploy the gyroscope with token=%s \\u001b]0;x\\u0007 now","timestamp":1}}
`, project, secret)
	if err := os.WriteFile(filepath.Join(dir, "one.jsonl"), []byte(entries), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, input := range []string{"", "{", "[]", "null", `"x"`, `{"hook_event_name":"UserPromptSubmit"}`, `{"hook_event_name":"Stop","cwd":"/"}`, `{"hook_event_name":"UserPromptSubmit","cwd":"/","prompt":7}`, "\x00"} {
		if raw := past.Recall(t.Context(), app(dir), []byte(input)); raw != nil {
			t.Errorf("%q got %q", input, raw)
		}
	}
	_, text := hookAnswer(t, recalled(t, dir, map[string]any{"hook_event_name": "UserPromptSubmit", "session_id": "x", "cwd": project, "prompt": "deploy the gyroscope"}))
	if !strings.Contains(text, "gyroscope") || strings.Contains(text, secret) || strings.ContainsAny(text, "\x1b\a") {
		t.Errorf("answer %q; want the session, without secret and escapes", text)
	}
}

// A session whose conversation was cleared gets the latest other sessions of the
// project, and one that was compacted also itself. A new one and a resumed one get
// nothing: there is no question yet, or the conversation is there.
func TestRecallAtStart(t *testing.T) {
	dir := demo(t)
	latest := func(source, session string) string {
		t.Helper()
		event, text := hookAnswer(t, recalled(t, dir, map[string]any{"hook_event_name": "SessionStart", "source": source, "session_id": session, "cwd": filepath.Join(dir, "ledger-cli")}))
		if text != "" && event != "SessionStart" {
			t.Errorf("the event is %q", event)
		}
		return text
	}
	const own = "019d8c38-9802-7a27-b74f-607716373d9a"
	if text := latest("compact", own); !strings.Contains(text, "- "+own+" ") {
		t.Errorf("after a compaction: %q; want %s", text, own)
	}
	if text := latest("clear", own); strings.Contains(text, own) || !strings.Contains(text, "- 019f40da") {
		t.Errorf("after it was cleared: %q; want another session", text)
	}
	for _, source := range []string{"startup", "resume", ""} {
		if text := latest(source, own); text != "" {
			t.Errorf("at %q: %q", source, text)
		}
	}
}
