package pith_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/store"
)

// The file appears with the first message and not before (pitfalls 28, 29, 40).
func TestDeferredCreation(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sessions")
	s := create(t, pith.Options{Dir: dir})
	if _, err := s.AppendModel(t.Context(), "p", "m"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetName(t.Context(), "named early"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.File()); !errors.Is(err, fs.ErrNotExist) || s.Written() {
		t.Errorf("the file exists before the first message: %v", err)
	}
	say(t, s, "hello")
	info, err := os.Stat(s.File())
	if err != nil {
		t.Fatalf("no file after the first message: %v", err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("file mode = %o, want 600", info.Mode().Perm())
	}
	if folder, _ := os.Stat(dir); folder.Mode().Perm() != 0o700 {
		t.Errorf("folder mode = %o, want 700", folder.Mode().Perm())
	}
	again := open(t, s.File(), pith.Options{})
	if again.View().Len() != 3 || again.Name() != "named early" || again.ID() != s.ID() {
		t.Errorf("reopened: %d entries, name %q, id %q", again.View().Len(), again.Name(), again.ID())
	}
	pattern := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\.jsonl$`)
	if !pattern.MatchString(filepath.Base(s.File())) {
		t.Errorf("file name %q is not as pi names files", filepath.Base(s.File()))
	}
}

// broken is a store in which every write fails until it is repaired.
type broken struct {
	store.Store
	err error
}

func (b *broken) Open(ctx context.Context, name string) (store.Log, error) {
	log, err := b.Store.Open(ctx, name)
	return &brokenLog{log, b}, err
}

func (b *broken) Create(ctx context.Context, name string, fill store.Fill) (store.Log, error) {
	if b.err != nil {
		return nil, b.err
	}
	log, err := b.Store.Create(ctx, name, fill)
	return &brokenLog{log, b}, err
}

type brokenLog struct {
	store.Log
	b *broken
}

func (l *brokenLog) Append(ctx context.Context, at int64, p []byte) (int64, error) {
	if l.b.err != nil {
		return 0, l.b.err
	}
	return l.Log.Append(ctx, at, p)
}

// After a write that failed memory is as the file is, and the next append works
// (pitfalls 26, 27, 30, 166).
func TestFailedWrite(t *testing.T) {
	o := pith.Options{Dir: t.TempDir()}
	b := &broken{Store: fileStore()}
	o.Store = b
	s := create(t, o)
	full := errors.New("no space left on device")
	b.err = full
	if _, err := s.AppendMessage(t.Context(), message(t, "user", "lost")); !errors.Is(err, full) {
		t.Fatalf("AppendMessage = %v, want %v", err, full)
	}
	if s.View().Len() != 0 || s.LeafID() != "" || s.Written() {
		t.Errorf("after a failed creation: %d entries, leaf %q", s.View().Len(), s.LeafID())
	}
	b.err = nil
	first := say(t, s, "first")
	b.err = full
	if _, err := s.AppendMessage(t.Context(), message(t, "user", "lost")); !errors.Is(err, full) {
		t.Fatalf("AppendMessage = %v, want %v", err, full)
	}
	if s.View().Len() != 1 || s.LeafID() != first {
		t.Errorf("after a failed append: %d entries, leaf %q, want 1, %q", s.View().Len(), s.LeafID(), first)
	}
	b.err = nil
	say(t, s, "second")
	if got := said(t, open(t, s.File(), pith.Options{})); got != "first|second" {
		t.Errorf("said = %q, want %q", got, "first|second")
	}
}

// A file that was deleted or replaced under a session is noticed (pitfall 31).
func TestDeletedFile(t *testing.T) {
	s := create(t, pith.Options{})
	say(t, s, "one")
	if err := os.Remove(s.File()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), message(t, "user", "two")); !errors.Is(err, store.ErrGone) {
		t.Errorf("AppendMessage to a deleted file = %v, want ErrGone", err)
	}
	if _, err := os.Stat(s.File()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file without a header was made")
	}
}

func TestReadOnly(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one"))
	s := open(t, path, pith.Options{ReadOnly: true})
	if _, err := s.AppendMessage(t.Context(), message(t, "user", "x")); !errors.Is(err, pith.ErrReadOnly) {
		t.Errorf("AppendMessage = %v, want ErrReadOnly", err)
	}
	if err := s.Branch("a"); err != nil {
		t.Errorf("Branch = %v", err)
	}
}

// A provider's streaming scratch does not reach the file (pitfall 39);
// everything else of a message keeps its bytes (pitfalls 18, 19, 20).
func TestMessageBytes(t *testing.T) {
	s := create(t, pith.Options{})
	raw := `{"role":"assistant","zz":1.50,"content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"b":1e3,"a":"\ud83d \u00e9<&>"}}],"unknown":{"k":null},"timestamp":1770000000000}`
	scratch := strings.Replace(raw, `"name":"bash"`, `"name":"bash","partialJson":"{\"b\""`, 1)
	m, err := format.DecodeMessage([]byte(scratch))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if got := read(t, s.File()); !strings.Contains(got, `"message":`+raw+"}\n") {
		t.Errorf("file:\n%s\nwant the message %s", got, raw)
	}
}

// Resuming appends nothing and keeps the file's time (pitfall 36).
func TestResumeWritesNothing(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one"))
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, path, pith.Options{})
	said(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the file changed: %v, %v", after, err)
	}
	if _, err := s.AppendMessage(t.Context(), message(t, "user", "x")); !errors.Is(err, pith.ErrClosed) {
		t.Errorf("AppendMessage after Close = %v, want ErrClosed", err)
	}
}

// Names are one line without control characters; the last one counts, an empty
// one clears; a label on an unknown entry is an error (pitfalls 58, 137, 140).
func TestNamesAndLabels(t *testing.T) {
	s := create(t, pith.Options{})
	a := say(t, s, "one")
	if _, err := s.SetName(t.Context(), "  two\r\nlines\x1b[31m \x07"); err != nil {
		t.Fatal(err)
	}
	if got := s.Name(); got != "two lines[31m" {
		t.Errorf("Name() = %q, want %q", got, "two lines[31m")
	}
	if _, err := s.SetName(t.Context(), ""); err != nil || s.Name() != "" {
		t.Errorf("cleared name = %q, %v", s.Name(), err)
	}
	if _, err := s.SetLabel(t.Context(), "nope", "x"); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("SetLabel of an unknown entry = %v, want ErrNoEntry", err)
	}
	if _, err := s.SetLabel(t.Context(), a, "here"); err != nil || s.View().Label(a) != "here" {
		t.Errorf("label = %q, %v", s.View().Label(a), err)
	}
	if _, err := s.SetLabel(t.Context(), a, ""); err != nil || s.View().Label(a) != "" {
		t.Errorf("cleared label = %q, %v", s.View().Label(a), err)
	}
}

func TestContextEditIsChecked(t *testing.T) {
	s := create(t, pith.Options{})
	a := say(t, s, "secret")
	b := say(t, s, "kept")
	hidden := format.TextContent("[edited]")
	if _, err := s.AppendContextEdit(t.Context(), a, &hidden); err != nil {
		t.Fatal(err)
	}
	if got := said(t, s); got != "[edited]|kept" {
		t.Errorf("said = %q, want %q", got, "[edited]|kept")
	}
	if _, err := s.AppendContextEdit(t.Context(), b, nil); err != nil {
		t.Fatal(err)
	}
	if got := said(t, s); got != "[edited]" {
		t.Errorf("said = %q, want %q", got, "[edited]")
	}
	if err := s.Branch(a); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendContextEdit(t.Context(), b, nil); !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("edit of an entry on another branch = %v, want ErrInvalid", err)
	}
}

// State of an extension is any value: it is written as JSON, angle brackets and all,
// and what is JSON already keeps its order.
func TestCustomData(t *testing.T) {
	s := create(t, pith.Options{})
	say(t, s, "hello")
	for want, data := range map[string]any{
		`{"path":"a<b>&c"}`: struct {
			Path string `json:"path"`
		}{"a<b>&c"},
		`{"b":1,"a":[true]}`: json.RawMessage(`{"b":1,"a":[true]}`),
		`[1,2]`:              []byte(`[1, 2]`),
		`"text"`:             "text",
		``:                   nil,
	} {
		id, err := s.AppendCustom(t.Context(), "x", data)
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Entry(id)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(e.(*format.Custom).Data); got != want {
			t.Errorf("AppendCustom(%v) wrote the data %s, want %s", data, got, want)
		}
	}
	if _, err := s.AppendCustom(t.Context(), "x", func() {}); err == nil {
		t.Error("AppendCustom of a function: no error")
	}
}

// A compaction that names no first entry keeps none; one that does keeps from there on.
func TestCompactionKeeps(t *testing.T) {
	for first, want := range map[string]string{"": "compactionSummary", "b": "compactionSummary|two"} {
		s := open(t, write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two")), pith.Options{})
		id, err := s.AppendCompaction(t.Context(), format.Compaction{Summary: "s", FirstKeptEntryID: first})
		if err != nil {
			t.Fatal(err)
		}
		kept := first
		if first == "" {
			kept = id
		}
		if got := said(t, s); got != want || !strings.Contains(read(t, s.File()), `"firstKeptEntryId":"`+kept+`"`) {
			t.Errorf("from %q on: said %q, want %q, in\n%s", first, got, want, read(t, s.File()))
		}
		if len(id) != 8 || strings.Trim(id, "0123456789abcdef") != "" {
			t.Errorf("the id %q is not as pi's are", id)
		}
	}
}

// Scratch data that a provider left in a call while streaming is not written,
// and nothing else of the message changes (pitfall 39).
func TestScratchIsNotWritten(t *testing.T) {
	for raw, want := range map[string]string{
		`{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"toolCall","id":"1","partialJson":"{","name":"x"},{"type":"toolCall","id":"2","name":"y","partialJson":""},{"n":7.0}]}`: `[{"type":"text","text":"a"},{"type":"toolCall","id":"1","name":"x"},{"type":"toolCall","id":"2","name":"y"},{"n":7.0}]`,
		`{"role":"user","content":"a \"partialJson\" in text"}`:                              `"a \"partialJson\" in text"`,
		`{"role":"user","content":[{"type":"text","text":"x"}],"about":{"partialJson":1}}`:   `[{"type":"text","text":"x"}],"about":{"partialJson":1}`,
		`{"role":"toolResult","toolCallId":"1","details":{"partialJson":1},"isError":false}`: ``,
	} {
		m, err := format.DecodeMessage([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		s := create(t, pith.Options{})
		say(t, s, "one")
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		text := read(t, s.File())
		if want == "" && !strings.Contains(text, raw) || want != "" && !strings.Contains(text, `"content":`+want) {
			t.Errorf("%s is written as\n%s", raw, text)
		}
	}
}

// An error names the operation and the file once.
func TestFileErrorNamesTheFileOnce(t *testing.T) {
	for want, err := range map[string]error{
		"append to /a: EOF":          &pith.FileError{Op: "append to", Path: "/a", Err: &store.LogError{Op: "append to", Name: "/a", Err: io.EOF}},
		"fork /b: append to /a: EOF": &pith.FileError{Op: "fork", Path: "/b", Err: &store.LogError{Op: "append to", Name: "/a", Err: io.EOF}},
		"open /a: EOF":               &pith.FileError{Op: "open", Path: "/a", Err: io.EOF},
		"not on the active branch":   pith.ErrOffBranch,
	} {
		if err.Error() != want {
			t.Errorf("%#v says %q, want %q", err, err, want)
		}
	}
}

// decoded returns the message that raw is.
func decoded(t *testing.T, raw string) format.Message {
	t.Helper()
	m, err := format.DecodeMessage([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Invalid messages are rejected, and so are edits of entries without content; a
// closed session returns ErrClosed.
func TestRefusedArguments(t *testing.T) {
	s := create(t, pith.Options{})
	first := say(t, s, "one")
	label, err := s.SetLabel(t.Context(), first, "here")
	if err != nil {
		t.Fatal(err)
	}
	before := read(t, s.File())
	for name, tt := range map[string]struct {
		add  func() (string, error)
		want error
	}{
		"no role":      {func() (string, error) { return s.AppendMessage(t.Context(), &format.UnknownMessage{}) }, pith.ErrNotStored},
		"a compaction": {func() (string, error) { return s.AppendMessage(t.Context(), &format.CompactionSummaryMessage{}) }, pith.ErrNotStored},
		"a branch":     {func() (string, error) { return s.AppendMessage(t.Context(), &format.BranchSummaryMessage{}) }, pith.ErrNotStored},
		"a number as content": {func() (string, error) {
			m := decoded(t, `{"role":"user","content":7,"timestamp":1}`)
			m.(*format.User).Content = format.Content{} // what was decoded is kept
			return s.AppendMessage(t.Context(), m)
		}, pith.ErrNotStored},
		"a bare word as a block": {func() (string, error) {
			return s.AppendMessage(t.Context(), decoded(t, `{"role":"assistant","content":[{"type":"text","text":"x"},"y"],"timestamp":1}`))
		}, pith.ErrNotStored},
		"broken details": {func() (string, error) {
			return s.AppendCompaction(t.Context(), format.Compaction{Details: []byte("{")})
		}, pith.ErrNotJSON},
		"an edit of a label": {func() (string, error) { return s.AppendContextEdit(t.Context(), label, nil) }, pith.ErrNotEditable},
		"an edit of nothing": {func() (string, error) { return s.AppendContextEdit(t.Context(), "gone", nil) }, pith.ErrNoEntry},
		"a label of nothing": {func() (string, error) { return s.SetLabel(t.Context(), "gone", "x") }, pith.ErrNoEntry},
		"a summary nowhere":  {func() (string, error) { return s.BranchWithSummary(t.Context(), "gone", format.BranchSummary{}) }, pith.ErrNoEntry},
	} {
		if _, err := tt.add(); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", name, err, tt.want)
		}
	}
	if read(t, s.File()) != before {
		t.Error("something was written")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"Refresh": func() error { _, err := s.Refresh(t.Context()); return err },
		"Branch":  func() error { return s.Branch(first) },
		"Entry":   func() error { _, err := s.Entry(first); return err },
		"SetName": func() error { _, err := s.SetName(t.Context(), "x"); return err },
	} {
		if err := call(); !errors.Is(err, pith.ErrClosed) {
			t.Errorf("%s of a closed session = %v, want ErrClosed", name, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close a second time = %v", err)
	}
}

// The first kept entry is found by its ID on the path, whether or not the
// session has looked up IDs before, and although another branch has an entry
// with that ID.
func TestCompactionKeepsOnThePath(t *testing.T) {
	compaction := `{"type":"compaction","id":"k","parentId":"d","timestamp":"2026-02-03T22:52:08.000Z","summary":"s","firstKeptEntryId":"b","tokensBefore":1}` + "\n"
	text := head + line("a", "", "user", "one") + line("b", "a", "assistant", "two") + line("c", "b", "user", "three") + line("d", "c", "assistant", "four") +
		compaction + line("e", "k", "user", "five")
	tests := map[string]struct{ text, want string }{
		"once":           {text, "compactionSummary|two|three|four|five"},
		"also elsewhere": {head + line("b", "", "user", "beside") + strings.TrimPrefix(text, head), "compactionSummary|two|three|four|five"},
		"twice":          {strings.NewReplacer(line("c", "b", "user", "three"), line("b", "b", "user", "three"), `"d","parentId":"c"`, `"d","parentId":"b"`).Replace(text), "compactionSummary|two|three|four|five"},
		"the first":      {strings.Replace(text, `"firstKeptEntryId":"b"`, `"firstKeptEntryId":"a"`, 1), "compactionSummary|one|two|three|four|five"},
		"nowhere":        {strings.Replace(text, `"firstKeptEntryId":"b"`, `"firstKeptEntryId":"e"`, 1), "compactionSummary|five"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := write(t, tt.text)
			fresh, asked := open(t, path, pith.Options{}), open(t, path, pith.Options{})
			if _, err := asked.View().Find("a"); err != nil {
				t.Fatal(err)
			}
			got := said(t, fresh)
			if got != tt.want || got != said(t, asked) {
				t.Errorf("said %q, and %q when ids were asked for; want %q", got, said(t, asked), tt.want)
			}
		})
	}
}
