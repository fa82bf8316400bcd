package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/llm"
)

func TestMendArguments(t *testing.T) {
	tests := map[string]struct {
		in, want string
		whole    bool
	}{
		"nothing":              {"", "{}", true},
		"an object":            {` {"a": 1} `, `{"a": 1}`, true},
		"a raw line break":     {"{\"a\":\"x\ny\"}", "{\"a\":\"x\\u000ay\"}", true},
		"an unknown escape":    {`{"re":"\d+\."}`, `{"re":"\\d+\\."}`, true},
		"escapes":              {`{"a":"\"\\\/\n\u00e9"}`, `{"a":"\"\\\/\n\u00e9"}`, true},
		"not an object":        {`[1]`, "{}", false},
		"a word":               {`null`, "{}", false},
		"nonsense":             {`{"a": nonsense}`, "{}", false},
		"cut in a string":      {`{"path":"a.go","text":"abc`, `{"path":"a.go","text":"abc"}`, false},
		"cut in an escape":     {`{"text":"abc\`, `{"text":"abc"}`, false},
		"cut in a long escape": {`{"text":"abc\u00`, `{"text":"abc"}`, false},
		"cut in a key":         {`{"path":"a.go","te`, `{"path":"a.go"}`, false},
		"cut behind a key":     {`{"path":"a.go","text":`, `{"path":"a.go"}`, false},
		"cut in a list":        {`{"edits":[{"old":"x","new":"y"},{"old":"z`, `{"edits":[{"old":"x","new":"y"},{"old":"z"}]}`, false},
		"cut in a number":      {`{"a":1,"b":2`, `{"a":1,"b":2}`, false},
		"cut in a word":        {`{"a":1,"b":tr`, `{"a":1}`, false},
		"cut at the beginning": {`{`, `{}`, false},
		"too much":             {`{"a":1}}`, `{}`, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, whole := llm.MendArguments(tt.in)
			if got != tt.want || whole != tt.whole {
				t.Errorf("mendArguments(%q) = %s, %v; want %s, %v", tt.in, got, whole, tt.want, tt.whole)
			}
		})
	}
}

// For any output of a model, a call's arguments are a JSON object, and valid
// ones are unchanged.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{``, `{`, `{"a":"b\n","c":[1,{"d":null}]}`, `{"a":"\ud83d`, "{\"a\":\"\n\\x\"", `[{]}`, `{"a":{"b":[`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, whole := llm.MendArguments(in)
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(got), &object); err != nil || object == nil {
			t.Fatalf("mendArguments(%q) = %q, which is no object: %v", in, got, err)
		}
		trimmed := strings.TrimSpace(in)
		if json.Valid([]byte(trimmed)) && strings.HasPrefix(trimmed, "{") && (got != trimmed || !whole) {
			t.Fatalf("mendArguments(%q) = %q, %v; want it unchanged", in, got, whole)
		}
	})
}
