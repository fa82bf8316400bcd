// Package agents compares the contexts that pith builds from sessions of other coding
// agents with the requests that these programs themselves sent to a model.
package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
)

// A Message is a message of a request, reduced to its content.
type Message struct {
	Role  string `json:"role"`
	Parts []Part `json:"parts"`
}

// A Part is one part of a message. One of its members is set.
type Part struct {
	Text   *string `json:"text,omitempty"`
	Think  *string `json:"think,omitempty"`
	Call   string  `json:"call,omitempty"`
	Args   any     `json:"args,omitempty"` // an object, or the text of a call without one
	Result *string `json:"result,omitempty"`
	Error  bool    `json:"error,omitempty"`
	Images int     `json:"images,omitempty"`
	Image  any     `json:"image,omitempty"`
}

// Fixtures returns the path of a file or directory in this package's testdata:
// real sessions of other agents, and pi-sample.jsonl, a session of pi to hand over.
func Fixtures(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "tests", "agents", "testdata", name)
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("the test does not run in the repository")
		}
	}
}

// A Translated is a root of a program whose sessions are written to files, to be
// compared: <session ID>.jsonl.
type Translated struct {
	Program sources.Program
	Root    string
	Dir     string
}

// Translate translates the sessions of a root into a new directory. An error of
// a single session fails the test.
func Translate(t testing.TB, p sources.Program, root string) *Translated {
	t.Helper()
	m := &Translated{Program: p, Root: root, Dir: t.TempDir()}
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

// Refresh translates the sessions again. One that cannot be read is named by the
// error; the others are translated.
func (m *Translated) Refresh(ctx context.Context) error {
	listed, err := m.Program.Sessions(ctx, m.Root)
	failed := []error{err, os.MkdirAll(m.Dir, 0o700)}
	for _, s := range listed {
		var b bytes.Buffer
		for line, err := range sources.Translate(ctx, m.Program, s, m.Path) {
			failed = append(failed, err)
			if err == nil {
				b.Write(line)
				b.WriteByte('\n')
			}
		}
		if b.Len() > 0 {
			failed = append(failed, os.WriteFile(m.Path(s.ID), b.Bytes(), 0o600))
		}
	}
	return errors.Join(failed...)
}

// Path returns the file of the session with an ID.
func (m *Translated) Path(id string) string {
	return filepath.Join(m.Dir, strings.ReplaceAll(id, string(filepath.Separator), "_")+format.FileSuffix)
}

// Expected reads the request that a program sent.
func Expected(t testing.TB, file string) []Message {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var request struct {
		Messages []Message `json:"messages"`
	}
	if err := json.Unmarshal(data, &request); err != nil {
		t.Fatal(err)
	}
	return request.Messages
}

// Open opens a translated session until the test ends.
func Open(t testing.TB, path string) *pith.Session {
	t.Helper()
	s, err := pith.Open(context.Background(), path, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Context returns the context of a session at an entry, or at its leaf for "",
// in the form of a request.
func Context(t testing.TB, path, at string) []Message {
	t.Helper()
	s := Open(t, path)
	if at == "" {
		at = s.LeafID()
	}
	c, err := s.View().Context(at)
	if err != nil {
		t.Fatal(err)
	}
	var out []Message
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		message, err := format.DecodeMessage(m.Raw)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, reduced(message))
	}
	return out
}

func reduced(m format.Message) Message {
	out := Message{Role: "user"}
	switch m := m.(type) {
	case *format.Assistant:
		out.Role = "assistant"
		for _, b := range m.Content.Blocks {
			switch b := b.(type) {
			case *format.TextBlock:
				out.Parts = append(out.Parts, Part{Text: &b.Text})
			case *format.ThinkingBlock:
				out.Parts = append(out.Parts, Part{Think: &b.Thinking})
			case *format.ToolCallBlock:
				p := Part{Call: b.Name}
				var args map[string]any
				if json.Unmarshal(b.Arguments, &args) == nil {
					p.Args = args
				}
				if text, ok := args["input"].(string); ok && len(args) == 1 {
					p.Args = text
				}
				out.Parts = append(out.Parts, p)
			}
		}
	case *format.ToolResult:
		p := Part{Error: m.IsError}
		text := m.Content.Joined()
		p.Result = &text
		for _, b := range m.Content.Blocks {
			if _, ok := b.(*format.ImageBlock); ok {
				p.Images++
			}
		}
		out.Parts = append(out.Parts, p)
	default:
		content, _ := format.ContentOf(m)
		if content.IsText {
			return Message{Role: "user", Parts: []Part{{Text: &content.Text}}}
		}
		for _, b := range content.Blocks {
			switch b := b.(type) {
			case *format.TextBlock:
				out.Parts = append(out.Parts, Part{Text: &b.Text})
			case *format.ImageBlock:
				out.Parts = append(out.Parts, Part{Image: true})
			}
		}
	}
	return out
}

// Options exclude content from a comparison that the program itself adds.
type Options struct {
	// Thinking compares thoughts. Many programs never send them again.
	Thinking bool
	// Errors compares the error flag of results, which not all requests have.
	Errors bool
	// Drop excludes texts of either side that the program generated.
	Drop func(text string) bool
}

// Compare reports differences between a context and a request. It does not
// compare the response to the request, with which the session may end.
func Compare(t testing.TB, got, want []Message, o Options) {
	t.Helper()
	if len(want) > 0 && want[len(want)-1].Role == "user" {
		for len(got) > 0 && got[len(got)-1].Role == "assistant" {
			got = got[:len(got)-1]
		}
	}
	a, b := o.flat(got), o.flat(want)
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			t.Errorf("part %d is missing: %.500s", i, b[i])
		case i >= len(b):
			t.Errorf("part %d is too much: %.500s", i, a[i])
		case !same(a[i], b[i]):
			t.Errorf("part %d is %.500s\nthe program sent %.500s", i, a[i], b[i])
		default:
			continue
		}
		return
	}
}

// flat returns a request as one line for each part.
func (o Options) flat(messages []Message) []string {
	var out []string
	for _, m := range messages {
		for _, p := range m.Parts {
			switch {
			case p.Text != nil && (strings.HasPrefix(*p.Text, "[program text") || o.Drop != nil && o.Drop(*p.Text)), p.Think != nil && !o.Thinking:
				continue
			case p.Think != nil:
				out = append(out, "thinking: "+*p.Think)
			case p.Text != nil:
				out = append(out, m.Role+": "+*p.Text)
			case p.Call != "":
				args, _ := json.Marshal(p.Args) // keys are sorted
				out = append(out, "call "+p.Call+": "+string(args))
			case p.Result != nil:
				line := "result"
				if o.Errors && p.Error {
					line += " error"
				}
				if p.Images > 0 {
					line += fmt.Sprintf(" %d images", p.Images)
				}
				out = append(out, line+": "+*p.Result)
			default:
				out = append(out, m.Role+" image")
			}
		}
	}
	return out
}

// same compares two lines whose ends may be cut: "…[cut 372]" in a request,
// "…[cut 372 chars]" in a fixture. Programs end texts that they join with a line feed.
func same(a, b string) bool {
	a, b = strings.TrimRight(a, "\n"), strings.TrimRight(b, "\n")
	cut := func(s string) (string, bool) {
		i := strings.LastIndex(s, "…[cut ")
		if i < 0 {
			return s, false
		}
		return s[:i], true
	}
	a, cutA := cut(a)
	b, cutB := cut(b)
	switch {
	case cutA && cutB:
		return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
	case cutA:
		return strings.HasPrefix(b, a)
	case cutB:
		return strings.HasPrefix(a, b)
	}
	return a == b
}

// SameTwice reports whether two translations of the same root have the same bytes.
func SameTwice(t testing.TB, p sources.Program, root string) {
	t.Helper()
	read := func() map[string]string {
		m := Translate(t, p, root)
		names, err := filepath.Glob(filepath.Join(m.Dir, "*.jsonl"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no sessions under %s: %v", root, err)
		}
		out := map[string]string{}
		for _, name := range slices.Sorted(slices.Values(names)) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(name)] = strings.ReplaceAll(string(data), m.Dir, "")
		}
		return out
	}
	if a, b := read(), read(); !reflect.DeepEqual(a, b) {
		t.Errorf("two translations of %s differ", root)
	}
}
