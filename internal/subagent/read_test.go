package subagent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/tests/corpus"
)

const header = `{"type":"session","version":3,"id":"%s","timestamp":"2026-08-21T09:30:00.000Z","cwd":%s}`

// usage is what one child spent in these tests, in both forms.
const (
	spentMicros = 7_000
	answerUsage = `{"input":70,"output":7,"cacheRead":0,"cacheWrite":0,"totalTokens":77,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.007}}`
	resultUsage = `{"input":70,"output":7,"cacheRead":0,"cacheWrite":0,"cost":0.007,"turns":1}`
)

// write writes a session of the given lines and returns its path.
func write(t *testing.T, path string, lines ...string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// parentLines is a session with one call and its result.
func parentLines(cwd, arguments, message string) []string {
	return []string{
		fmt.Sprintf(header, "01990000-0000-7000-8000-00000000000a", quoted(cwd)),
		`{"type":"message","id":"u1","parentId":null,"timestamp":"2026-08-21T09:30:01.000Z","message":{"role":"user","content":"go","timestamp":1}}`,
		`{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-08-21T09:30:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"subagent","arguments":` + arguments + `}],"provider":"p","model":"m","usage":` + answerUsage + `,"stopReason":"toolUse","timestamp":2}}`,
		`{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-08-21T09:30:40.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"subagent","content":[]` + message + `,"isError":false,"timestamp":3}}`,
	}
}

// childLines is the session of a child that spent spentMicros.
func childLines(id string) []string {
	return []string{
		fmt.Sprintf(header, id, quoted("/w")),
		`{"type":"message","id":"k1","parentId":null,"timestamp":"2026-08-21T09:30:10.000Z","message":{"role":"user","content":"Task: look","timestamp":1}}`,
		`{"type":"message","id":"k2","parentId":"k1","timestamp":"2026-08-21T09:30:25.000Z","message":{"role":"assistant","content":[{"type":"text","text":"seen"}],"provider":"p","model":"small","usage":` + answerUsage + `,"stopReason":"stop","timestamp":2}}`,
	}
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string is always JSON
	}
	return string(text)
}

// However many places record the cost of a run, it counts once.
func TestMoneyOnceWhoeverTells(t *testing.T) {
	tellers := []string{"result", "message", "totalChildUsage", "totalCost", "metadata", "session", "transcript"}
	for mask := range 1 << len(tellers) {
		told := map[string]bool{}
		for i, name := range tellers {
			told[name] = mask>>i&1 == 1
		}
		dir := t.TempDir()
		result := `"index":0,"agent":"scout","task":"[prompt redacted]","exitCode":0`
		details := `"mode":"single","runId":"run1"`
		message := ""
		if told["result"] {
			result += `,"usage":` + resultUsage
		}
		if told["message"] {
			message = `,"usage":` + answerUsage
		}
		if told["totalChildUsage"] {
			details += `,"totalChildUsage":` + resultUsage
		}
		if told["totalCost"] {
			details += `,"totalCost":{"inputTokens":70,"outputTokens":7,"costUsd":0.007}`
		}
		if told["metadata"] {
			write(t, filepath.Join(dir, "subagent-artifacts", "run1_scout_meta.json"), `{"runId":"run1","agent":"scout","usage":`+resultUsage+`}`)
		}
		if told["transcript"] {
			write(t, filepath.Join(dir, "subagent-artifacts", "run1_scout_transcript.jsonl"),
				`{"recordType":"message","message":{"role":"assistant","content":[],"usage":`+answerUsage+`}}`)
		}
		if told["session"] {
			write(t, filepath.Join(dir, "p", "run1", "run-0", "session.jsonl"), childLines("01990000-0000-7000-8000-00000000000b")...)
		}
		file := write(t, filepath.Join(dir, "p.jsonl"), parentLines("/w", `{"agent":"scout","task":"look"}`, message+`,"details":{`+details+`,"results":[{`+result+`}]}`)...)
		want := int64(spentMicros)
		if mask == 0 {
			want = 0
		}
		r := read(t, file, subagent.Options{})
		if r.Own.Cost.Micros() != spentMicros || r.Children.Cost.Micros() != want || r.All.Cost.Micros() != spentMicros+want {
			t.Errorf("told by %v: own %d, children %d, all %d; want %d, %d and their sum", told, r.Own.Cost.Micros(), r.Children.Cost.Micros(), r.All.Cost.Micros(), spentMicros, want)
		}
	}
}

func TestDepth(t *testing.T) {
	dir, all := exhibits(t)
	file := filepath.Join(dir, filepath.FromSlash(all["late-nested"].Session))
	for _, tt := range []struct {
		depth, runs int
		limited     bool
	}{
		{-1, 3, true}, {1, 3, true}, {2, 4, false}, {0, 4, false},
	} {
		r := read(t, file, subagent.Options{Depth: tt.depth})
		if r.Runs != tt.runs || r.Limited != tt.limited {
			t.Errorf("Read with depth %d = %d runs, limited %t; want %d, %t\n%s", tt.depth, r.Runs, r.Limited, tt.runs, tt.limited, outline(dir, r.Invocations))
		}
	}
}

// Find reports the facts in the session, without reading other files.
func TestFind(t *testing.T) {
	dir, all := exhibits(t)
	s := open(t, filepath.Join(dir, filepath.FromSlash(all["early"].Session)))
	found, err := subagent.Find(s, s.LeafID())
	if err != nil || len(found) != 2 {
		t.Fatalf("Find = %d invocations, %v; want 2", len(found), err)
	}
	if found[0].CallEntry != found[1].CallEntry || found[0].ResultEntry == found[1].ResultEntry || found[0].ToolCallID == found[1].ToolCallID {
		t.Errorf("two calls of one message: %+v and %+v", found[0], found[1])
	}
	r := found[1].Runs[2]
	if r.Agent != "writer" || r.Status != subagent.Failed || r.Reason != "no write access" || r.Duration != 61500*time.Millisecond || r.ToolCalls != 1 || r.Turns != 2 ||
		len(r.Skills) != 1 || len(r.Paths) != 5 || r.Source.Kind != "" {
		t.Errorf("Find: the third run is %+v", r)
	}
	before, err := subagent.Find(s, found[0].CallEntry)
	if err != nil || len(before) != 2 || before[0].Status != subagent.NoResult || len(before[1].Runs) != 3 {
		t.Errorf("Find at the call = %+v, %v; want two calls without results", before, err)
	}
	if _, err := subagent.Find(s, "nowhere"); err == nil {
		t.Errorf("Find of no entry = nil error")
	}
}

// An id of a call that comes again belongs to the result that follows it.
func TestCallIDsComeAgain(t *testing.T) {
	lines := parentLines("/w", `{"agent":"a","task":"first"}`, `,"details":{"mode":"single","results":[{"agent":"a","exitCode":0}]}`)
	lines = append(lines,
		strings.NewReplacer(`"id":"a1","parentId":"u1"`, `"id":"a2","parentId":"r1"`, `"task":"first"`, `"task":"second"`).Replace(lines[2]),
		strings.NewReplacer(`"id":"r1","parentId":"a1"`, `"id":"r2","parentId":"a2"`, `"exitCode":0`, `"exitCode":1`).Replace(lines[3]),
		strings.NewReplacer(`"id":"r1","parentId":"a1"`, `"id":"r3","parentId":"r2"`).Replace(lines[3])) // recorded twice
	s := open(t, write(t, filepath.Join(t.TempDir(), "p.jsonl"), lines...))
	found, err := subagent.FindAll(s)
	if err != nil || len(found) != 2 {
		t.Fatalf("FindAll = %+v, %v; want two invocations", found, err)
	}
	for i, want := range []struct {
		task   string
		status subagent.Status
	}{{"first", subagent.OK}, {"second", subagent.Failed}} {
		if r := found[i].Runs; len(r) != 1 || r[0].Task != want.task || r[0].Status != want.status {
			t.Errorf("invocation %d = %+v; want %+v", i, r, want)
		}
	}
}

// Paths of a session lead to regular files only, wherever they point.
func TestPaths(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths of the table are those of other systems")
	}
	home, work := t.TempDir(), t.TempDir()
	child := childLines("01990000-0000-7000-8000-00000000000b")
	write(t, filepath.Join(home, "kids", "home.jsonl"), child...)
	write(t, filepath.Join(work, "kids", "relative.jsonl"), child...)
	if err := os.Mkdir(filepath.Join(work, "bare"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path string
		kind subagent.SourceKind
		why  string
	}{
		{"~/kids/home.jsonl", subagent.FromSession, ""},
		{"kids/relative.jsonl", subagent.FromSession, ""},
		{"./kids/../kids/relative.jsonl", subagent.FromSession, ""},
		{"kids", subagent.FromSession, ""}, // one that is a directory is searched
		{"bare", "", "a directory without a session"},
		{"kids/none.jsonl", "", "gone"},
		{"kids/relative.jsonl/x", "", "gone"},
		{"nul\u0000.jsonl", "", "not a path"},
		{`D:\kids\relative.jsonl`, "", "a path of another system"},
		{`\\server\share\kid.jsonl`, "", "a path of another system"},
		{"/dev/null", "", "not a regular file"},
		{"/dev/zero", "", "not a regular file"},
	} {
		details := `,"details":{"mode":"single","results":[{"agent":"a","exitCode":0,"sessionFile":` + quoted(tt.path) + `}]}`
		file := write(t, filepath.Join(t.TempDir(), "p.jsonl"), parentLines(work, `{"agent":"a"}`, details)...)
		r := read(t, file, subagent.Options{Environment: sessiondir.Environment{Home: home}})
		run := r.Invocations[0].Runs[0]
		why := ""
		if len(run.Tried) > 0 {
			why = run.Tried[0].Why
		}
		if run.Source.Kind != tt.kind || why != tt.why || run.Paths[0].Gone != (tt.why != "" && tt.why != "a directory without a session" && !strings.Contains(tt.why, "regular")) {
			t.Errorf("sessionFile %q: source %q, tried %q, gone %t; want %q, %q", tt.path, run.Source.Kind, why, run.Paths[0].Gone, tt.kind, tt.why)
		}
	}
}

// Every kind of source is readable as messages.
func TestMessages(t *testing.T) {
	dir, all := exhibits(t)
	want := map[subagent.SourceKind]string{
		subagent.FromSession: "user assistant toolResult assistant", subagent.FromDerived: "user assistant toolResult assistant",
		subagent.FromTranscript: "user toolResult assistant", subagent.FromEvents: "user assistant toolResult assistant",
		subagent.FromInline: "user assistant toolResult assistant", subagent.FromOutput: "assistant", subagent.FromResult: "assistant",
	}
	seen := map[subagent.SourceKind]bool{}
	for _, name := range []string{"late", "early", "pi-example", "background"} {
		r := read(t, filepath.Join(dir, filepath.FromSlash(all[name].Session)), subagent.Options{})
		for _, run := range subagent.Flat(r.Invocations) {
			var roles []string
			for m, err := range run.Source.Messages(t.Context()) {
				if err != nil {
					t.Fatalf("%s: messages of %s: %v", name, run.Source.Path, err)
				}
				roles = append(roles, string(m.Role()))
			}
			seen[run.Source.Kind] = true
			if got := strings.Join(roles, " "); run.Source.Kind != "" && got != want[run.Source.Kind] {
				t.Errorf("%s: %s has the messages %q; want %q", name, run.Source.Kind, got, want[run.Source.Kind])
			}
		}
	}
	for kind := range want {
		if !seen[kind] {
			t.Errorf("no exhibit has the source %s", kind)
		}
	}
	for range (subagent.Source{Kind: subagent.FromSession, Path: filepath.Join(dir, "none")}).Messages(t.Context()) {
		break // an error is yielded and may be left
	}
	var failed error
	for _, err := range (subagent.Source{Kind: subagent.FromOutput, Path: dir}).Messages(t.Context()) {
		failed = err
	}
	if failed == nil {
		t.Errorf("messages of a folder: no error")
	}
}

// The answer that is left of a run is a message with its text.
func TestOutputIsAnAnswer(t *testing.T) {
	file := write(t, filepath.Join(t.TempDir(), "x_output.md"), "All fine.")
	said := 0
	for m, err := range (subagent.Source{Kind: subagent.FromOutput, Path: file}).Messages(t.Context()) {
		said++
		a, ok := m.(*format.Assistant)
		if err != nil || !ok || a.Content.PlainText() != "All fine.\n" {
			t.Errorf("Messages of an output = %v, %v", m, err)
		}
	}
	if said != 1 {
		t.Errorf("%d messages of an output, want 1", said)
	}
}

// A child that a later run continues is followed once, and its cost, which only
// its file records, counts once.
func TestContinuedChild(t *testing.T) {
	dir := t.TempDir()
	kid := write(t, filepath.Join(dir, "kid.jsonl"), childLines("01990000-0000-7000-8000-00000000000b")...)
	result := `{"agent":"a","exitCode":0,"sessionFile":` + quoted(kid) + `}`
	details := `,"details":{"mode":"parallel","results":[` + result + `,` + result + `]}`
	r := read(t, write(t, filepath.Join(dir, "p.jsonl"), parentLines("/w", `{"agent":"a"}`, details)...), subagent.Options{})
	second := r.Invocations[0].Runs[1]
	if r.Children.Cost.Micros() != spentMicros || second.Note == "" || second.Session == nil {
		t.Errorf("children spent %d, the second run is %+v; want %d and a note", r.Children.Cost.Micros(), second, spentMicros)
	}
}

func TestZooIsReadTwiceAlike(t *testing.T) {
	dir, all := exhibits(t)
	for name, e := range all {
		file := filepath.Join(dir, filepath.FromSlash(e.Session))
		a, b := read(t, file, subagent.Options{}), read(t, file, subagent.Options{})
		if x, y := outline(dir, a.Invocations), outline(dir, b.Invocations); x != y {
			t.Errorf("%s: read again it is\n%s\nand not\n%s", name, y, x)
		}
	}
	if len(corpus.Zoo(dir)) != len(all) {
		t.Errorf("two exhibits have one name")
	}
}

// Another tool that is called task is none of ours, and its money is the session's.
func TestForeignTask(t *testing.T) {
	lines := parentLines("/w", `{"title":"buy milk"}`, `,"usage":`+answerUsage+`,"details":{"done":true}`)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], `"subagent"`, `"task"`)
	}
	r := read(t, write(t, filepath.Join(t.TempDir(), "p.jsonl"), lines...), subagent.Options{})
	if len(r.Invocations) != 0 || r.Own.Cost.Micros() != 2*spentMicros || !r.Children.IsZero() {
		t.Errorf("a list of things to do: %+v, own %+v, children %+v", r.Invocations, r.Own, r.Children)
	}
}

// The name of a run cannot escape the directory of its session.
func TestRunNamesStayInside(t *testing.T) {
	for _, id := range []string{"..", ".", "../out", `..\out`, "a/../../out", "/"} {
		dir := t.TempDir()
		for _, place := range []string{"run-0", "out/run-0", "p/run-0"} {
			write(t, filepath.Join(dir, filepath.FromSlash(place), "session.jsonl"), childLines("01990000-0000-7000-8000-00000000000b")...)
		}
		write(t, filepath.Join(dir, "out.jsonl"), childLines("01990000-0000-7000-8000-00000000000b")...)
		details := `,"details":{"mode":"single","runId":` + quoted(id) + `,"results":[{"agent":"a","exitCode":0,"id":` + quoted(id) + `}]}`
		r := read(t, write(t, filepath.Join(dir, "p.jsonl"), parentLines("/w", `{"agent":"a"}`, details)...), subagent.Options{})
		if source := r.Invocations[0].Runs[0].Source; source.Kind != "" {
			t.Errorf("the run %q leads to %s", id, source.Path)
		}
	}
}

// Two waits may mention the same end, also where the beginning is not on the path.
func TestCompletionToldTwice(t *testing.T) {
	details := `,"details":{"mode":"management","results":[],"completions":[{"runId":"r","state":"complete","results":[{"agent":"a","success":true,"usage":` + resultUsage + `}]}]}`
	lines := parentLines("/w", `{"id":"r"}`, details)
	lines = append(lines,
		strings.NewReplacer(`"id":"a1","parentId":"u1"`, `"id":"a2","parentId":"r1"`, `"c1"`, `"c2"`).Replace(lines[2]),
		strings.NewReplacer(`"id":"r1","parentId":"a1"`, `"id":"r2","parentId":"a2"`, `"c1"`, `"c2"`).Replace(lines[3]))
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], `"subagent"`, `"bg_wait"`)
	}
	r := read(t, write(t, filepath.Join(t.TempDir(), "p.jsonl"), lines...), subagent.Options{})
	if r.Runs != 1 || r.Children.Cost.Micros() != spentMicros || r.Own.Cost.Micros() != 2*spentMicros {
		t.Errorf("%d runs, children %d, own %d; want 1, %d, %d", r.Runs, r.Children.Cost.Micros(), r.Own.Cost.Micros(), spentMicros, 2*spentMicros)
	}
}

// Calls below a millionth add up, on either side of a run, and so does a cost that
// is given by its parts.
func TestSmallCosts(t *testing.T) {
	tiny := `{"input":1,"cost":{"input":0.0000003,"output":0.0000001}}`
	dir := t.TempDir()
	lines := parentLines("/w", `{"agent":"a","task":"x"}`, `,"details":{"mode":"single","results":[{"agent":"a","exitCode":0,"usage":`+tiny+`},{"agent":"b","exitCode":0,"usage":`+tiny+`}]}`)
	for i := range lines {
		lines[i] = strings.ReplaceAll(lines[i], answerUsage, tiny)
	}
	r := read(t, write(t, filepath.Join(dir, "parent.jsonl"), lines...), subagent.Options{})
	if r.Own.Cost != 400 || r.Children.Cost != 800 || r.All.Cost.Micros() != 1 {
		t.Errorf("own %d, children %d, all %d billionths; want 400, 800, 1200", r.Own.Cost, r.Children.Cost, r.All.Cost)
	}
}

// The files that a result lists for all runs together are those of the runs.
func TestListedArtifacts(t *testing.T) {
	dir := t.TempDir()
	answer := func(text string) string {
		return `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"` + text + `"}],"stopReason":"stop"}}`
	}
	for _, name := range []string{"one", "two", "r_b_0", "r_b_1"} {
		write(t, filepath.Join(dir, name+".jsonl"), answer(name))
	}
	path := func(name string) string { return quoted(filepath.Join(dir, name)) }
	for name, tt := range map[string]struct {
		files string
		want  []string
	}{
		"objects": {`[{"jsonlPath":` + path("one.jsonl") + `},{"jsonlPath":` + path("two.jsonl") + `}]`, []string{"one", "two"}},
		"paths":   {`[` + path("r_b_1.jsonl") + `,` + path("r_b_0.jsonl") + `]`, []string{"r_b_0", "r_b_1"}},
	} {
		t.Run(name, func(t *testing.T) {
			details := `,"details":{"mode":"parallel","results":[{"agent":"b","exitCode":0},{"agent":"b","exitCode":0}],"artifacts":{"files":` + tt.files + `}}`
			file := write(t, filepath.Join(t.TempDir(), "p.jsonl"), parentLines(t.TempDir(), `{"tasks":[{"agent":"b"},{"agent":"b"}]}`, details)...)
			runs := read(t, file, subagent.Options{}).Invocations[0].Runs
			if len(runs) != len(tt.want) {
				t.Fatalf("%d runs, want %d", len(runs), len(tt.want))
			}
			for i, run := range runs {
				said := ""
				for m, err := range run.Source.Messages(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					said += m.(*format.Assistant).Content.PlainText()
				}
				if run.Source.Kind != subagent.FromEvents || said != tt.want[i] {
					t.Errorf("run %d: source %q says %q, want the events that say %q", i, run.Source.Kind, said, tt.want[i])
				}
			}
		})
	}
}
