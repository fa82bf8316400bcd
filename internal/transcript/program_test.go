package transcript_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/transcript"
)

// contextOf is the context that a program makes of a path, a message a line.
func contextOf(t *testing.T, program format.Program, p transcript.Path) (*transcript.Plan, string) {
	t.Helper()
	plan, err := transcript.Build(p, transcript.Origin{Program: program})
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	var msgs []transcript.Message
	for m, err := range plan.Messages(p) {
		if err != nil {
			t.Fatalf("Messages = %v", err)
		}
		msgs = append(msgs, transcript.Message{Pos: m.Pos, Raw: bytes.Clone(m.Raw)})
	}
	return plan, joined(msgs)
}

func spoke(role, members string) string {
	return `"message","message":{"role":"` + role + `",` + members + `,"timestamp":1}`
}

func userSays(text string) string { return spoke("user", `"content":"`+text+`"`) }

func modelSays(members, blocks string) string {
	return spoke("assistant", `"content":[`+blocks+`]`+members)
}

func answers(call, text string) string {
	return spoke("toolResult", `"toolCallId":"`+call+`","toolName":"bash","isError":false,"content":[{"type":"text","text":"`+text+`"}]`)
}

const (
	word = `{"type":"text","text":"so"}`
	call = `{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls","flags":[1, 2]}}`
)

// The context that oh-my-pi builds from a path: each case is one of its own
// rules, for which pi builds another.
func TestOhMyPi(t *testing.T) {
	notes := `"custom","customType":"experimental_context_notes","data":`
	replay := `,"preserveData":{"openaiRemoteCompaction":{"provider":"openai","replacementHistory":[{}]}}`
	native := `,"preserveData":{"anthropicCompaction":{"provider":"anthropic","content":"native"}}`
	tests := map[string]struct {
		lines      []string
		has, lacks []string
		messages   int
		piHas      bool // pi sends what is lacking here
	}{
		"an answer that failed": {
			lines: []string{userSays("one"), modelSays(`,"stopReason":"error"`, word), userSays("two")},
			has:   []string{"one", "two"}, lacks: []string{"so"}, messages: 2, piHas: true,
		},
		"the last answer failed":           {lines: []string{userSays("one"), modelSays(`,"stopReason":"aborted"`, word)}, has: []string{"one"}, lacks: []string{"so"}, messages: 1, piHas: true},
		"two failed answers":               {lines: []string{userSays("one"), modelSays(`,"stopReason":"aborted"`, word), modelSays(`,"stopReason":"error"`, word)}, lacks: []string{"so"}, messages: 1, piHas: true},
		"a failed answer without words":    {lines: []string{userSays("one"), modelSays(`,"stopReason":"error"`, `{"type":"text","text":" "}`)}, messages: 1},
		"its thoughts were cut off":        {lines: []string{userSays("one"), modelSays(`,"stopReason":"aborted"`, word), spoke("custom", `"customType":"interrupted-thinking","content":"hm","display":false`)}, has: []string{"so", "hm"}, messages: 3},
		"the result of a failed answer":    {lines: []string{userSays("one"), modelSays(`,"stopReason":"aborted"`, call), answers("c1", "late")}, lacks: []string{"late", "c1"}, messages: 1, piHas: true},
		"a call without a result":          {lines: []string{userSays("one"), modelSays("", word+","+call), userSays("two")}, has: []string{"so", "two"}, lacks: []string{"c1"}, messages: 3, piHas: true},
		"nothing but a call":               {lines: []string{userSays("one"), modelSays("", call), userSays("two")}, lacks: []string{"c1"}, messages: 2, piHas: true},
		"a call with a result":             {lines: []string{userSays("one"), modelSays("", call), answers("c1", "files")}, has: []string{"c1", "files"}, messages: 3},
		"signed thoughts of a cut answer":  {lines: []string{userSays("one"), modelSays("", `{"type":"thinking","thinking":"aha","thinkingSignature":"sig"},{"type":"redactedThinking","data":"xyz"},`+call)}, has: []string{"aha"}, lacks: []string{"sig", "xyz", "c1"}, messages: 2, piHas: true},
		"what is left of a cut answer":     {lines: []string{userSays("one"), modelSays("", word+`,`+call+`,{"type":"text","text":"then"}`)}, has: []string{`"content":[` + word + `,{"type":"text","text":"then"}]`}, lacks: []string{"c1"}, messages: 2, piHas: true},
		"signed thoughts of a whole one":   {lines: []string{userSays("one"), modelSays("", `{"type":"thinking","thinking":"aha","thinkingSignature":"sig"},`+call), answers("c1", "x")}, has: []string{"aha", "sig"}, messages: 3},
		"an answer that was tried again":   {lines: []string{userSays("one"), modelSays(`,"retryRecovery":{}`, word)}, lacks: []string{"so"}, messages: 1, piHas: true},
		"one that was not":                 {lines: []string{userSays("one"), modelSays(`,"retryRecovery":false`, word)}, has: []string{"so"}, messages: 2},
		"a plan for itself":                {lines: []string{userSays("one"), spoke("custom", `"customType":"prewalk-plan","content":"so","display":false`)}, lacks: []string{"so"}, messages: 1, piHas: true},
		"another custom message":           {lines: []string{userSays("one"), spoke("custom", `"customType":"else","content":"so","display":false`)}, has: []string{"so"}, messages: 2},
		"a notebook":                       {lines: []string{userSays("one"), notes + `{"version":1,"text":"remember"}`, userSays("two")}, has: []string{"remember", "experimental_context_notes"}, messages: 3},
		"the last notebook counts":         {lines: []string{notes + `{"version":1,"text":"old"}`, notes + `{"version":1,"text":"new"}`, userSays("one")}, has: []string{"new"}, lacks: []string{"old"}, messages: 2},
		"an empty one ends it":             {lines: []string{notes + `{"version":1,"text":"old"}`, notes + `{"version":1,"text":""}`, userSays("one")}, lacks: []string{"old"}, messages: 1},
		"one of another make is no other":  {lines: []string{notes + `{"version":1,"text":"old"}`, notes + `{"version":2,"text":"new"}`, notes + `{"version":1,"text":"x","more":1}`, notes + `"x"`, userSays("one")}, has: []string{"old"}, lacks: []string{"new"}, messages: 2},
		"one that is too long is no other": {lines: []string{notes + `{"version":1,"text":"` + strings.Repeat("x", 16<<10+1) + `"}`, userSays("one")}, lacks: []string{"xxx"}, messages: 1},
		"one of the greatest length":       {lines: []string{notes + `{"version":1,"text":"` + strings.Repeat("x", 16<<10) + `"}`, userSays("one")}, has: []string{"xxx"}, messages: 2},
		"what a provider replays":          {lines: []string{userSays("one"), userSays("two"), `"compaction","summary":"sum","firstKeptEntryId":"e1","tokensBefore":1` + replay, userSays("three")}, has: []string{"sum", "three"}, lacks: []string{"one", "two"}, messages: 2, piHas: true},
		"what it replays up to an entry":   {lines: []string{userSays("one"), userSays("two"), `"compaction","summary":"sum","firstKeptEntryId":"e1","tokensBefore":1,"providerReplayThroughEntryId":"e1"` + replay, userSays("three")}, has: []string{"sum", "two", "three"}, lacks: []string{"one"}, messages: 3, piHas: true},
		"what it cannot replay":            {lines: []string{userSays("one"), `"compaction","summary":"sum","firstKeptEntryId":"e1","tokensBefore":1,"preserveData":{"openaiRemoteCompaction":{"provider":"openai","replacementHistory":[1]}}`, userSays("three")}, has: []string{"one", "sum", "three"}, messages: 3},
		"a replay of nobody":               {lines: []string{userSays("one"), `"compaction","summary":"sum","firstKeptEntryId":"e1","tokensBefore":1,"preserveData":{"openaiRemoteCompaction":{"replacementHistory":[]}}`, userSays("three")}, has: []string{"one", "sum", "three"}, messages: 3},
		"a replay without a history":       {lines: []string{userSays("one"), `"compaction","summary":"sum","firstKeptEntryId":"e1","tokensBefore":1,"preserveData":{"openaiRemoteCompaction":{"provider":"openai"}}`}, has: []string{"one", "sum"}, messages: 2},
		"other data that is kept":          {lines: []string{userSays("one"), `"compaction","summary":"sum","firstKeptEntryId":"e1","tokensBefore":1,"preserveData":{"x":1}`}, has: []string{"one", "sum"}, messages: 2},
		"what Anthropic summarized":        {lines: []string{userSays("one"), userSays("two"), `"compaction","summary":"sum","firstKeptEntryId":"","tokensBefore":1,"providerReplayThroughEntryId":"e1"` + native, userSays("three")}, has: []string{"sum", "two", "three"}, lacks: []string{"one"}, messages: 3},
		"all of it":                        {lines: []string{userSays("one"), userSays("two"), `"compaction","summary":"sum","firstKeptEntryId":"","tokensBefore":1,"providerReplayThroughEntryId":"e2"` + native, userSays("three")}, has: []string{"sum", "three"}, lacks: []string{"one", "two"}, messages: 2},
		"and what it keeps by name":        {lines: []string{userSays("one"), userSays("two"), `"compaction","summary":"sum","firstKeptEntryId":"e2","tokensBefore":1,"providerReplayThroughEntryId":"e1"` + native, userSays("three")}, has: []string{"sum", "two", "three"}, lacks: []string{"one"}, messages: 3},
		"an unknown entry":                 {lines: []string{userSays("one"), userSays("two"), `"compaction","summary":"sum","firstKeptEntryId":"","tokensBefore":1,"providerReplayThroughEntryId":"gone"` + native, userSays("three")}, has: []string{"sum", "three"}, lacks: []string{"one", "two"}, messages: 2},
		"a summary without content":        {lines: []string{userSays("one"), userSays("two"), `"compaction","summary":"sum","firstKeptEntryId":"","tokensBefore":1,"providerReplayThroughEntryId":"e1","preserveData":{"anthropicCompaction":{"provider":"anthropic","content":""}}`, userSays("three")}, has: []string{"sum", "three"}, lacks: []string{"one", "two"}, messages: 2},
		"what a rollover cut off":          {lines: []string{userSays("one"), modelSays("", word), `"compaction","summary":"sum","firstKeptEntryId":"e2","tokensBefore":1,"details":{"kind":"experimental-context-rollover"}`}, has: []string{"sum", "one", "so"}, messages: 3},
		"what a rollover kept":             {lines: []string{userSays("one"), modelSays("", word), `"compaction","summary":"sum","firstKeptEntryId":"e1","tokensBefore":1,"details":{"kind":"experimental-context-rollover"}`}, has: []string{"sum", "one", "so"}, messages: 3},
		"nothing said, but signed":         {lines: []string{userSays("one"), modelSays(`,"stopReason":"error"`, `{"type":"thinking","thinking":"","thinkingSignature":"sig"}`), spoke("custom", `"customType":"interrupted-thinking","content":"hm","display":false`)}, has: []string{"sig", "hm"}, messages: 3},
		"nothing said at all":              {lines: []string{userSays("one"), modelSays(`,"stopReason":"error"`, `{"type":"thinking","thinking":" ","thinkingSignature":""},{"type":"redactedThinking","data":""},{"type":"fallback"},1`), spoke("custom", `"customType":"interrupted-thinking","content":"hm","display":false`)}, has: []string{"hm"}, lacks: []string{"fallback"}, messages: 2, piHas: true},
		"content that is a string":         {lines: []string{userSays("one"), spoke("assistant", `"content":"so","stopReason":"error"`), userSays("two")}, has: []string{"two"}, messages: 2},
		"what came before a reset":         {lines: []string{userSays("one"), `"reset_boundary"`, userSays("two")}, has: []string{"two"}, lacks: []string{"one"}, messages: 1},
		"no rollover":                      {lines: []string{userSays("one"), modelSays("", word), `"compaction","summary":"sum","firstKeptEntryId":"e2","tokensBefore":1,"details":{"kind":"else"}`}, has: []string{"sum", "so"}, lacks: []string{"one"}, messages: 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := chain(t, tt.lines...)
			plan, got := contextOf(t, format.OhMyPi, p)
			if n := len(strings.Split(strings.TrimSpace(got), "\n")); n != tt.messages {
				t.Errorf("%d messages, want %d:\n%s", n, tt.messages, got)
			}
			for _, want := range tt.has {
				if !strings.Contains(got, want) {
					t.Errorf("the context lacks %q:\n%s", want, got)
				}
			}
			_, pi := contextOf(t, format.Pi, p)
			for _, not := range tt.lacks {
				if strings.Contains(got, not) {
					t.Errorf("the context holds %q:\n%s", not, got)
				}
				if tt.piHas && !strings.Contains(pi, not) {
					t.Errorf("pi's lacks %q too:\n%s", not, pi)
				}
			}
			if plan.ThinkingLevel != "off" {
				t.Errorf("the thinking level is %q", plan.ThinkingLevel)
			}
		})
	}
}

// In oh-my-pi the model is the one chosen for the conversation, whichever
// replaced it; in pi the one of the last response.
func TestModelOfOhMyPi(t *testing.T) {
	change := func(model, role string) string {
		return `"model_change","provider":"p","modelId":"` + model + `"` + role
	}
	lines := []string{change("chosen", ""), change("small", `,"role":"smol"`), userSays("one"), modelSays(`,"provider":"p","model":"standin"`, word)}
	p := chain(t, lines...)
	if plan, _ := contextOf(t, format.OhMyPi, p); plan.Model == nil || plan.Model.ModelID != "chosen" {
		t.Errorf("oh-my-pi's model is %v", plan.Model)
	}
	if plan, _ := contextOf(t, format.Pi, p); plan.Model == nil || plan.Model.ModelID != "standin" {
		t.Errorf("pi's model is %v", plan.Model)
	}
	if plan, _ := contextOf(t, format.OhMyPi, chain(t, lines[1:]...)); plan.Model == nil || plan.Model.ModelID != "standin" {
		t.Errorf("without a choice oh-my-pi's model is %v", plan.Model)
	}
	if plan, _ := contextOf(t, format.OhMyPi, chain(t, userSays("one"))); plan.Model != nil {
		t.Errorf("without anything oh-my-pi's model is %v", plan.Model)
	}
}

// The header of a file says what holds where no entry does.
func TestSettingsOfHeader(t *testing.T) {
	h, err := format.DecodeHeader([]byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p","provider":"p","modelId":"m","thinkingLevel":"high"}`))
	if err != nil {
		t.Fatal(err)
	}
	of := func(lines ...string) *transcript.Plan {
		plan, err := transcript.Build(chain(t, lines...), transcript.Origin{Header: h})
		if err != nil {
			t.Fatal(err)
		}
		return plan
	}
	if plan := of(userSays("one")); plan.ThinkingLevel != "high" || plan.Model == nil || *plan.Model != (format.Model{Provider: "p", ModelID: "m"}) {
		t.Errorf("the header says %q and %v", plan.ThinkingLevel, plan.Model)
	}
	plan := of(`"thinking_level_change","thinkingLevel":"low"`, `"model_change","provider":"q","modelId":"n"`)
	if plan.ThinkingLevel != "low" || *plan.Model != (format.Model{Provider: "q", ModelID: "n"}) {
		t.Errorf("the entries say %q and %v", plan.ThinkingLevel, plan.Model)
	}
	if plan := of(`"thinking_level_change","thinkingLevel":null`); plan.ThinkingLevel != "high" {
		t.Errorf("a level of null makes it %q", plan.ThinkingLevel)
	}
}

// A compaction of Atomic is one message: the kept lines, followed by the kept
// messages as lines, with images in their places.
func TestAtomic(t *testing.T) {
	lines := `"compaction","summary":"[User]: zero","firstKeptEntryId":"e1","tokensBefore":1,"details":{"strategy":"verbatim-lines"}`
	picture := `{"type":"image","data":"QUJD","mimeType":"image/png"}`
	p := chain(t, spoke("user", `"content":[{"type":"text","text":"look"},`+picture+`,{"type":"text","text":"there"},{"type":"text","text":""},{"type":"else"}]`),
		modelSays("", `{"type":"thinking","thinking":"hm"},`+word+`,{"type":"text","text":"it is"},`+call), answers("c1", "files"), userSays("and then"), lines, userSays("last"))
	plan, got := contextOf(t, format.Atomic, p)
	if steps := plan.Steps; len(steps) != 2 || steps[0].From != transcript.FromLines {
		t.Fatalf("the steps are %v:\n%s", steps, got)
	}
	first, _, _ := strings.Cut(got, "\n")
	for _, want := range []string{
		`{"role":"custom","customType":"compaction","content":[{"type":"text","text":"The earlier conversation was compacted.`,
		`\n\n[User]: zero\n\n[User]: look\n"},` + picture + `,{"type":"text","text":"there`,
		`there\n\n[Assistant thinking]: hm\n\n[Assistant]: so\nit is\n\n[Assistant tool calls]: bash(command=\"ls\", flags=[1,2])`,
		`\n\n[Tool result]: files\n\n[User]: and then"}]`,
		`"details":{"strategy":"verbatim-lines"}`,
	} {
		if !strings.Contains(first, want) {
			t.Errorf("the message lacks %s:\n%s", want, first)
		}
	}
	if strings.Contains(first, "last") || !strings.Contains(got, "last") {
		t.Errorf("what came after stands in the wrong place:\n%s", got)
	}
}

// A compaction of Atomic that is a summary is followed by the kept messages.
func TestAtomicSummary(t *testing.T) {
	summary := `"compaction","summary":"SUM","firstKeptEntryId":"e2","tokensBefore":1,"details":{"strategy":"verbatim-lines","backend":"summary"}`
	p := chain(t, userSays("zero"), modelSays("", word), userSays("one"), modelSays("", word), summary, userSays("last"))
	plan, got := contextOf(t, format.Atomic, p)
	var from []transcript.Source
	for _, step := range plan.Steps {
		from = append(from, step.From)
	}
	if want := []transcript.Source{transcript.FromLines, transcript.FromMessage, transcript.FromMessage, transcript.FromMessage, transcript.FromMessage}; !slices.Equal(from, want) {
		t.Errorf("the steps are %v, want %v:\n%s", from, want, got)
	}
	first, _, _ := strings.Cut(got, "\n")
	if !strings.Contains(first, `"The following is a summary of the earlier conversation:\n\nSUM"}]`) || strings.Contains(got, "zero") {
		t.Errorf("the summary is not alone in its message:\n%s", got)
	}
}

// A compaction that holds no lines counts for nothing in Atomic.
func TestAtomicPassesOver(t *testing.T) {
	plain := `"compaction","summary":"plain","firstKeptEntryId":"e2","tokensBefore":1`
	p := chain(t, userSays("one"), userSays("two"), plain, userSays("three"))
	if plan, got := contextOf(t, format.Atomic, p); plan.Boundary != -1 || strings.Contains(got, "plain") || !strings.Contains(got, "one") {
		t.Errorf("begins at %d:\n%s", plan.Boundary, got)
	}
	if plan, got := contextOf(t, format.Pi, p); plan.Boundary != 2 || !strings.Contains(got, "plain") || strings.Contains(got, "one") {
		t.Errorf("pi's begins at %d:\n%s", plan.Boundary, got)
	}
}

// Roles that models do not support are converted to user text.
func TestForModelInWords(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"python":             {`"role":"pythonExecution","code":"1+1","output":"2","exitCode":0`, "Ran Python:\n```python\n1+1\n```\nOutput:\n```\n2\n```"},
		"python that fails":  {`"role":"pythonExecution","code":"x","output":"","exitCode":1`, "Ran Python:\n```python\nx\n```\n(no output)\n\nExecution failed with code 1"},
		"python, stopped":    {`"role":"pythonExecution","code":"x","output":"","cancelled":true,"exitCode":1`, "Ran Python:\n```python\nx\n```\n(no output)\n\n(execution cancelled)"},
		"a shell":            {`"role":"bashExecution","command":"ls","output":"a","exitCode":null`, "Ran `ls`\n```\na\n```"},
		"a shell that fails": {`"role":"bashExecution","command":"false","output":"","exitCode":1.5`, "Ran `false`\n(no output)\n\nCommand exited with code 1.5"},
		"a branch left":      {`"role":"branchSummary","summary":"went wrong","fromId":"x"`, "went wrong"},
		"a file":             {`"role":"fileMention","files":[{"path":"a.go","content":"package a"}, 7, {"path":"b","skippedReason":"large","content":""}]`, "<file path=\"a.go\">\npackage a\n</file>"},
		"a file unread":      {`"role":"fileMention","files":[{"path":"b","skippedReason":"large"}]`, "<file path=\"b\">\n(not read: large)\n</file>"},
	}
	for name, tt := range tests {
		out, ok := transcript.ForModel([]byte("{" + tt.in + `,"timestamp":1}`))
		var m struct {
			Role    string
			Content []struct{ Type, Text string }
		}
		if err := json.Unmarshal(out, &m); err != nil || !ok || m.Role != "user" || len(m.Content) == 0 || m.Content[0].Type != "text" {
			t.Errorf("%s: %s (%t, %v), want a user's message", name, out, ok, err)
			continue
		}
		if got := m.Content[0].Text; got != tt.want && (name != "a branch left" || !strings.Contains(got, tt.want)) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	picture := `{"type":"image","data":"QUJD","mimeType":"image/png"}`
	out, _ := transcript.ForModel([]byte(`{"role":"fileMention","files":[{"path":"p.png","content":"","image":` + picture + `}],"timestamp":1}`))
	if !strings.Contains(string(out), `},`+picture+`]`) {
		t.Errorf("a picture that was named: %s", out)
	}
	for _, not := range []string{`{"role":"pythonExecution","code":"x","excludeFromContext":true}`, `{"role":"bashExecution","command":"x","excludeFromContext":true}`, `{"role":"else","content":"x"}`} {
		if out, ok := transcript.ForModel([]byte(not)); ok {
			t.Errorf("a model sees %s", out)
		}
	}
}

// A reset of OpenClaw keeps what came before it from the entry on that it names.
func TestResetThatKeeps(t *testing.T) {
	tests := map[string]int{`"reset"`: 1, `"reset","firstKeptEntryId":"e2"`: 2, `"reset","firstKeptEntryId":"gone"`: 1, `"reset","firstKeptEntryId":"e4"`: 1}
	for reset, want := range tests {
		plan, got := contextOf(t, format.OpenClaw, chain(t, userSays("one"), userSays("two"), reset, userSays("three")))
		if n := len(strings.Split(strings.TrimSpace(got), "\n")); n != want || strings.Contains(got, "one") || !strings.Contains(got, "three") {
			t.Errorf("behind %s, from %d on:\n%s", reset, plan.First, got)
		}
	}
}

// A line that cannot be read is an error of the context, whatever the program.
func TestUnreadableLine(t *testing.T) {
	lines := []string{
		`"thinking_level_change","thinkingLevel":"low"`, `"model_change","provider":"p","modelId":"m"`, userSays("one"), userSays("two"),
		`"custom","customType":"experimental_context_notes","data":{"version":1,"text":"x"}`,
		`"compaction","summary":"[User]: zero","firstKeptEntryId":"e3","tokensBefore":1,"details":{"strategy":"verbatim-lines"}`,
		`"context_edit","targetId":"e3","replacement":null`, `"reset","firstKeptEntryId":"e1"`, userSays("last"),
	}
	for _, program := range []format.Program{format.Pi, format.OhMyPi, format.Atomic, format.OpenClaw} {
		for end := 3; end <= len(lines); end++ {
			whole := chain(t, lines[:end]...)
			if _, got := contextOf(t, program, whole); got == "" {
				t.Fatalf("%v: no context of %d lines", program, end)
			}
			for n := 1; n <= whole.reads; n++ {
				p := &endingPath{memoryPath: chain(t, lines[:end]...), left: n}
				err := contextError(p, program)
				if p.left < 1 && err == nil {
					t.Errorf("%v: reading %d of %d lines failed, and nobody was told", program, n, end)
				}
			}
		}
	}
}

// An endingPath fails to read its lines after a given number.
type endingPath struct {
	*memoryPath
	left int
}

func (p *endingPath) Line(pos int) ([]byte, error) {
	if p.left--; p.left < 1 {
		return nil, errLog
	}
	return p.memoryPath.Line(pos)
}

func contextError(p transcript.Path, program format.Program) error {
	plan, err := transcript.Build(p, transcript.Origin{Program: program})
	if err != nil {
		return err
	}
	for _, err := range plan.Messages(p) {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestEditable(t *testing.T) {
	p := chain(t, userSays("one"), modelSays("", word), answers("c1", "x"), `"custom_message","customType":"x","content":"y","display":true`,
		`"custom","customType":"x"`, spoke("bashExecution", `"command":"ls","output":""`), spoke("system", `"content":"x"`))
	for pos, want := range []bool{true, true, true, true, false, false, false} {
		if e := p.At(pos); transcript.Editable(e) != want {
			t.Errorf("entry %d can be edited: %t", pos, !want)
		}
	}
}
