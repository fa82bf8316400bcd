package compact_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/compact"
)

func tool(name, arguments string) string { return callBlock("1", name, arguments) }

func pathOf(path string) string { return fmt.Sprintf(`{"path":%q}`, path) }

func TestFileLists(t *testing.T) {
	calls := func(blocks ...string) string { return answerWith(noUsage, "toolUse", blocks...) }
	tests := map[string]struct {
		messages []string
		read     []string
		modified []string
		tags     string
	}{
		"case 56: each path in one list": {
			[]string{calls(tool("read", pathOf("b")), tool("read", pathOf("a")), tool("edit", pathOf("a")), tool("write", pathOf("Z")))},
			[]string{"b"}, []string{"Z", "a"},
			"\n\n<read-files>\nb\n</read-files>\n\n<modified-files>\nZ\na\n</modified-files>"},
		"case 57: not calls of files": {
			[]string{calls(tool("bash", pathOf("x")), tool("grep", pathOf("x")), tool("read", `{"file_path":"x"}`), tool("read", `{"path":""}`), tool("edit", `{"path":7}`), tool("READ", pathOf("x")))},
			nil, nil, ""},
		"case 58: modified alone": {[]string{calls(tool("write", pathOf("q")))}, nil, []string{"q"}, "\n\n<modified-files>\nq\n</modified-files>"},
		"case 59: calls of a tool": {
			[]string{`{"role":"toolResult","content":[],"nestedCalls":{"calls":[{"name":"read","arguments":{"path":"nested"}}]}}`},
			[]string{"nested"}, nil, "\n\n<read-files>\nnested\n</read-files>"},
		"order of UTF-16 units": {
			[]string{calls(tool("read", pathOf("\uffee")), tool("read", pathOf("🌳")), tool("read", pathOf("é")), tool("read", pathOf("B")), tool("read", pathOf("Ba")))},
			[]string{"B", "Ba", "é", "🌳", "\uffee"}, nil, "\n\n<read-files>\nB\nBa\né\n🌳\n\uffee\n</read-files>"},
		"a user cannot call": {[]string{`{"role":"user","content":[` + tool("read", pathOf("a")) + `]}`}, nil, nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var files compact.FileOps
			for _, m := range tt.messages {
				files.Add(json.RawMessage(m))
			}
			got := files.Lists()
			if !slices.Equal(got.ReadFiles, tt.read) || !slices.Equal(got.ModifiedFiles, tt.modified) || got.Tags() != tt.tags {
				t.Errorf("Lists() = %+v, tags %q; want %q, %q, tags %q", got, got.Tags(), tt.read, tt.modified, tt.tags)
			}
		})
	}
	if got, want := string((&compact.FileOps{}).Lists().Details()), `{"readFiles":[],"modifiedFiles":[]}`; got != want {
		t.Errorf("Details() of no files = %s, want %s", got, want)
	}
}

// case 43: lists are carried over from a compaction that no extension wrote, and
// from nothing else that details may hold.
func TestFilesCarriedOver(t *testing.T) {
	tests := map[string]struct {
		members      string
		read, edited []string
	}{
		"built in":           {`"details":{"readFiles":["r"],"modifiedFiles":["m"]}`, []string{"r"}, []string{"m"}},
		"said to be":         {`"details":{"readFiles":["r"],"modifiedFiles":["m"]},"fromHook":false`, []string{"r"}, []string{"m"}},
		"empty text":         {`"details":{"readFiles":["r"],"modifiedFiles":["m"]},"fromHook":""`, []string{"r"}, []string{"m"}},
		"text":               {`"details":{"readFiles":["r"],"modifiedFiles":["m"]},"fromHook":"x"`, nil, nil},
		"zero":               {`"details":{"readFiles":["r"],"modifiedFiles":["m"]},"fromHook":0.0`, []string{"r"}, []string{"m"}},
		"a number":           {`"details":{"readFiles":["r"],"modifiedFiles":["m"]},"fromHook":2`, nil, nil},
		"an object":          {`"details":{"readFiles":["r"],"modifiedFiles":["m"]},"fromHook":{}`, nil, nil},
		"null":               {`"details":{"readFiles":["r"],"modifiedFiles":["m"]},"fromHook":null`, []string{"r"}, []string{"m"}},
		"of an extension":    {`"details":{"readFiles":["r"],"modifiedFiles":["m"]},"fromHook":true`, nil, nil},
		"other details":      {`"details":[1]`, nil, nil},
		"odd lists":          {`"details":{"readFiles":"r","modifiedFiles":[7,null,"m"]}`, nil, []string{"m"}},
		"without any detail": {`"x":1`, nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := chain(t, user(40), answer(40), compaction("S", "e1").with(tt.members), user(40), answer(40))
			p, err := compact.Prepare(s, keep(20))
			if err != nil {
				t.Fatal(err)
			}
			files, err := p.Files()
			if err != nil || !slices.Equal(files.Read(), tt.read) || !slices.Equal(files.Edited(), tt.edited) {
				t.Errorf("Files() = %q read, %q edited, %v; want %q, %q", files.Read(), files.Edited(), err, tt.read, tt.edited)
			}
		})
	}
}

// pitfall 118: files and tokens add up over several compactions.
func TestFilesOverCompactions(t *testing.T) {
	s := chain(t, user(40), message(answerWith(noUsage, "stop", tool("read", pathOf("a")), tool("read", pathOf("b")))), user(40), answer(40))
	for i, more := range []string{tool("edit", pathOf("a")), tool("read", pathOf("c"))} {
		p, err := compact.Prepare(s, keep(10))
		if err != nil {
			t.Fatal(err)
		}
		c, err := p.Summarize(t.Context(), fixed("S"), compact.SummaryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.AppendCompaction(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		for _, raw := range []string{answerWith(noUsage, "stop", more), userText(letters(40 * (i + 1)))} {
			if _, err := s.AppendMessage(t.Context(), decodeMessage(t, raw)); err != nil {
				t.Fatal(err)
			}
		}
	}
	p, err := compact.Prepare(s, keep(1))
	if err != nil {
		t.Fatal(err)
	}
	files, err := p.Files()
	if err != nil {
		t.Fatal(err)
	}
	lists := files.Lists()
	if !slices.Equal(lists.ReadFiles, []string{"b", "c"}) || !slices.Equal(lists.ModifiedFiles, []string{"a"}) {
		t.Errorf("Lists() after two compactions = %+v, want b and c read, a modified", lists)
	}
}

// Paths are in the order of JavaScript, which compares UTF-16 units: a
// surrogate pair sorts before U+E000.
func TestFilesInOrder(t *testing.T) {
	want := []string{
		"a", "a/a", "a/a/b", "a/b", "a/b\ufffda", "a/b\ufffdb", "a/c", "a/\ud7ff", "a/\U00010000", "a/🌳", "a/🌳a", "a/🌳b", "a/🌴", "a/\ue000", "a/\uffff", "b",
	}
	var blocks []string
	for i := range want {
		blocks = append(blocks, tool("read", pathOf(want[(i*7)%len(want)])))
	}
	for range 5 { // the order in which they are kept is another each time
		var files compact.FileOps
		files.Add([]byte(answerWith(noUsage, "stop", blocks...)))
		if got := files.Read(); !slices.Equal(got, want) {
			t.Fatalf("Read() = %q, want %q", got, want)
		}
	}
}
