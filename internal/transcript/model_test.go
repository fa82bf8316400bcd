package transcript_test

import (
	"encoding/json"
	"testing"

	"github.com/pith-sessions/pith/internal/transcript"
)

func TestForModel(t *testing.T) {
	userText := func(s string) string {
		return `{"role":"user","content":[{"type":"text","text":"` + s + `"}],"timestamp":7}`
	}
	bash := func(fields string) string {
		return `{"role":"bashExecution","command":"ls",` + fields + `"timestamp":7}`
	}
	tests := map[string]struct {
		in   string
		want string // "" when no model sees it
	}{
		"system":                {`{"role":"system", "content":"x"}`, `{"role":"system", "content":"x"}`},
		"user":                  {`{"content":"\ud83d","role":"user"}`, `{"content":"\ud83d","role":"user"}`},
		"assistant":             {`{"role":"assistant"}`, `{"role":"assistant"}`},
		"tool result":           {`{"role":"toolResult","x":1.0}`, `{"role":"toolResult","x":1.0}`},
		"bash":                  {bash(`"output":"a\nb","exitCode":0,`), userText("Ran `ls`\\n```\\na\\nb\\n```")},
		"bash without output":   {bash(`"output":"","exitCode":null,`), userText("Ran `ls`\\n(no output)")},
		"bash that failed":      {bash(`"exitCode":2,`), userText("Ran `ls`\\n(no output)\\n\\nCommand exited with code 2")},
		"bash that was stopped": {bash(`"cancelled":true,"exitCode":2,`), userText("Ran `ls`\\n(no output)\\n\\n(command cancelled)")},
		"bash that was cut": {
			bash(`"output":"a","truncated":true,"fullOutputPath":"/t/o",`),
			userText("Ran `ls`\\n```\\na\\n```\\n\\n[Output truncated. Full output: /t/o]"),
		},
		"bash cut without a path": {bash(`"output":"a","truncated":true,`), userText("Ran `ls`\\n```\\na\\n```")},
		"bash path without a cut": {bash(`"output":"a","fullOutputPath":"/t/o",`), userText("Ran `ls`\\n```\\na\\n```")},
		"bash not for the model":  {bash(`"excludeFromContext":true,`), ""}, // pitfall 94
		"bash for the model":      {bash(`"excludeFromContext":false,`), userText("Ran `ls`\\n(no output)")},
		"half a pair":             {bash(`"output":"\ud83d",`), userText("Ran `ls`\\n```\\n\\ud83d\\n```")},
		"custom string":           {`{"role":"custom","customType":"c","content":"\u00e9","timestamp":7}`, userText(`\u00e9`)},
		"custom list":             {`{"role":"custom","content":[ 1 ]}`, `{"role":"user","content":[ 1 ]}`},
		"custom nothing":          {`{"role":"custom"}`, `{"role":"user","content":[]}`},
		"branch": {
			`{"role":"branchSummary","summary":"B","fromId":"x","timestamp":7}`,
			userText(`The following is a summary of a branch that this conversation came back from:\n\n<summary>\nB</summary>`),
		},
		"compaction": {
			`{"role":"compactionSummary","summary":"S","timestamp":7}`,
			userText(`The conversation history before this point was compacted into the following summary:\n\n<summary>\nS\n</summary>`),
		},
		"other role":   {`{"role":"developer","content":"x"}`, ""},
		"no role":      {`{"content":"x"}`, ""},
		"odd role":     {`{"role":7}`, ""},
		"not a object": {`"user"`, ""},
		"nothing":      {``, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := transcript.ForModel(json.RawMessage(tt.in))
			if string(got) != tt.want || ok != (tt.want != "") {
				t.Errorf("ForModel(%s) = %s, %v; want %s", tt.in, got, ok, tt.want)
			}
		})
	}
}
