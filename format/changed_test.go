package format_test

import (
	"encoding/json"
	"testing"

	"github.com/pith-sessions/pith/format"
)

// A decoded message that was changed is written as changed; members that were not
// changed keep their bytes, unknown ones too.
func TestChangedMessage(t *testing.T) {
	const assistant = `{"role":"assistant", "x":1.0,"content":[{"type":"text","text":"h\u0069","y":2},{"type":"toolCall","id":"c","name":"bash","arguments":{"a":1}}],` +
		`"model":"m","usage":{"input":1,"z":3},"errorMessage":"e","timestamp":5}`
	for name, test := range map[string]struct {
		raw    string
		change func(m format.Message)
		want   string
	}{
		"nothing": {assistant, func(format.Message) {}, assistant},
		"a field": {
			assistant, func(m format.Message) { m.(*format.Assistant).Model = "n" },
			`{"role":"assistant", "x":1.0,"content":[{"type":"text","text":"h\u0069","y":2},{"type":"toolCall","id":"c","name":"bash","arguments":{"a":1}}],` +
				`"model":"n","usage":{"input":1,"z":3},"errorMessage":"e","timestamp":5}`,
		},
		"a block": {
			assistant, func(m format.Message) { m.(*format.Assistant).Content.Blocks[0].(*format.TextBlock).Text = "ho" },
			`{"role":"assistant", "x":1.0,"content":[{"type":"text","text":"ho","y":2},{"type":"toolCall","id":"c","name":"bash","arguments":{"a":1}}],` +
				`"model":"m","usage":{"input":1,"z":3},"errorMessage":"e","timestamp":5}`,
		},
		"arguments of a call": {
			assistant, func(m format.Message) {
				m.(*format.Assistant).Content.Blocks[1].(*format.ToolCallBlock).Arguments = json.RawMessage(`{"b":2}`)
			},
			`{"role":"assistant", "x":1.0,"content":[{"type":"text","text":"h\u0069","y":2},{"type":"toolCall","id":"c","name":"bash","arguments":{"b":2}}],` +
				`"model":"m","usage":{"input":1,"z":3},"errorMessage":"e","timestamp":5}`,
		},
		"blocks removed, a usage, an error cleared": {
			assistant, func(m format.Message) {
				a := m.(*format.Assistant)
				a.Content.Blocks, a.Usage.Input, a.ErrorMessage = nil, 2, ""
			},
			`{"role":"assistant", "x":1.0,"content":[],"model":"m","usage":{"input":2,"z":3},"timestamp":5}`,
		},
		"text": {
			`{"role":"user","content":"a","timestamp":1}`, func(m format.Message) { m.(*format.User).Content.Text = "b" },
			`{"role":"user","content":"b","timestamp":1}`,
		},
		"text to blocks": {
			`{"role":"user","content":"a"}`, func(m format.Message) {
				m.(*format.User).Content = format.BlockContent(&format.TextBlock{Text: "b"})
			},
			`{"role":"user","content":[{"type":"text","text":"b"}]}`,
		},
		"an exit code": {
			`{"role":"bashExecution","command":"x","output":"","exitCode":1,"timestamp":1}`, func(m format.Message) { m.(*format.BashExecution).ExitCode = nil },
			`{"role":"bashExecution","command":"x","output":"","timestamp":1}`,
		},
	} {
		m, err := format.DecodeMessage([]byte(test.raw))
		if err != nil {
			t.Fatal(err)
		}
		test.change(m)
		if got := string(format.AppendMessage(nil, m)); got != test.want {
			t.Errorf("%s: AppendMessage = %s\nwant %s", name, got, test.want)
		}
		if got := string(m.Raw()); got != test.want {
			t.Errorf("%s: Raw = %s\nwant %s", name, got, test.want)
		}
	}
}
