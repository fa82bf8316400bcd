package jsonl_test

import (
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
)

func TestAppendCompact(t *testing.T) {
	tests := []struct{ src, want string }{
		{` { "a" : [ 1.0 , -0 , 1E3 ] , "b c" : " d \" e " } `, `{"a":[1.0,-0,1E3],"b c":" d \" e "}`}, // pitfall 20
		{"[\n\t1,\r\n\t\"\\u003c\u2028\"\n]\n", "[1,\"\\u003c\u2028\"]"},
		{`{}`, `{}`},
		{` null `, `null`},
		{"\"\xff \\ud83d\"", "\"\xff \\ud83d\""}, // pitfall 19
		{``, ``},
		{`["a`, `["a`}, // not valid, but nothing may panic
	}
	for _, tt := range tests {
		if got := string(jsonl.AppendCompact([]byte("x"), []byte(tt.src))); got != "x"+tt.want {
			t.Errorf("AppendCompact(%q) = %s; want %s", tt.src, got[1:], tt.want)
		}
	}
	for _, line := range seedLines(t) {
		if got := jsonl.AppendCompact(nil, line); !jsonl.Valid(got) {
			t.Errorf("AppendCompact(%s) = %s: not valid", line, got)
		}
	}
}

func TestAppendStrings(t *testing.T) {
	tests := map[string]struct {
		list []string
		want string
	}{
		"nil":            {nil, `null`},
		"empty":          {[]string{}, `[]`},
		"one":            {[]string{"<a href=\"x\">&</a>"}, `["<a href=\"x\">&</a>"]`},
		"line separator": {[]string{"a\u2028b", ""}, "[\"a\u2028b\",\"\"]"},                // pitfall 8
		"half a pair":    {[]string{"\xed\xa0\xbd", "a\xff"}, "[\"\\ud83d\",\"a\ufffd\"]"}, // pitfall 19
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := string(jsonl.AppendStrings([]byte("x"), tt.list)); got != "x"+tt.want {
				t.Errorf("AppendStrings(%q) = %s; want %s", tt.list, got[1:], tt.want)
			}
		})
	}
}
