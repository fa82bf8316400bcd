package pith_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

// Opening leaves any end of a file alone, and the next append is on its own
// line (pitfalls 1, 2, 3, 25).
func TestTails(t *testing.T) {
	a, b := line("a", "", "user", "one"), line("b", "a", "assistant", "two")
	tests := map[string]struct {
		text  string
		found string
		said  string // after the append
	}{
		"clean":       {head + a + b, "", "one|two|next"},
		"no newline":  {head + a + strings.TrimSuffix(b, "\n"), "no-newline", "one|two|next"},
		"torn":        {head + a + b[:40], "torn", "one|next"},
		"torn header": {head + a + "{", "torn", "one|next"},
		"NULs":        {head + a + "\x00\x00\x00", "torn", "one|next"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := write(t, tt.text)
			s := open(t, path, pith.Options{})
			if got := codes(s); got != tt.found {
				t.Errorf("findings = %q, want %q", got, tt.found)
			}
			if got := read(t, path); got != tt.text {
				t.Errorf("opening changed the file")
			}
			say(t, s, "next")
			after := read(t, path)
			if !strings.HasPrefix(after, tt.text) {
				t.Errorf("the append changed bytes that were there")
			}
			if !strings.HasSuffix(after, "\n") {
				t.Errorf("the file does not end with a newline")
			}
			if got := said(t, open(t, path, pith.Options{})); got != tt.said {
				t.Errorf("said after reopening = %q, want %q", got, tt.said)
			}
		})
	}
}

// Files that are not sessions are rejected and unchanged (pitfalls 12, 13).
func TestRefused(t *testing.T) {
	for name, text := range map[string]string{
		"plain text":            "hello\nworld\n",
		"another JSONL":         `{"level":"info"}` + "\n",
		"broken first line":     `{"type":"session","version":3,"id":"x` + "\n" + line("a", "", "user", "one"),
		"entries but no header": line("a", "", "user", "one"),
		"blank lines":           "\n\n\n",
		"header without an id":  `{"type":"session","version":3}` + "\n" + line("a", "", "user", "one"),
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, text)
			_, err := pith.Open(t.Context(), path, pith.Options{})
			if !errors.Is(err, pith.ErrNotSession) {
				t.Errorf("Open = %v, want ErrNotSession", err)
			}
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("Open = %v, want an error that names the file", err)
			}
			if got := read(t, path); got != text {
				t.Error("the file changed")
			}
		})
	}
	for text, torn := range map[string]bool{`{"type":"session","version":3,"id":"x`: true, "hello\n": false, `{"type":"session","version":3,"id":"x` + "\n" + `{"type":"mess`: false} {
		if _, err := pith.Open(t.Context(), write(t, text), pith.Options{}); errors.Is(err, format.ErrTorn) != torn || !errors.Is(err, pith.ErrNotSession) {
			t.Errorf("Open of %q = %v; want that it is torn: %t", text, err, torn)
		}
	}
	if _, err := pith.Open(t.Context(), filepath.Join(t.TempDir(), "none.jsonl"), pith.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of no file = %v, want fs.ErrNotExist", err)
	}
	if _, err := pith.Open(t.Context(), t.TempDir(), pith.Options{}); err == nil {
		t.Error("Open of a folder succeeded")
	}
}

// An empty file becomes a session with the first message, not before (pitfalls 12, 30).
func TestEmptyFile(t *testing.T) {
	path := write(t, "")
	s := open(t, path, pith.Options{})
	if read(t, path) != "" {
		t.Error("opening an empty file wrote to it")
	}
	if _, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true}); !errors.Is(err, pith.ErrNotSession) {
		t.Errorf("Open for reading = %v, want ErrNotSession: there is nothing to read", err)
	}
	named := filepath.Join(t.TempDir(), "2026-02-03T22-52-06-410Z_abc-1.jsonl")
	if err := os.WriteFile(named, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := open(t, named, pith.Options{}).ID(); got != "abc-1" {
			t.Errorf("the id of an empty file = %q, want the one that its name says, each time", got)
		}
	}
	say(t, s, "one")
	if got := said(t, open(t, path, pith.Options{})); got != "one" {
		t.Errorf("said = %q, want %q", got, "one")
	}
}

// A file of a newer version can be read and must not be written (pitfall 21).
func TestTooNew(t *testing.T) {
	text := strings.Replace(head, `"version":3`, `"version":4`, 1) + line("a", "", "user", "one")
	path := write(t, text)
	s := open(t, path, pith.Options{})
	if got := said(t, s); got != "one" {
		t.Errorf("said = %q, want %q", got, "one")
	}
	if _, err := s.AppendMessage(t.Context(), message(t, "user", "x")); !errors.Is(err, pith.ErrTooNew) {
		t.Errorf("AppendMessage = %v, want ErrTooNew", err)
	}
	if got := read(t, path); got != text {
		t.Error("the file changed")
	}
	v4 := write(t, `{"v":4,"kind":"header","id":"s4","storageVersion":4,"createdAt":1770000000000,"cwd":"/p"}`+"\n")
	if _, err := pith.Open(t.Context(), v4, pith.Options{}); !errors.Is(err, pith.ErrTooNew) {
		t.Errorf("Open of a version 4 log = %v, want ErrTooNew", err)
	}
}

// Odd but readable files open, each fault is reported, no neighbour is lost.
func TestOddFiles(t *testing.T) {
	one, two := line("a", "", "user", "one"), line("b", "a", "assistant", "two")
	tests := map[string]struct{ text, found, said string }{
		"malformed middle (pitfall 5)":          {head + one + "{oops\n" + two, "malformed", "one|two"},
		"BOM (pitfall 7)":                       {"\xef\xbb\xbf" + head + one + two, "bom", "one|two"},
		"CRLF (pitfall 6)":                      {strings.ReplaceAll(head+one+two, "\n", "\r\n"), "", "one|two"},
		"separator in text (pitfall 8)":         {head + line("a", "", "user", "o\u2028ne") + two, "", "o\u2028ne|two"},
		"fused (pitfall 4)":                     {head + strings.TrimSuffix(one, "\n") + two, "fused", "one|two"},
		"torn and whole (pitfall 4)":            {head + one + two[:30] + two, "fused", "one|two"},
		"two headers (pitfall 15)":              {head + one + head + two, "extra-header", "one|two"},
		"late header (pitfall 14)":              {"{bad\n" + head + one + two, "early-line", "one|two"},
		"null content (pitfall 17)":             {head + one + `{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"assistant","content":null}}` + "\n", "", "one|"},
		"message without one (pitfall 16)":      {head + one + `{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-03T22:52:07.000Z"}` + "\n", "no-message", "one"},
		"cycle (pitfall 72)":                    {head + line("a", "b", "user", "one") + two, "cycle", "one|two"},
		"own parent (pitfall 72)":               {head + line("a", "a", "user", "one") + two, "self-parent", "one|two"},
		"missing parent (pitfall 73)":           {head + one + line("b", "gone", "assistant", "two"), "missing-parent", "two"},
		"duplicate ids (pitfall 62)":            {head + one + two + line("a", "b", "user", "three") + line("c", "a", "user", "four"), "duplicate-id", "one|two|three|four"},
		"no parentId at the root (rust)":        {head + strings.Replace(one, `"parentId":null,`, "", 1) + two, "", "one|two"},
		"opaque ids (oh-my-pi)":                 {head + line("V1St-Xr_", "", "user", "one") + line("Z5_jdHi6", "V1St-Xr_", "assistant", "two"), "", "one|two"},
		"header without a cwd (pitfall 23)":     {`{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z"}` + "\n" + one + two, "", "one|two"},
		"header larger than 1 MiB (pitfall 14)": {strings.Replace(head, `"cwd"`, `"x":"`+strings.Repeat("y", 2<<20)+`","cwd"`, 1) + one + two, "", "one|two"},
		"unknown entry (pitfall 18)":            {head + one + `{"type":"from_the_future","id":"b","parentId":"a","timestamp":"2026-02-03T22:52:07.000Z","deep":{"x":[1.50,"\ud83d"]}}` + "\n", "", "one"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := write(t, tt.text)
			s := open(t, path, pith.Options{})
			if got := codes(s); got != tt.found {
				t.Errorf("findings = %q, want %q", got, tt.found)
			}
			for _, f := range s.Findings() {
				if f.Line < 1 || f.Offset < 0 || f.Text == "" {
					t.Errorf("finding %+v has no place", f)
				}
			}
			if got := said(t, s); got != tt.said {
				t.Errorf("said = %q, want %q", got, tt.said)
			}
			s.View().Tree()
			if got := read(t, path); got != tt.text {
				t.Error("reading changed the file")
			}
			before := read(t, path)
			say(t, s, "next")
			if after := read(t, path); !strings.HasPrefix(after, before) {
				t.Error("the append changed what was there")
			}
			if got := said(t, open(t, path, pith.Options{})); !strings.HasSuffix(got, "next") {
				t.Errorf("said after an append = %q, want it to end with next", got)
			}
		})
	}
}

func TestOhMyPiTitleIsTheName(t *testing.T) {
	s := open(t, write(t, `{"type":"title","v":1,"title":"My title","pad":"  "}`+"\n"+head+line("a", "", "user", "one")), pith.Options{})
	if got := s.Name(); got != "My title" {
		t.Errorf("Name() = %q, want %q", got, "My title")
	}
}

// A pi fork of a version 1 file has a version 3 header over entries without
// IDs; so have files of other programs. They open as a chain (pitfall 99), and
// are repaired with the first write, with a backup.
func TestEntriesWithoutIDs(t *testing.T) {
	strip := func(s string) string {
		return strings.NewReplacer(`"id":"a","parentId":null,`, "", `"id":"b","parentId":"a",`, "").Replace(s)
	}
	text := head + strip(line("a", "", "user", "one")) + strip(line("b", "a", "assistant", "two"))
	path := write(t, text)
	s := open(t, path, pith.Options{})
	if got := said(t, s); got != "one|two" {
		t.Errorf("said = %q, want %q", got, "one|two")
	}
	before, _ := s.View().PathIDs(s.LeafID())
	if read(t, path) != text {
		t.Error("reading changed the file")
	}
	say(t, s, "three")
	again := open(t, path, pith.Options{})
	if got := said(t, again); got != "one|two|three" {
		t.Errorf("said after the append = %q, want %q", got, "one|two|three")
	}
	after, _ := again.View().PathIDs(again.LeafID())
	if len(after) != 3 || after[0] != before[0] || after[1] != before[1] {
		t.Errorf("ids changed from %v to %v", before, after)
	}
	backups, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.bak"))
	if len(backups) != 1 || read(t, backups[0]) != text {
		t.Errorf("backups = %v, want the old file", backups)
	}
}

// A line of 100 MB and more loads and can be appended to (pitfall 10).
func TestHugeLine(t *testing.T) {
	megabytes := 112
	if testing.Short() { // takes long with the race detector
		megabytes = 12
	}
	huge := strings.Repeat("0123456789abcdef", megabytes<<16)
	path := write(t, head+line("a", "", "user", huge)+line("b", "a", "assistant", "two"))
	s := open(t, path, pith.Options{})
	if s.View().Len() != 2 {
		t.Fatalf("Len() = %d, want 2", s.View().Len())
	}
	say(t, s, "next")
	info, err := os.Stat(path)
	if err != nil || info.Size() < int64(megabytes)<<20 {
		t.Fatalf("file is %v, %v", info, err)
	}
	if got := said(t, s); len(got) != len(huge)+len("|two|next") {
		t.Errorf("said %d bytes, want %d", len(got), len(huge)+len("|two|next"))
	}
}

// A header that Open finds is found everywhere: by the search for the most
// recent session, and for deletion (pitfalls 4, 6).
func TestHeaderAmongDamage(t *testing.T) {
	for name, text := range map[string]string{
		"behind NUL bytes":         "\x00\x00" + head + line("a", "", "user", "one"),
		"with the first entry":     strings.TrimSuffix(head, "\n") + line("a", "", "user", "one"),
		"behind a torn record":     `{"type":"session","ver` + head + line("a", "", "user", "one"),
		"behind an unread line":    "{oops\n" + head + line("a", "", "user", "one"),
		"behind a byte order mark": "\xef\xbb\xbf" + head + line("a", "", "user", "one"),
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, text)
			if got := said(t, open(t, path, pith.Options{})); got != "one" {
				t.Errorf("said = %q, want %q", got, "one")
			}
			if got, err := sessiondir.MostRecent(t.Context(), "/p", filepath.Dir(path)); got != path || err != nil {
				t.Errorf("MostRecent = %q, %v; want %q", got, err, path)
			}
			if h, err := sessiondir.HeaderOf(path); err != nil || h.Cwd != "/p" {
				t.Errorf("HeaderOf = %v, %v", h, err)
			}
		})
	}
}

// Invalid arguments are rejected before anything is written.
func TestInvalidArguments(t *testing.T) {
	s := create(t, pith.Options{})
	first := say(t, s, "one")
	before := read(t, s.File())
	for name, add := range map[string]func() (string, error){
		"no message": func() (string, error) { return s.AppendMessage(t.Context(), nil) },
		"a broken block": func() (string, error) {
			return s.AppendMessage(t.Context(), &format.User{Content: format.BlockContent(&format.UnknownBlock{Raw: []byte(`{"type":`)})})
		},
		"broken usage": func() (string, error) {
			return s.AppendUsage(t.Context(), format.UsageEntry{Usage: format.Usage{Raw: []byte(`{`)}})
		},
		"broken data": func() (string, error) { return s.AppendCustom(t.Context(), "x", []byte("}")) },
		"broken details": func() (string, error) {
			return s.BranchWithSummary(t.Context(), first, format.BranchSummary{Details: []byte("[")})
		},
	} {
		if _, err := add(); !errors.Is(err, pith.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
	if read(t, s.File()) != before || s.LeafID() != first {
		t.Error("something was written, or the leaf moved")
	}
}

// A newer version's entries do not get an older header.
func TestForkTooNew(t *testing.T) {
	path := write(t, strings.Replace(head, `"version":3`, `"version":7`, 1)+line("a", "", "user", "one"))
	if _, err := pith.ForkFrom(t.Context(), path, pith.Options{Cwd: "/q", Dir: t.TempDir()}); !errors.Is(err, pith.ErrTooNew) {
		t.Errorf("ForkFrom = %v, want ErrTooNew", err)
	}
	if _, err := open(t, path, pith.Options{}).Clone(t.Context(), "a"); !errors.Is(err, pith.ErrTooNew) {
		t.Errorf("Clone = %v, want ErrTooNew", err)
	}
}

// The places of findings are those in the file, also while it is read as if it
// were migrated.
func TestFindingsOfAnOldFile(t *testing.T) {
	old := `{"type":"session","id":"old","timestamp":"2025-11-20T23:33:50.805Z","cwd":"/p"}` + "\n"
	one := `{"type":"message","timestamp":"2025-11-20T23:33:51.000Z","message":{"role":"user","content":"one"}}` + "\n"
	text := old + one + "oops\n" + one + `{"type":"mess`
	s := open(t, write(t, text), pith.Options{})
	var got []string
	for _, f := range s.Findings() {
		got = append(got, fmt.Sprintf("%s at %q", f.Code, text[f.Offset:min(len(text), int(f.Offset)+5)]))
	}
	if want := []string{`malformed at "oops\n"`, `torn at "{\"typ"`}; !slices.Equal(got, want) {
		t.Errorf("findings = %v, want %v", got, want)
	}
	v2 := strings.Replace(head, `"version":3`, `"version":2`, 1) + line("a", "", "user", "one") + line("b", "gone", "user", "two")
	s = open(t, write(t, v2), pith.Options{})
	if f := s.Findings(); len(f) != 1 || f[0].Code != "missing-parent" || !strings.HasPrefix(v2[f[0].Offset:], line("b", "gone", "user", "two")) {
		t.Errorf("findings = %v, want the missing parent where it is", f)
	}
}
