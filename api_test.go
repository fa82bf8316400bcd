package pith_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// Appended entries are read by a session that is opened again, in order.
func TestAppendedEntriesAreRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s, err := pith.Create(pith.Options{Cwd: "/p", Dir: dir, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	if s.Dir() != dir {
		t.Errorf("Dir() = %s, want %s", s.Dir(), dir)
	}
	steps := []func() (string, error){
		func() (string, error) { return s.AppendMessage(t.Context(), format.NewUser("question", clock())) },
		func() (string, error) { return s.AppendThinkingLevel(t.Context(), "high") },
		func() (string, error) {
			return s.AppendCustomMessage(t.Context(), format.CustomMessage{CustomType: "memo", Content: format.TextContent("note"), Display: true, Details: json.RawMessage(`{ "a": 1 }`)})
		},
		func() (string, error) {
			return s.AppendMessage(t.Context(), &format.Assistant{Content: format.TextContent("answer"), StopReason: "stop"})
		},
	}
	var ids []string
	for _, step := range steps {
		id, err := step()
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if _, err := s.AppendCustomMessage(t.Context(), format.CustomMessage{CustomType: "memo", Details: json.RawMessage(`{`)}); !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("a custom message whose details are no JSON = %v, want %v", err, pith.ErrInvalid)
	}
	if err := s.Writable(format.TypeCompaction); err != nil {
		t.Errorf("Writable(compaction) of a session of pi = %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	v := open(t, s.File(), pith.Options{ReadOnly: true}).View()
	var got []string
	for e, err := range v.Entries() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Head().ID)
		switch e := e.(type) {
		case *format.ThinkingLevelChange:
			if e.Level != "high" {
				t.Errorf("the level is %q", e.Level)
			}
		case *format.CustomMessage:
			if e.CustomType != "memo" || e.Content.Joined() != "note" || !e.Display || string(e.Details) != `{"a":1}` {
				t.Errorf("the message of an extension is %+v, details %s", e, e.Details)
			}
		}
	}
	if !slices.Equal(got, ids) {
		t.Errorf("entries %v, want %v", got, ids)
	}
}

// A title that a program makes does not replace what a person wrote, also not what
// another process wrote meanwhile; a name that was cleared may be set.
func TestSetNameIfUnset(t *testing.T) {
	path := write(t, head+line("a", "", "user", "one")+line("b", "a", "assistant", "two"))
	s, other := open(t, path, pith.Options{}), open(t, path, pith.Options{})
	set := func(want bool, name, now string) {
		t.Helper()
		id, did, err := s.SetNameIfUnset(t.Context(), name)
		if err != nil || did != want || (id != "") != want || s.Name() != now {
			t.Errorf("SetNameIfUnset(%q) = %q, %v, %v; the name is %q, want %v and %q", name, id, did, err, s.Name(), want, now)
		}
	}
	if _, err := other.SetName(t.Context(), "a person's"); err != nil {
		t.Fatal(err)
	}
	set(false, "made", "a person's")
	if _, err := s.SetName(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	set(true, "made\nup", "made up")
	set(false, "made again", "made up")
	if _, _, err := open(t, path, pith.Options{ReadOnly: true}).SetNameIfUnset(t.Context(), "x"); !errors.Is(err, pith.ErrReadOnly) {
		t.Errorf("SetNameIfUnset of a session that is only read = %v, want %v", err, pith.ErrReadOnly)
	}
}

// A model gets commands that the user ran as user messages, except those
// excluded from the context.
func TestForModel(t *testing.T) {
	for raw, want := range map[string]string{
		`{"role":"user","content":"hi","timestamp":1}`:                                                                       "user",
		`{"role":"bashExecution","command":"ls","output":"x","cancelled":false,"truncated":false,"timestamp":1}`:             "user",
		`{"role":"bashExecution","command":"ls","output":"x","excludeFromContext":true,"cancelled":false,"truncated":false}`: "",
		`{"role":"custom","customType":"memo","content":"note","display":true,"timestamp":1}`:                                "user",
	} {
		m, ok := pith.ForModel(pith.ContextMessage{EntryID: "e", Raw: json.RawMessage(raw)})
		var got struct{ Role string }
		if ok {
			if err := json.Unmarshal(m.Raw, &got); err != nil || m.EntryID != "e" {
				t.Errorf("ForModel(%s) = %s of %s, %v", raw, m.Raw, m.EntryID, err)
			}
		}
		if got.Role != want || ok != (want != "") {
			t.Errorf("ForModel(%s) = %s, %v; want role %q", raw, m.Raw, ok, want)
		}
	}
}

// A reader gives the lines that it is asked for, and says which it does not have.
func TestReaderOfPositions(t *testing.T) {
	s := open(t, write(t, head+line("a", "", "user", strings.Repeat("one ", 9000))+line("b", "a", "assistant", "two")+line("c", "b", "user", "three")), pith.Options{ReadOnly: true})
	v := s.View()
	var got []string
	var last error
	for l, err := range v.Reader().LinesAt([]int{2, 0, 1, 7, 0}) {
		if last = err; err == nil {
			if l.Pos < 0 || len(l.Raw) != l.Size {
				t.Errorf("line %d has %d bytes of %d", l.Pos, len(l.Raw), l.Size)
			}
			got = append(got, l.ID)
		}
	}
	if !slices.Equal(got, []string{"c", "a", "b"}) || !errors.Is(last, pith.ErrNoEntry) {
		t.Errorf("LinesAt = %v, then %v; want c, a, b, and that there is no more", got, last)
	}
	for range v.Reader().LinesAt([]int{0, 1}) {
		break // the consumer may stop early
	}
	if _, err := v.Line(-1); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("Line(-1) = %v", err)
	}
	if _, err := v.Entry(3); !errors.Is(err, pith.ErrNoEntry) {
		t.Errorf("Entry(3) = %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := (*pith.FileError)(nil)
	if _, err := v.Line(0); !errors.Is(err, pith.ErrClosed) || !errors.As(err, &file) || file.Path != s.File() {
		t.Errorf("Line of a session that was closed = %v; want %v, with its file", err, pith.ErrClosed)
	}
	if _, err := pith.Open(t.Context(), filepath.Join(t.TempDir(), "none.jsonl"), pith.Options{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none.jsonl") {
		t.Errorf("Open of nothing = %v", err)
	}
}
