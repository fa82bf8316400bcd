package transcript_test

import (
	"reflect"
	"testing"

	"github.com/pith-sessions/pith/internal/transcript"
)

// Every problem is found by itself, so that an empty list means something.
func TestCheck(t *testing.T) {
	call := `{"type":"toolCall","id":"1","name":"t"}`
	problem := func(kind transcript.ProblemKind, at int) []transcript.Problem {
		return []transcript.Problem{{Kind: kind, Index: at, Pos: at}}
	}
	tests := map[string]struct {
		in   []string
		want []transcript.Problem
	}{
		"nothing":        {},
		"valid":          {in: []string{userMessage("a"), calling("toolUse", "1", "2"), result("1"), result("2"), answering("stop", said)}},
		"unknown role":   {[]string{`{"role":"developer"}`}, problem(transcript.UnknownRole, 0)},
		"no object":      {[]string{`7`}, problem(transcript.UnknownRole, 0)},
		"excluded":       {[]string{`{"role":"bashExecution","excludeFromContext":true}`}, problem(transcript.ExcludedMessage, 0)},
		"failed":         {[]string{answering("error", said)}, problem(transcript.FailedAnswer, 0)},
		"aborted":        {[]string{answering("aborted", said)}, problem(transcript.FailedAnswer, 0)},
		"empty":          {[]string{answering("stop", thinking)}, problem(transcript.EmptyAnswer, 0)},
		"truncated call": {[]string{answering("length", call), result("1")}, problem(transcript.TruncatedCall, 0)},
		"nameless call":  {[]string{answering("toolUse", `{"type":"toolCall","id":"1"}`), result("1")}, problem(transcript.IncompleteCall, 0)},
		"reused id":      {[]string{calling("toolUse", "1"), result("1"), calling("toolUse", "1"), result("1")}, problem(transcript.ReusedCallID, 2)},
		"open call":      {[]string{calling("toolUse", "1", "2"), result("1")}, problem(transcript.UnansweredCall, 0)},
		"late result": {
			[]string{calling("toolUse", "1"), userMessage("a"), result("1")},
			[]transcript.Problem{{Kind: transcript.UnansweredCall, Index: 0, Pos: 0}, {Kind: transcript.StrayResult, Index: 2, Pos: 2}},
		},
		"wrong order": {
			[]string{calling("toolUse", "1", "2"), result("2"), result("1")},
			[]transcript.Problem{
				{Kind: transcript.UnansweredCall, Index: 0, Pos: 0},
				{Kind: transcript.StrayResult, Index: 1, Pos: 1}, {Kind: transcript.StrayResult, Index: 2, Pos: 2},
			},
		},
		"stray result": {[]string{result("1")}, problem(transcript.StrayResult, 0)},
		"half a pair":  {[]string{`{"role":"user","content":"\ud83d"}`}, problem(transcript.UnsendableText, 0)}, // pitfall 19
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := transcript.Check(messages(tt.in...))
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Check(%s) = %v, want %v", tt.in, got, tt.want)
			}
			for _, p := range got {
				if s := p.String(); len(s) < len("message 0 is x") {
					t.Errorf("%#v.String() = %q, want a sentence", p, s)
				}
			}
		})
	}
}
