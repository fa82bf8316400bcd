package compact_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith/compact"
)

func TestSerialize(t *testing.T) {
	thought := func(s string) string { return `{"type":"thinking","thinking":"` + s + `"}` }
	resultOf := func(s string) string { return `{"role":"toolResult","content":[` + textBlock(s) + `]}` }
	bashWith := func(members string) string { return `{"role":"bashExecution","command":"ls",` + members + `}` }
	tests := map[string]struct {
		messages []string
		want     string
	}{
		"case 60: text, then calls; no thinking": {
			[]string{answerWith(noUsage, "toolUse", textBlock("t1"), thought("k1"), callBlock("1", "a", `{}`), textBlock("t2"), thought("k2"), callBlock("2", "b", `{"x":1}`))},
			"[Assistant]: t1\nt2\n\n[Assistant tool calls]: a(); b(x=1)"},
		"case 61: text of a user":      {[]string{`{"role":"user","content":[` + textBlock("a") + `,` + image + `,` + textBlock("b") + `]}`}, "[User]: ab"},
		"case 61: images alone":        {[]string{`{"role":"user","content":[` + image + `]}`, `{"role":"toolResult","content":[` + image + `]}`}, ""},
		"case 62: empty text":          {[]string{answerWith(noUsage, "stop", textBlock(""))}, "[Assistant]: "},
		"case 62: no blocks":           {[]string{answerWith(noUsage, "stop")}, ""},
		"case 63: 2000":                {[]string{resultOf(letters(2000))}, "[Tool result]: " + letters(2000)},
		"case 63: 2001":                {[]string{resultOf(letters(2001))}, "[Tool result]: " + letters(2000) + "\n\n[... 1 more characters truncated]"},
		"long user text stays":         {[]string{userText(letters(2001))}, "[User]: " + letters(2001)},
		"cut by units":                 {[]string{resultOf(strings.Repeat("é", 2001))}, "[Tool result]: " + strings.Repeat("é", 2000) + "\n\n[... 1 more characters truncated]"},
		"cut through a pair":           {[]string{resultOf("x" + strings.Repeat("🌳", 1000))}, "[Tool result]: x" + strings.Repeat("🌳", 999) + "\n\n[... 1 more characters truncated]"},
		"case 64: no arguments":        {[]string{answerWith(noUsage, "toolUse", callBlock("1", "ls", `{}`))}, "[Assistant tool calls]: ls()"},
		"case 64: JSON of a value":     {[]string{answerWith(noUsage, "toolUse", `{"type":"toolCall","id":"1","name":"w","arguments":{"s":"\"q\"\n<\u00e9>\u2028"}}`)}, "[Assistant tool calls]: w(s=\"\\\"q\\\"\\n<é>\u2028\")"},
		"order of JavaScript":          {[]string{answerWith(noUsage, "toolUse", callBlock("1", "w", `{"b":[1, 2.0],"10":{"y": null},"2":true,"b":1e3,"01":0}`))}, "[Assistant tool calls]: w(2=true, 10={\"y\":null}, b=1000, 01=0)"},
		"case 65: code and path":       {[]string{bashWith(`"output":"o","exitCode":2,"truncated":true,"fullOutputPath":"/f"`)}, "[User]: Ran `ls`\n```\no\n```\n\nCommand exited with code 2\n\n[Output truncated. Full output: /f]"},
		"case 65: no code":             {[]string{bashWith(`"output":"o","exitCode":null`)}, "[User]: Ran `ls`\n```\no\n```"},
		"case 65: cancelled":           {[]string{bashWith(`"output":"o","exitCode":1,"cancelled":true`)}, "[User]: Ran `ls`\n```\no\n```\n\n(command cancelled)"},
		"case 65: no output":           {[]string{bashWith(`"output":"","exitCode":0`)}, "[User]: Ran `ls`\n(no output)"},
		"case 65: truncated, no path":  {[]string{bashWith(`"output":"o","truncated":true`)}, "[User]: Ran `ls`\n```\no\n```"},
		"excluded command":             {[]string{bashWith(`"output":"o","excludeFromContext":true`)}, ""},
		"summaries":                    {[]string{`{"role":"branchSummary","summary":"B"}`}, "[User]: The following is a summary of a branch that this conversation came back from:\n\n<summary>\nB</summary>"},
		"system message":               {[]string{`{"role":"system","content":"s"}`}, ""},
		"half of a pair":               {[]string{`{"role":"user","content":"a\ud83cb"}`}, "[User]: a\ufffdb"},
		"answer that is a string":      {[]string{`{"role":"assistant","content":"plain"}`}, "[Assistant]: plain"},
		"half of a pair at the end":    {[]string{`{"role":"user","content":"a\ud83c"}`}, "[User]: a\ufffd"},
		"cut behind half of a pair":    {[]string{`{"role":"toolResult","content":"\ud83c` + letters(2000) + `"}`}, "[Tool result]: \ufffd" + letters(1999) + "\n\n[... 1 more characters truncated]"},
		"cut at half of a pair":        {[]string{`{"role":"toolResult","content":"` + letters(1999) + `\ud83cxy"}`}, "[Tool result]: " + letters(1999) + "\ufffd\n\n[... 2 more characters truncated]"},
		"indexes alone":                {[]string{answerWith(noUsage, "toolUse", callBlock("1", "w", `{"10":1,"2":2}`))}, "[Assistant tool calls]: w(2=2, 10=1)"},
		"indexes at the limits":        {[]string{answerWith(noUsage, "toolUse", callBlock("1", "w", `{"b":1,"4294967295":2,"4294967294":3,"9":4,"0":5,"00":6,"/":7,":":8}`))}, "[Assistant tool calls]: w(0=5, 9=4, 4294967294=3, b=1, 4294967295=2, 00=6, /=7, :=8)"},
		"an escape that is not needed": {[]string{answerWith(noUsage, "toolUse", callBlock("1", "w", `{"a":"\u0041","b":"x\/y","c":"\\u0041","d":"\t"}`))}, `[Assistant tool calls]: w(a="A", b="x/y", c="\\u0041", d="\t")`},
		"arguments that are no object": {[]string{answerWith(noUsage, "toolUse", callBlock("1", "w", `"x"`))}, "[Assistant tool calls]: w()"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := compact.Serialize(each(tt.messages...))
			if err != nil || got != tt.want {
				t.Errorf("Serialize(%.200s) = %q, %v\nwant %q", tt.messages, got, err, tt.want)
			}
			if !utf8.ValidString(got) {
				t.Errorf("Serialize(%.200s) is not UTF-8: %q", tt.messages, got)
			}
		})
	}
}

// Names that come again are found in objects of any size.
func TestSerializeManyArguments(t *testing.T) {
	arguments, want := "", ""
	for i := range 100 {
		arguments += fmt.Sprintf(`"k%d":0,`, i)
		want += fmt.Sprintf("k%d=%d, ", i, i/99)
	}
	raw := answerWith(noUsage, "toolUse", callBlock("1", "w", `{`+arguments+`"k99":1}`))
	want = "[Assistant tool calls]: w(" + strings.TrimSuffix(want, ", ") + ")"
	if got, err := compact.Serialize(each(raw)); err != nil || got != want {
		t.Errorf("Serialize(100 arguments, one twice) = %q, %v; want %q", got, err, want)
	}
}

// Values are written as JavaScript writes them, down to a depth; below it they
// are copied unchanged.
func TestSerializeDeepValues(t *testing.T) {
	for name, nest := range map[string]func(string) string{
		"lists":   func(s string) string { return "[" + s + "]" },
		"objects": func(s string) string { return `{"a":` + s + "}" },
	} {
		for depth, number := range map[int]string{100: "1.5", 101: "1.50"} {
			value, want := "1.50", number
			for range depth {
				value, want = nest(value), nest(want)
			}
			raw := answerWith(noUsage, "toolUse", callBlock("1", "w", `{"x":`+value+`}`))
			if got, err := compact.Serialize(each(raw)); err != nil || got != "[Assistant tool calls]: w(x="+want+")" {
				t.Errorf("%s of depth %d: %s, %v; want %s", name, depth, got, err, number)
			}
		}
	}
}

// Arguments may nest deeper than a stack of calls should.
func TestSerializeDeepArguments(t *testing.T) {
	deep := strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)
	raw := answerWith(noUsage, "toolUse", callBlock("1", "w", `{"x":`+deep+`}`))
	if got, err := compact.Serialize(each(raw)); err != nil || !strings.Contains(got, deep) {
		t.Errorf("Serialize(arguments of depth 200000) = %d bytes, %v; want them all", len(got), err)
	}
	if got, want := compact.Quarter.RawTokens([]byte(raw)), int64(100_002); got != want {
		t.Errorf("RawTokens(arguments of depth 200000) = %d, want %d", got, want)
	}
}
