package jsonl_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// pitfall 4
func TestRecoverSuffix(t *testing.T) {
	const whole = `{"type":"message","id":"b","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}`
	tests := map[string]struct {
		torn, rest string
		ok         bool
	}{
		"torn in a string":     {`{"type":"message","id":"a","message":{"role":"user","content":"tex`, whole, true},
		"torn in a name":       {`{"type":"message","i`, whole, true},
		"torn after a comma":   {`{"type":"message",`, whole, true},
		"torn in an escape":    {`{"type":"message","text":"a\`, whole, true},
		"torn in \\u":          {`{"type":"message","text":"\u00`, whole, true},
		"torn in a number":     {`{"type":"message","n":12`, whole, true},
		"torn behind a brace":  {`{"type":"a","m":{"x":[{"type":"b"},{"type":"c"}]`, whole, true},
		"rubbish in front":     {"\x00\x00\x00", whole, true},
		"one byte in front":    {`{`, whole, true},
		"trailing white space": {`{"ty`, whole + " \r", true},
		"code in a string":     {`{"type":"message","text":"if x {\"a\"} else {`, whole, true},
		"the type comes late":  {`{"ty`, `{"id":"b","type":"x"}`, true},
		"two whole records":    {`{"ty` + whole, whole, true}, // only one of them ends the line
		"no type":              {`{"ty`, `{"id":"b"}`, false},
		"type is no string":    {`{"ty`, `{"type":1}`, false},
		"nothing":              {`{"type":"message","text":"tex`, ``, false},
		"empty":                {``, ``, false},
		// Not a record, but within the contract: it is the caller who checks.
		"torn behind a block": {`{"type":"message","content":[`, `{"type":"text","text":"hi"}`, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			line := tt.torn + tt.rest
			start, ok := jsonl.RecoverSuffix([]byte(line))
			want := len(tt.torn)
			if !tt.ok {
				want = 0
			}
			if start != want || ok != tt.ok {
				t.Errorf("RecoverSuffix(%s) = %d, %t; want %d, %t", line, start, ok, want, tt.ok)
			}
		})
	}
}

func TestRecoverSuffixEndsOnHostileInput(t *testing.T) {
	const levels = 200_000
	for name, line := range map[string]string{
		"nested": strings.Repeat(`{"a":`, levels) + `}`,
		"flat":   strings.Repeat(`{"`, levels) + `}`,
		"quotes": strings.Repeat(`{"a"`, levels) + `}`,
	} {
		if start, ok := jsonl.RecoverSuffix([]byte(line)); ok {
			t.Errorf("RecoverSuffix(%s) = %d, true; want false", name, start)
		}
	}
}
