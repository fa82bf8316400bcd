package transcript_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/transcript"
)

// calling is an answer that ends with stop and makes calls of the tool "t".
func calling(stop string, ids ...string) string {
	var blocks []string
	for _, id := range ids {
		blocks = append(blocks, `{"type":"toolCall","id":"`+id+`","name":"t","arguments":{}}`)
	}
	return answering(stop, blocks...)
}

func answering(stop string, blocks ...string) string {
	return `{"role":"assistant","content":[` + strings.Join(blocks, ",") + `],"stopReason":"` + stop + `","timestamp":5}`
}

func result(id string) string {
	return `{"role":"toolResult","toolCallId":"` + id + `","toolName":"t","content":[{"type":"text","text":"r"}],"isError":false,"timestamp":6}`
}

func madeUp(id string) string {
	return `{"role":"toolResult","toolCallId":"` + id + `","toolName":"t","content":[{"type":"text","text":"The call was interrupted before it finished. There is no result."}],"isError":true,"timestamp":5}`
}

const (
	said     = `{"type":"text","text":"said"}`
	thinking = `{"type":"thinking","thinking":"hm","thinkingSignature":"s"}`
)

type repairCase struct {
	in      []string
	want    []string
	changes []transcript.Change
}

func TestRepair(t *testing.T) {
	userA, userB := userMessage("a"), userMessage("b")
	tests := map[string]repairCase{
		"nothing":         {},
		"only a question": {in: []string{userA}, want: []string{userA}}, // pitfall 126
		"valid": {
			in:   []string{`{"role":"system","content":"s"}`, userA, calling("toolUse", "1", "2"), result("1"), result("2"), answering("stop", said)},
			want: []string{`{"role":"system","content":"s"}`, userA, calling("toolUse", "1", "2"), result("1"), result("2"), answering("stop", said)},
		},
		"failed and aborted attempts go with their results": { // pitfalls 92, 96
			in:   []string{userA, calling("error", "1"), result("1"), answering("aborted", said), answering("stop", said)},
			want: []string{userA, answering("stop", said)},
			changes: []transcript.Change{
				{Kind: transcript.DroppedFailed, Pos: 1, Detail: "error"},
				{Kind: transcript.DroppedResult, Pos: 2, CallID: "1", Tool: "t"},
				{Kind: transcript.DroppedFailed, Pos: 3, Detail: "aborted"},
			},
		},
		"a retry may reuse the id of the failed attempt": { // pitfall 96
			in:      []string{calling("error", "1"), calling("toolUse", "1"), result("1")},
			want:    []string{calling("toolUse", "1"), result("1")},
			changes: []transcript.Change{{Kind: transcript.DroppedFailed, Pos: 0, Detail: "error"}},
		},
		"calls of a cut-off answer go, its text stays": { // pitfall 92
			in:   []string{answering("length", thinking, said, thinking, `{"type":"toolCall","id":"1","name":"t","arguments":{}}`), result("1"), userA},
			want: []string{answering("length", thinking, said), userA},
			changes: []transcript.Change{
				{Kind: transcript.DroppedTruncatedCall, Pos: 0, CallID: "1", Tool: "t"},
				{Kind: transcript.DroppedResult, Pos: 1, CallID: "1", Tool: "t"},
			},
		},
		"a cut-off answer of calls alone goes": { // pitfall 92
			in:   []string{userA, calling("length", "1")},
			want: []string{userA},
			changes: []transcript.Change{
				{Kind: transcript.DroppedTruncatedCall, Pos: 1, CallID: "1", Tool: "t"},
				{Kind: transcript.DroppedEmpty, Pos: 1},
			},
		},
		"a cut-off answer without calls stays": {
			in:   []string{answering("length", thinking, said, thinking)},
			want: []string{answering("length", thinking, said, thinking)},
		},
		"a late result is hoisted": { // pitfalls 90, 91
			in:   []string{calling("toolUse", "1", "2"), result("1"), userA, answering("stop", said), result("2"), userB},
			want: []string{calling("toolUse", "1", "2"), result("1"), result("2"), userA, answering("stop", said), userB},
			changes: []transcript.Change{
				{Kind: transcript.MovedResult, Pos: 4, CallID: "2", Tool: "t"},
			},
		},
		"results of parallel calls follow the calls": { // pitfall 91
			in:      []string{calling("toolUse", "1", "2"), result("2"), result("1")},
			want:    []string{calling("toolUse", "1", "2"), result("1"), result("2")},
			changes: []transcript.Change{{Kind: transcript.MovedResult, Pos: 2, CallID: "1", Tool: "t"}},
		},
		"a missing result is made up": { // pitfall 90
			in:      []string{calling("toolUse", "1", "2"), result("2"), userA},
			want:    []string{calling("toolUse", "1", "2"), madeUp("1"), result("2"), userA},
			changes: []transcript.Change{{Kind: transcript.AddedResult, Pos: 0, CallID: "1", Tool: "t"}},
		},
		"a leaf with open calls is closed": { // pitfall 131
			in:      []string{userA, calling("toolUse", "1")},
			want:    []string{userA, calling("toolUse", "1"), madeUp("1")},
			changes: []transcript.Change{{Kind: transcript.AddedResult, Pos: 1, CallID: "1", Tool: "t"}},
		},
		"a second answer to one call goes": { // pitfall 90
			in:      []string{calling("toolUse", "1"), result("1"), userA, result("1")},
			want:    []string{calling("toolUse", "1"), result("1"), userA},
			changes: []transcript.Change{{Kind: transcript.DroppedDuplicateResult, Pos: 3, CallID: "1", Tool: "t"}},
		},
		"a result whose call was summarised becomes text": { // pitfall 90
			in: []string{summaryMessage("S"), result("1"), userA},
			want: []string{
				summaryMessage("S"),
				`{"role":"user","content":[{"type":"text","text":"Result of the tool \"t\" (call \"1\"), whose call is no longer part of this conversation:"},{"type":"text","text":"r"}],"timestamp":6}`,
				userA,
			},
			changes: []transcript.Change{{Kind: transcript.DemotedResult, Pos: 1, CallID: "1", Tool: "t"}},
		},
		"a failed result keeps its picture": {
			in: []string{`{"role":"toolResult","toolName":"t","isError":true,"content":[{"type":"image","data":"AA=="},{"type":"odd"},1]}`},
			want: []string{
				`{"role":"user","content":[{"type":"text","text":"Error of the tool \"t\" (call \"\"), whose call is no longer part of this conversation:"},{"type":"image","data":"AA=="}]}`,
			},
			changes: []transcript.Change{{Kind: transcript.DemotedResult, Pos: 0, Tool: "t"}},
		},
		"a result before its call is no result of it": { // pitfall 90
			in: []string{result("1"), calling("toolUse", "1")},
			want: []string{
				`{"role":"user","content":[{"type":"text","text":"Result of the tool \"t\" (call \"1\"), whose call is no longer part of this conversation:"},{"type":"text","text":"r"}],"timestamp":6}`,
				calling("toolUse", "1"), madeUp("1"),
			},
			changes: []transcript.Change{
				{Kind: transcript.DemotedResult, Pos: 0, CallID: "1", Tool: "t"},
				{Kind: transcript.AddedResult, Pos: 1, CallID: "1", Tool: "t"},
			},
		},
		"ids that answers share are told apart": {
			in:   []string{calling("toolUse", "1"), result("1"), calling("toolUse", "1", "1_2"), result("1"), result("1_2"), calling("toolUse", "1"), userA},
			want: []string{calling("toolUse", "1"), result("1"), calling("toolUse", "1_3", "1_2"), result("1_3"), result("1_2"), calling("toolUse", "1_4"), madeUp("1_4"), userA},
			changes: []transcript.Change{
				{Kind: transcript.RenamedCall, Pos: 2, CallID: "1", Tool: "t", Detail: "1_3"},
				{Kind: transcript.RenamedCall, Pos: 3, CallID: "1", Tool: "t", Detail: "1_3"},
				{Kind: transcript.RenamedCall, Pos: 5, CallID: "1", Tool: "t", Detail: "1_4"},
				{Kind: transcript.AddedResult, Pos: 5, CallID: "1", Tool: "t"},
			},
		},
		"ids in two parts": {
			in:   []string{calling("toolUse", "1|f"), result("1|f"), calling("toolUse", "1|f"), result("1|f")},
			want: []string{calling("toolUse", "1|f"), result("1|f"), calling("toolUse", "1_2|f"), result("1_2|f")},
			changes: []transcript.Change{
				{Kind: transcript.RenamedCall, Pos: 2, CallID: "1|f", Tool: "t", Detail: "1_2|f"},
				{Kind: transcript.RenamedCall, Pos: 3, CallID: "1|f", Tool: "t", Detail: "1_2|f"},
			},
		},
		"one answer with a call twice": {
			in:   []string{calling("toolUse", "1", "1"), result("1"), result("1")},
			want: []string{calling("toolUse", "1"), result("1")},
			changes: []transcript.Change{
				{Kind: transcript.DroppedRepeatedCall, Pos: 0, CallID: "1", Tool: "t"},
				{Kind: transcript.DroppedDuplicateResult, Pos: 2, CallID: "1", Tool: "t"},
			},
		},
		"calls that nobody can answer": {
			in:   []string{answering("toolUse", said, `{"type":"toolCall","name":"t"}`, `{"type":"toolCall","id":"1"}`), result("1")},
			want: []string{answering("toolUse", said)},
			changes: []transcript.Change{
				{Kind: transcript.DroppedIncompleteCall, Pos: 0, Tool: "t"},
				{Kind: transcript.DroppedIncompleteCall, Pos: 0, CallID: "1"},
				{Kind: transcript.DroppedResult, Pos: 1, CallID: "1", Tool: "t"},
			},
		},
		"a result without an id answers no call": {
			in: []string{answering("toolUse", said, `{"type":"toolCall","id":"","name":"t"}`), result("")},
			want: []string{
				answering("toolUse", said),
				`{"role":"user","content":[{"type":"text","text":"Result of the tool \"t\" (call \"\"), whose call is no longer part of this conversation:"},{"type":"text","text":"r"}],"timestamp":6}`,
			},
			changes: []transcript.Change{
				{Kind: transcript.DroppedIncompleteCall, Pos: 0, Tool: "t"},
				{Kind: transcript.DemotedResult, Pos: 1, Tool: "t"},
			},
		},
		"answers that say nothing": {
			in: []string{
				answering("stop"), answering("stop", `{"type":"text","text":" \n"}`), answering("stop", thinking), answering("stop", `null`, `{}`),
				`{"role":"assistant","content":""}`, `{"role":"assistant","content":null}`, `{"role":"assistant"}`, `{"role":"assistant","content":"x"}`,
			},
			want: []string{`{"role":"assistant","content":"x"}`},
			changes: []transcript.Change{
				{Kind: transcript.DroppedEmpty, Pos: 0}, {Kind: transcript.DroppedEmpty, Pos: 1}, {Kind: transcript.DroppedEmpty, Pos: 2},
				{Kind: transcript.DroppedEmpty, Pos: 3}, {Kind: transcript.DroppedEmpty, Pos: 4}, {Kind: transcript.DroppedEmpty, Pos: 5},
				{Kind: transcript.DroppedEmpty, Pos: 6},
			},
		},
		"what pith does not know counts as said": {
			in:   []string{answering("stop", `{"type":"audio"}`)},
			want: []string{answering("stop", `{"type":"audio"}`)},
		},
		"halves of pairs are replaced": { // pitfall 19
			in: []string{
				`{"role":"user","content":"\ud83d \uDE00 \ud83d\ude00 \\ud83d \u0041","\udfff":1.0}`,
				`{"role":"user","content":"\ud83d\ud83d\ude00 ` + "\xff" + `é"}`,
				`{"role":"user","content":"` + "\xe2\x82 \xf0\x9f\x92 \xc0\xaf" + `"}`,
			},
			want: []string{
				`{"role":"user","content":"\ufffd \ufffd \ud83d\ude00 \\ud83d \u0041","\ufffd":1.0}`,
				`{"role":"user","content":"\ufffd\ud83d\ude00 ` + "\ufffd" + `é"}`,
				`{"role":"user","content":"` + "\ufffd \ufffd \ufffd\ufffd" + `"}`,
			},
			changes: []transcript.Change{{Kind: transcript.ReplacedText, Pos: 0}, {Kind: transcript.ReplacedText, Pos: 1}, {Kind: transcript.ReplacedText, Pos: 2}},
		},
		"ids that are replaced still match": { // pitfall 19
			in:   []string{calling("toolUse", `\ud83d`), result(`\ud83d`)},
			want: []string{calling("toolUse", `\ufffd`), result(`\ufffd`)},
			changes: []transcript.Change{
				{Kind: transcript.ReplacedText, Pos: 0},
				{Kind: transcript.ReplacedText, Pos: 1, CallID: "\ufffd", Tool: "t"},
			},
		},
		"what no model sees": { // pitfall 94
			in: []string{
				`{"role":"bashExecution","command":"x","excludeFromContext":true}`, `{"role":"bashExecution","command":"x"}`,
				`{"role":"custom","content":"x","excludeFromContext":true}`, `{"role":"custom","content":"x"}`,
				`{"role":"developer"}`, `{}`, `[]`, `{"role":"us`,
			},
			want: []string{`{"role":"bashExecution","command":"x"}`, `{"role":"custom","content":"x"}`},
			changes: []transcript.Change{
				{Kind: transcript.DroppedExcluded, Pos: 0, Detail: "bashExecution"}, {Kind: transcript.DroppedExcluded, Pos: 2, Detail: "custom"},
				{Kind: transcript.DroppedUnknown, Pos: 4, Detail: "developer"}, {Kind: transcript.DroppedUnknown, Pos: 5},
				{Kind: transcript.DroppedUnknown, Pos: 6}, {Kind: transcript.DroppedUnknown, Pos: 7},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			msgs := messages(tt.in...)
			checkRepair(t, msgs)
			got, changes := transcript.Repair(msgs)
			if want := strings.Join(tt.want, "\n"); joined(got) != want {
				t.Errorf("Repair(\n%s\n) =\n%s\nwant\n%s", strings.Join(tt.in, "\n"), joined(got), want)
			}
			if g, w := fmt.Sprintf("%+v", plainChanges(changes)), fmt.Sprintf("%+v", plainChanges(tt.changes)); g != w {
				t.Errorf("Repair(\n%s\n) changes =\n%s\nwant\n%s", strings.Join(tt.in, "\n"), g, w)
			}
		})
	}
}

// plainChanges shows the fields of changes instead of their sentences.
func plainChanges(changes []transcript.Change) []any {
	type fields transcript.Change
	var out []any
	for _, c := range changes {
		out = append(out, fields(c))
	}
	return out
}

// checkRepair checks what must hold for every context.
func checkRepair(t interface {
	Helper()
	Errorf(string, ...any)
}, msgs []transcript.Message) {
	t.Helper()
	before := joined(msgs)
	valid := len(transcript.Check(msgs)) == 0
	out, changes := transcript.Repair(msgs)
	if joined(msgs) != before {
		t.Errorf("Repair modified its input\n%s\nto\n%s", before, joined(msgs))
	}
	if problems := transcript.Check(out); len(problems) > 0 {
		t.Errorf("Repair(\n%s\n) =\n%s\nwhich has the problems %v", before, joined(out), problems)
	}
	same := len(out) == len(msgs)
	for i := range out {
		same = same && out[i].Pos == msgs[i].Pos && bytes.Equal(out[i].Raw, msgs[i].Raw)
	}
	if same != valid || same != (len(changes) == 0) {
		t.Errorf("Repair(\n%s\n): valid %v, unchanged %v, changes %v; want all or none", before, valid, same, changes)
	}
	again, more := transcript.Repair(out)
	if joined(again) != joined(out) || len(more) > 0 {
		t.Errorf("Repair again of\n%s\n=\n%s\nwith changes %v, want none", joined(out), joined(again), more)
	}
	for _, c := range changes {
		if s := c.String(); s == "" || strings.Contains(s, "unknown kind") {
			t.Errorf("%#v.String() = %q, want a sentence", c, s)
		}
	}
}

// An answer may make as many calls as it likes.
func TestRepairManyCalls(t *testing.T) {
	ids := make([]string, 100_000)
	for i := range ids {
		ids[i] = fmt.Sprint("call_", i)
	}
	out, changes := transcript.Repair([]transcript.Message{{Raw: []byte(calling("toolUse", ids...))}})
	if len(out) != len(ids)+1 || len(changes) != len(ids) {
		t.Errorf("Repair = %d messages, %d changes; want %d and %d", len(out), len(changes), len(ids)+1, len(ids))
	}
	if got, want := string(out[len(ids)].Raw), madeUp(ids[len(ids)-1]); got != want {
		t.Errorf("the last result is %s; want %s", got, want)
	}
	if got := changes[0].String(); !strings.Contains(got, `call "call_0" of tool "t"`) {
		t.Errorf("the first change is %q", got)
	}
}
