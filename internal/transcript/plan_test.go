package transcript_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/transcript"
)

func user(s string) string {
	return `"message","message":{"role":"user","content":"` + s + `"}`
}

func compaction(summary, keep string) string {
	return `"compaction","summary":"` + summary + `","firstKeptEntryId":` + keep + `,"tokensBefore":9`
}

const (
	stamp  = `"timestamp":1767225601000`
	level  = `"thinking_level_change","thinkingLevel":`
	model  = `"model_change",`
	answer = `"message","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],"provider":"p","model":"m"}`
)

func userMessage(s string) string { return `{"role":"user","content":"` + s + `"}` }

func summaryMessage(s string) string {
	return `{"role":"compactionSummary","summary":"` + s + `","tokensBefore":9,` + stamp + `}`
}

func TestBuild(t *testing.T) {
	tests := map[string]struct {
		lines []string
		want  []string
	}{
		"nothing": {}, // pitfall 126: a path before the first answer is a path
		"one message": {
			lines: []string{user("a")},
			want:  []string{userMessage("a")},
		},
		"only the last compaction counts": { // pitfall 87
			lines: []string{user("a"), compaction("S1", `"e1"`), user("b"), compaction("S2", `"e1"`), user("c")},
			want:  []string{summaryMessage("S2"), userMessage("a"), userMessage("b"), userMessage("c")},
		},
		"own id keeps none": { // pitfall 89
			lines: []string{user("a"), compaction("S", `"e2"`), user("b")},
			want:  []string{summaryMessage("S"), userMessage("b")},
		},
		"a label can be the first kept entry": { // pitfall 88
			lines: []string{user("a"), `"label","targetId":"e1","label":"x"`, user("b"), compaction("S", `"e2"`), user("c")},
			want:  []string{summaryMessage("S"), userMessage("b"), userMessage("c")},
		},
		"plain custom entries stay outside, custom messages come in": { // pitfall 94
			lines: []string{
				`"custom","customType":"x","data":{"content":"no"}`,
				`"custom_message","customType":"x","content":"yes","display":true,"details":{"n":1.50}`,
				`"custom_message","customType":"x","content":"no","display":true,"excludeFromContext":true`,
				`"custom_message","customType":"x","content":null,"display":false`,
			},
			want: []string{
				`{"role":"custom","customType":"x","content":"yes","display":true,"details":{"n":1.50},` + stamp + `}`,
				`{"role":"custom","customType":"x","content":[],"display":false,` + stamp + `}`,
			},
		},
		"summaries stand once, where they were made": { // pitfall 97
			lines: []string{
				user("a"), `"branch_summary","fromId":"x","summary":"B1"`, user("b"),
				compaction("S", `"e2"`), `"branch_summary","fromId":"y","summary":"B2"`, `"branch_summary","fromId":"z","summary":""`,
			},
			want: []string{
				summaryMessage("S"), `{"role":"branchSummary","summary":"B1","fromId":"x",` + stamp + `}`, userMessage("b"),
				`{"role":"branchSummary","summary":"B2","fromId":"y",` + stamp + `}`,
			},
		},
		"system messages of the kept range are part of the boundary": { // pitfall 95
			lines: []string{
				`"message","message":{"role":"system","content":"old"}`, user("a"),
				compaction("S", `"e1"`) + `,"systemMessage":{"role":"system","content":"all"}`,
				`"message","message":{"role":"system","content":null}`,
			},
			want: []string{
				`{"role":"system","content":"all"}`, summaryMessage("S"), userMessage("a"), `{"role":"system","content":""}`,
			},
		},
		"null and missing content": { // pitfall 17
			lines: []string{
				`"message","message":{"role":"user","content":null}`, `"message","message":{"role":"assistant"}`,
				`"message","message":{"role":"bashExecution","command":"ls"}`, `"message"`, `"message","message":[]`,
			},
			want: []string{
				`{"role":"user","content":[]}`, `{"role":"assistant","content":[]}`, `{"role":"bashExecution","command":"ls"}`,
			},
		},
		"a name in escapes": {
			lines: []string{`"message","message":{"role":"user","\u0063ontent":"a"}`},
			want:  []string{`{"role":"user","\u0063ontent":"a"}`},
		},
		"the context starts anew behind a reset": {
			lines: []string{user("a"), compaction("S", `"e1"`), `"reset_boundary"`, user("b")},
			want:  []string{userMessage("b")},
		},
		"a reset is final for what is kept too": {
			lines: []string{user("a"), `"reset_boundary"`, user("b"), compaction("S", `"e1"`), user("c")},
			want:  []string{summaryMessage("S"), userMessage("c")},
		},
		"bytes stay": { // invariant C3
			lines: []string{`"message","message":{ "x" : 1.0e2, "role":"user" ,"content":"\u00e9\ud83d","x":2}`},
			want:  []string{`{ "x" : 1.0e2, "role":"user" ,"content":"\u00e9\ud83d","x":2}`},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, want := context(t, chain(t, tt.lines...)), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("context of\n%s\ngot\n%s\nwant\n%s", strings.Join(tt.lines, "\n"), got, want)
			}
		})
	}
}

// pitfall 93
func TestContextEdits(t *testing.T) {
	edit := func(target, replacement string) string {
		return `"context_edit","targetId":"` + target + `","replacement":` + replacement
	}
	result := `"message","message":{"role":"toolResult","toolCallId":"c","content":[]}`
	tests := map[string]struct {
		lines []string
		want  []string
	}{
		"the last edit wins":       {[]string{user("a"), edit("e1", `{"content":"b"}`), edit("e1", `{"content":"c"}`)}, []string{userMessage("c")}},
		"null hides":               {[]string{user("a"), user("b"), edit("e1", `null`)}, []string{userMessage("b")}},
		"an edit brings back":      {[]string{user("a"), edit("e1", `null`), edit("e1", `{"content":"b"}`)}, []string{userMessage("b")}},
		"a user takes a string":    {[]string{user("a"), edit("e1", `{"content":[{"type":"text","text":"b"}]}`)}, []string{`{"role":"user","content":[{"type":"text","text":"b"}]}`}},
		"a result takes blocks":    {[]string{result, edit("e1", `{"content":"b"}`)}, []string{`{"role":"toolResult","toolCallId":"c","content":[{"type":"text","text":"b"}]}`}},
		"an answer takes blocks":   {[]string{answer, edit("e1", `{"content":"b"}`)}, []string{`{"role":"assistant","content":[{"type":"text","text":"b"}],"provider":"p","model":"m"}`}},
		"a custom message":         {[]string{`"custom_message","customType":"x","content":"a"`, edit("e1", `{"content":"b"}`)}, []string{`{"role":"custom","customType":"x","content":"b",` + stamp + `}`}},
		"other roles stay":         {[]string{`"message","message":{"role":"bashExecution","command":"ls"}`, edit("e1", `{"content":"b"}`)}, []string{`{"role":"bashExecution","command":"ls"}`}},
		"edits before the kept":    {[]string{user("a"), edit("e1", `null`), user("b"), compaction("S", `"e1"`)}, []string{summaryMessage("S"), userMessage("b")}},
		"edits that are cut away":  {[]string{edit("e2", `null`), user("a"), compaction("S", `"e2"`)}, []string{summaryMessage("S"), userMessage("a")}},
		"a hidden compaction":      {[]string{user("a"), compaction("S", `"e2"`), edit("e2", `null`)}, nil},
		"summaries keep their say": {[]string{user("a"), compaction("S", `"e2"`), edit("e2", `{"content":"b"}`)}, []string{summaryMessage("S")}},
		"no target":                {[]string{user("a"), `"context_edit","replacement":null`}, []string{userMessage("a")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got, want := context(t, chain(t, tt.lines...)), strings.Join(tt.want, "\n"); got != want {
				t.Errorf("context of\n%s\ngot\n%s\nwant\n%s", strings.Join(tt.lines, "\n"), got, want)
			}
		})
	}
}

// Entries without ids are not what a missing reference means.
func TestMissingReferences(t *testing.T) {
	log := []byte(`{"type":"session","version":3,"id":"s"}
{"type":"message","message":{"role":"user","content":"a"}}
{"type":"compaction","summary":"S","timestamp":"2026-01-01T00:00:01.000Z","tokensBefore":9}
{"type":"message","message":{"role":"user","content":"b"}}
{"type":"context_edit","replacement":null}
`)
	want := summaryMessage("S") + "\n" + userMessage("b")
	if got := context(t, wholePath(log, readTable(t, log))); got != want {
		t.Errorf("context of\n%s\ngot\n%s\nwant\n%s", log, got, want)
	}
}

// An edit on one branch does not show on another (pitfall 93, invariant C1).
func TestEditsStayOnTheirBranch(t *testing.T) {
	log := []byte(`{"type":"session","version":3,"id":"s"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"a"}}
{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"b"}}
{"type":"context_edit","id":"c","parentId":"a","targetId":"a","replacement":null}
`)
	table := readTable(t, log)
	for leaf, want := range map[string]string{"b": userMessage("a") + "\n" + userMessage("b"), "c": ""} {
		if got := context(t, pathTo(table, log, leaf)); got != want {
			t.Errorf("context at %q = %s, want %s", leaf, got, want)
		}
	}
}

// pitfall 88: a kept range that cannot be found is reported, not dropped
// silently.
func TestKeptMissing(t *testing.T) {
	tests := map[string]struct {
		compaction string
		want       []transcript.Note
	}{
		"elsewhere":      {compaction("S", `"gone"`), []transcript.Note{{ID: "gone"}}},
		"behind it":      {compaction("S", `"e3"`), []transcript.Note{{ID: "e3"}}},
		"not said":       {`"compaction","summary":"S"`, []transcript.Note{{}}},
		"null says none": {compaction("S", `null`), nil},
		"own id":         {compaction("S", `"e2"`), nil}, // pitfall 89
		"there":          {compaction("S", `"e1"`), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			plan, _ := collect(t, chain(t, user("a"), tt.compaction, user("b")))
			if !reflect.DeepEqual(plan.Notes, tt.want) {
				t.Errorf("Notes after %s = %v, want %v", tt.compaction, plan.Notes, tt.want)
			}
			for _, n := range plan.Notes {
				if !strings.Contains(n.String(), n.ID) || !strings.Contains(n.String(), "summary") {
					t.Errorf("Note.String() = %q: does not say what is missing", n)
				}
			}
		})
	}
}

func TestSettings(t *testing.T) {
	tests := map[string]struct {
		lines []string
		level string
		model *format.Model
	}{
		"none":                   {nil, "off", nil},
		"last level":             {[]string{level + `"low"`, level + `"high"`}, "high", nil},
		"level of null":          {[]string{level + `null`}, "off", nil},
		"model of an answer":     {[]string{model + `"provider":"x","modelId":"y"`, answer}, "off", &format.Model{Provider: "p", ModelID: "m"}},
		"model of a change":      {[]string{answer, model + `"provider":"x","modelId":"y"`, user("a")}, "off", &format.Model{Provider: "x", ModelID: "y"}},
		"model in one word":      {[]string{model + `"model":"x/y/z"`}, "off", &format.Model{Provider: "x", ModelID: "y/z"}},
		"model for another role": {[]string{model + `"model":"x/y","role":"default"`, model + `"model":"s/t","role":"smol"`}, "off", &format.Model{Provider: "x", ModelID: "y"}},
		"before a compaction":    {[]string{level + `"high"`, answer, compaction("S", `"e3"`)}, "high", &format.Model{Provider: "p", ModelID: "m"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			plan, _ := collect(t, chain(t, tt.lines...))
			if plan.ThinkingLevel != tt.level || !reflect.DeepEqual(plan.Model, tt.model) {
				t.Errorf("Build(%s) = %q, %v; want %q, %v", strings.Join(tt.lines, "\n"), plan.ThinkingLevel, plan.Model, tt.level, tt.model)
			}
		})
	}
}

// A failing log ends planning and reading with its error.
func TestPathErrors(t *testing.T) {
	p := failingPath{memoryPath: chain(t, level+`"low"`, user("a"), compaction("S", `"e1"`), user("b")), from: 2}
	if _, err := transcript.Build(&p, transcript.Origin{}); !errors.Is(err, errLog) {
		t.Errorf("Build over a failing log = %v, want %v", err, errLog)
	}
	p.from = 4
	plan, err := transcript.Build(&p, transcript.Origin{})
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	p.from = 3
	var got []error
	for _, err := range plan.Messages(&p) {
		got = append(got, err)
	}
	if want := []error{nil, nil, errLog}; !reflect.DeepEqual(got, want) {
		t.Errorf("Messages over a log that fails at the last entry: errors %v, want %v", got, want)
	}
}

var errLog = errors.New("log fails")

// A failingPath cannot read the entries from a position on.
type failingPath struct {
	*memoryPath
	from int
}

func (p *failingPath) Line(pos int) ([]byte, error) {
	if pos >= p.from {
		return nil, errLog
	}
	return p.memoryPath.Line(pos)
}

// A range over messages may end early, also between the two of a compaction.
func TestMessagesBreak(t *testing.T) {
	p := chain(t, user("a"), compaction("S", `"e1"`)+`,"systemMessage":{"role":"system","content":"x"}`, user("b"))
	plan, _ := collect(t, p)
	for stop := 1; stop <= 4; stop++ {
		n := 0
		for range plan.Messages(p) {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("a range that breaks after %d messages saw %d", stop, n)
		}
	}
}

// Planning reads only the lines that decide something (invariant C2).
func TestBuildReadsLittle(t *testing.T) {
	lines := []string{model + `"provider":"x","modelId":"y"`, level + `"low"`}
	for range 200 {
		lines = append(lines, user("a"), answer)
	}
	lines = append(lines, compaction("S", `"e100"`), user("b"))
	p := chain(t, lines...)
	if _, err := transcript.Build(p, transcript.Origin{}); err != nil || p.reads != 3 {
		t.Errorf("Build over %d entries read %d lines (%v), want 3: level, model, compaction", p.Len(), p.reads, err)
	}
}

// Half of a model's name is better than none, and an answer that names none leaves
// the one that there was.
func TestModelInPart(t *testing.T) {
	says := func(members string) string {
		return `"message","message":{"role":"assistant","content":[]` + members + `}`
	}
	header := func(members string) *format.Header {
		h, err := format.DecodeHeader([]byte(`{"type":"session","version":2,"id":"s"` + members + `}`))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	tests := map[string]struct {
		header, answer string
		want           format.Model
	}{
		"provider of an answer":   {"", `,"provider":"p"`, format.Model{Provider: "p"}},
		"model of an answer":      {"", `,"model":"m"`, format.Model{ModelID: "m"}},
		"nothing of either":       {"", "", format.Model{}},
		"provider of a header":    {`,"provider":"hp"`, "", format.Model{Provider: "hp"}},
		"model of a header":       {`,"modelId":"hm"`, "", format.Model{ModelID: "hm"}},
		"an answer over a header": {`,"provider":"hp","modelId":"hm"`, `,"model":"m"`, format.Model{ModelID: "m"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			plan, err := transcript.Build(chain(t, says(tt.answer)), transcript.Origin{Header: header(tt.header)})
			if err != nil {
				t.Fatal(err)
			}
			var got format.Model
			if plan.Model != nil {
				got = *plan.Model
			}
			if got != tt.want || (plan.Model != nil) != (tt.want != format.Model{}) {
				t.Errorf("the model is %+v, want %+v", plan.Model, tt.want)
			}
		})
	}
}

// Content is that of the message itself, not of what is nested in it before.
func TestContentOfTheMessageItself(t *testing.T) {
	for _, before := range []string{
		`"x":{"y":1,"content":"no"}`, `"x":[1,"content",":"]`, `"x":[{"y":1,"content":["no"]}]`, `"x":"a","z":{"y":1,"content":{}}`,
		`"x":1`, `"x":12345`, `"x":["]"]`, `"x":"` + strings.Repeat("y", 300) + `"`,
		`"x":"` + strings.Repeat("y", 224) + `"`, // all that is looked at first
	} {
		if got := context(t, chain(t, spoke("user", before+`,"content":null`))); !strings.Contains(got, `"content":[]`) {
			t.Errorf("behind %s null is %s", before, got)
		}
		if got := context(t, chain(t, spoke("user", before+`,"content":"yes"`))); !strings.Contains(got, `"content":"yes"`) {
			t.Errorf("behind %s text is %s", before, got)
		}
	}
}
