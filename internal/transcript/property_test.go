package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/internal/transcript"
)

// The ids are few, so that calls and results meet, and some are hard: ids that
// a renaming would choose, halves of pairs that become equal, none at all.
var (
	callIDs = rapid.SampledFrom([]string{"1", "2", "3", "1_2", "1_3", "1|f", `\ud83d`, `\ud83e`, `\u0031`, ""})
	texts   = rapid.SampledFrom([]string{"", " ", "x", `\ud83d`, `\ud83d\ude00`, `\\ud83d`, "é", "\xff", "\xed\xa0\xbd"})
	stops   = rapid.SampledFrom([]string{"stop", "toolUse", "toolUse", "toolUse", "length", "error", "aborted"})
)

var anyBlock = rapid.Custom(func(t *rapid.T) string {
	switch rapid.IntRange(0, 9).Draw(t, "block") {
	case 0:
		return fmt.Sprintf(`{"type":"text","text":"%s"}`, texts.Draw(t, "text"))
	case 1:
		return thinking
	case 2:
		return rapid.SampledFrom([]string{`null`, `{}`, `[]`, `"x"`, `{"type":"odd"}`, `{"type":"toolCall"}`}).Draw(t, "odd")
	default:
		name := rapid.SampledFrom([]string{"t", "t", "t", "u", ""}).Draw(t, "name")
		return fmt.Sprintf(`{ "type":"toolCall","id":"%s","name":"%s","arguments":{"n":1.0}}`, callIDs.Draw(t, "id"), name)
	}
})

var anyMessage = rapid.Custom(func(t *rapid.T) string {
	switch rapid.IntRange(0, 11).Draw(t, "message") {
	case 0:
		return fmt.Sprintf(`{"role":"user","content":"%s"}`, texts.Draw(t, "text"))
	case 1:
		return `{"role":"system","content":"s"}`
	case 2:
		return `{"role":"branchSummary","summary":"s"}`
	case 3:
		return fmt.Sprintf(`{"role":"bashExecution","command":"c","excludeFromContext":%v}`, rapid.Bool().Draw(t, "excluded"))
	case 4:
		return rapid.SampledFrom([]string{
			`{}`, `[]`, `null`, ``, `{"role":`, `{"role":"developer"}`, `{"role":7}`, `{"role":"user","role":"odd"}`,
			`{"role":"assistant","content":"x"}`, `{"role":"assistant","content":{}}`, `{"role":"toolResult"}`,
			`{"role":"toolResult","toolCallId":"1","content":"x"}`,
			`{"role":"assistant","content":[],"content":[{"type":"toolCall","id":"2","id":"1","name":"t"}]}`,
		}).Draw(t, "odd")
	case 5, 6, 7, 8:
		return result(callIDs.Draw(t, "id"))
	default:
		return answering(stops.Draw(t, "stop"), rapid.SliceOfN(anyBlock, 0, 5).Draw(t, "blocks")...)
	}
})

func TestRepairProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := messages(rapid.SliceOfN(anyMessage, 0, 30).Draw(t, "messages")...)
		checkRepair(t, msgs)
		checkUntouched(t, msgs)
	})
}

// checkUntouched checks that messages about which nothing is reported keep their
// bytes, and that all but results keep their order.
func checkUntouched(t *rapid.T, msgs []transcript.Message) {
	out, changes := transcript.Repair(msgs)
	touched := make(map[int]bool)
	for _, c := range changes {
		touched[c.Pos] = touched[c.Pos] || c.Kind != transcript.AddedResult && c.Kind != transcript.MovedResult
	}
	found := make(map[int]int)
	last := -1
	for _, m := range out {
		if bytes.Equal(m.Raw, msgs[m.Pos].Raw) {
			found[m.Pos]++
		}
		if roleOf(m.Raw) == "toolResult" {
			continue
		}
		if m.Pos <= last {
			t.Errorf("Repair(\n%s\n) put message %d behind %d:\n%s", joined(msgs), m.Pos, last, joined(out))
		}
		last = m.Pos
	}
	for i := range msgs {
		if !touched[i] && found[i] != 1 {
			t.Errorf("Repair(\n%s\n) holds message %d %d times, want once with its bytes:\n%s", joined(msgs), i, found[i], joined(out))
		}
	}
}

func roleOf(raw []byte) string {
	var m struct {
		Role string `json:"role"`
	}
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	return m.Role
}

// validContext is a context that every provider takes.
var validContext = rapid.Custom(func(t *rapid.T) []string {
	var out []string
	next := 0
	for range rapid.IntRange(0, 12).Draw(t, "turns") {
		switch rapid.IntRange(0, 3).Draw(t, "turn") {
		case 0:
			out = append(out, userMessage("é \\ud83d\\ude00"))
		case 1:
			out = append(out, ` {"role" : "system","content":null, "sections":{}}`, answering("length", said))
		case 2:
			out = append(out, `{"role":"bashExecution","command":"c","excludeFromContext":false}`, summaryMessage("S"))
		case 3:
			var ids []string
			for range rapid.IntRange(1, 4).Draw(t, "calls") {
				next++
				ids = append(ids, fmt.Sprint("call_", next))
			}
			out = append(out, strings.Replace(calling("toolUse", ids...), "[", "["+thinking+",", 1))
			for _, id := range ids {
				out = append(out, result(id))
			}
		}
	}
	return out
})

func TestRepairLeavesValidContextsAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := validContext.Draw(t, "context")
		out, changes := transcript.Repair(messages(in...))
		if joined(out) != strings.Join(in, "\n") || len(changes) > 0 {
			t.Errorf("Repair(\n%s\n) =\n%s\nchanges %v, want it as it is", strings.Join(in, "\n"), joined(out), changes)
		}
	})
}
