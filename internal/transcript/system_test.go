package transcript_test

import (
	"encoding/json"
	"testing"

	"github.com/pith-sessions/pith/internal/transcript"
)

// pitfall 95
func TestCurrentSystem(t *testing.T) {
	tests := map[string]struct {
		in   []string
		want string // "" when there is none
	}{
		"nothing":    {nil, ""},
		"no system":  {[]string{`{"role":"user","content":"x","timestamp":1}`}, ""},
		"one":        {[]string{`{"role":"system","content":"a","timestamp":1}`}, `{"role":"system","content":"a","timestamp":1}`},
		"empty":      {[]string{`{"role":"system"}`}, `{"role":"system","content":"","timestamp":0}`},
		"half pair":  {[]string{`{"role":"system","content":"\ud83d","timestamp":1}`}, `{"role":"system","content":"\ud83d","timestamp":1}`},
		"first time": {[]string{`{"role":"system","content":"a"}`, `{"role":"system","content":"","timestamp":2}`, `{"role":"system","timestamp":3}`}, `{"role":"system","content":"a","timestamp":2}`},
		"text is joined": {
			[]string{
				`{"role":"system","content":"a","timestamp":1}`,
				`{"role":"user","content":"no"}`,
				`{"role":"system","content":"","timestamp":2}`,
				`{"role":"system","content":[{"type":"text","text":"b"},{"type":"image","data":""},{"type":"text","text":"c"}],"timestamp":3}`,
			},
			`{"role":"system","content":"a\n\nb\nc","timestamp":1}`,
		},
		"sections are patched by name": {
			[]string{
				`{"role":"system","content":"","sections":{"x":"1","y":"2","z":"3"},"timestamp":1}`,
				`{"role":"system","content":"","sections":{"y":"4","x":null}}`,
				`{"role":"system","content":"","sections":{"x":"5"}}`,
			},
			`{"role":"system","content":"","sections":{"y":"4","z":"3","x":"5"},"timestamp":1}`,
		},
		"no sections left": {
			[]string{`{"role":"system","content":"","sections":{"x":"1"},"timestamp":1}`, `{"role":"system","sections":{"x":null,"y":null}}`},
			`{"role":"system","content":"","timestamp":1}`,
		},
		"tools are removed, then added": {
			[]string{
				`{"role":"system","content":"","toolsAdded":[{"name":"a","n":1.0},{"name":"b"},{"name":"c"}],"timestamp":1}`,
				`{"role":"system","toolsRemoved":[{"name":"a"},{"name":"none"}],"toolsAdded":[{"name":"b","n":2},{"name":"a","n":3}]}`,
			},
			`{"role":"system","content":"","toolsAdded":[{"name":"b","n":2},{"name":"c"},{"name":"a","n":3}],"timestamp":1}`,
		},
		"odd shapes": {
			[]string{`{"role":"system","content":7,"sections":[],"toolsAdded":{},"toolsRemoved":[null,1],"timestamp":1}`},
			`{"role":"system","content":"","timestamp":1}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := currentSystem(messages(tt.in...))
			if string(got) != tt.want || ok != (tt.want != "") {
				t.Errorf("currentSystem(%s) = %s, %v; want %s", tt.in, got, ok, tt.want)
			}
		})
	}
}

// The replayed message replaces all before it: replaying it again changes
// nothing.
func TestCurrentSystemIsStable(t *testing.T) {
	first, _ := currentSystem(messages(
		`{"role":"system","content":"a","sections":{"x":"1"},"toolsAdded":[{"name":"t"}],"timestamp":1}`,
		`{"role":"system","content":"b","sections":{"y":"2"},"toolsAdded":[{"name":"u"}],"timestamp":2}`,
	))
	second, ok := currentSystem(messages(string(first)))
	if !ok || string(second) != string(first) {
		t.Errorf("currentSystem(%s) = %s, %v; want it unchanged", first, second, ok)
	}
}

// A state does not keep the bytes that it was given.
func TestSystemStateCopies(t *testing.T) {
	raw := json.RawMessage(`{"role":"system","content":"a","sections":{"x":"1"},"toolsAdded":[{"name":"t"}],"timestamp":1}`)
	want := string(raw)
	var s transcript.SystemState
	s.Add(raw)
	for i := range raw {
		raw[i] = '#'
	}
	if got, _ := s.Message(); string(got) != want {
		t.Errorf("Message() after the caller reused its bytes = %s, want %s", got, want)
	}
}

// Of a context only the system messages are read, and those are all that counts.
func TestSystemOfAPlan(t *testing.T) {
	p := chain(t,
		`"message","message":{"role":"system","content":"gone","timestamp":1}`,
		`"message","message":{"role":"user","content":"a","timestamp":2}`,
		`"compaction","summary":"S","firstKeptEntryId":"e2","tokensBefore":1,"systemMessage":{"role":"system","content":"b","timestamp":3}`,
		`"message","message":{"role":"assistant","content":[],"timestamp":4}`,
		`"message","message":{"role":"system","content":"c","timestamp":5}`,
		`"message","message":{"role":"user","content":"d","timestamp":6}`,
	)
	plan, msgs := collect(t, p)
	p.reads = 0
	got, ok, err := plan.System(p)
	if want, _ := currentSystem(msgs); string(got) != string(want) || !ok || err != nil {
		t.Errorf("System() = %s, %v, %v; want %s", got, ok, err, want)
	}
	if p.reads != 2 {
		t.Errorf("System() read %d lines of %d, want 2: the compaction and the system message", p.reads, p.Len())
	}
}

// currentSystem replays a context that is in memory.
func currentSystem(msgs []transcript.Message) (json.RawMessage, bool) {
	var s transcript.SystemState
	for _, m := range msgs {
		s.Add(m.Raw)
	}
	return s.Message()
}

// messages is a context of messages at the positions 0, 1, …
func messages(raws ...string) []transcript.Message {
	var out []transcript.Message
	for i, raw := range raws {
		out = append(out, transcript.Message{Pos: i, Raw: json.RawMessage(raw)})
	}
	return out
}
