package toolcall_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/toolcall"
)

func TestArgument(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"file_path":"/p/Button.tsx","old_string":"a\nb\nc","new_string":"a\nx\ny\nz\nc"}`:            "/p/Button.tsx +3 -1",
		`{"filePath":"a.go","oldString":"","newString":"one\ntwo\n"}`:                                  "a.go +2 -0",
		`{"path":"a.go","edits":[{"oldText":"a","newText":"b"},{"oldText":"c","newText":""}]}`:         "a.go +1 -2",
		`{"description":"list","command":"ls -l"}`:                                                     "ls -l",
		`{"command":["bash","-lc","go test ./..."]}`:                                                   "go test ./...",
		`{"cmd":["git","status"]}`:                                                                     "git status",
		`{"command":[1]}`:                                                                              "",
		`{"input":"*** Begin Patch\n*** Update File: src/a.ts\n@@\n-old\n+new\n+more\n*** End Patch"}`: "src/a.ts +2 -1",
		`{"edits":7}`: "",
		`{"n":1}`:     "",
		`[1]`:         "",
		``:            "",
	} {
		text, _ := toolcall.Argument([]byte(arguments))
		line := toolcall.Line("Edit", []byte(arguments), func(path string) string { return path })
		if text == "" && want == "" && strings.HasPrefix(arguments, "{") {
			want = arguments
		}
		if line != want || !strings.HasPrefix(line, text) {
			t.Errorf("%s: %q with argument %q, want %q", arguments, line, text, want)
		}
	}
}

// The arguments of a call can be read: lines are lines, also those of texts in lists.
func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`{"command":"ls"}`: "command: ls\n",
		`{"path":"a.go","edits":[{"oldText":"a\nb","newText":"c"},{"oldText":"d\n"}]}`: "path: a.go\nedits[0].oldText:\na\nb\nedits[0].newText: c\nedits[1].oldText:\nd\n\n",
		`{"lines":[1,2],"o":{"a":"x"}}`:            "lines: [1,2]\no: {\"a\":\"x\"}\n",
		`{"a":{"b":{"c":{"d":{"e":{"f":"\n"}}}}}}`: "a.b.c.d.e: {\"f\":\"\\n\"}\n",
		`["no object\n"]`:                          `["no object\n"]`,
	} {
		if got := toolcall.Text([]byte(in)); got != want {
			t.Errorf("Text(%s) = %q; want %q", in, got, want)
		}
	}
}
