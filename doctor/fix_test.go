package doctor_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
	"github.com/pith-sessions/pith/tests/plainuser"
)

// message is a line with a user's message.
func message(id, parent string) string {
	p := "null"
	if parent != "" {
		p = `"` + parent + `"`
	}
	return `{"type":"message","id":"` + id + `","parentId":` + p + `,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"` + id + `"}}`
}

// calling is a line with an answer that calls tools.
func calling(id, parent string, callIDs ...string) string {
	var blocks []string
	for _, callID := range callIDs {
		blocks = append(blocks, `{"type":"toolCall","id":"`+callID+`","name":"read","arguments":{}}`)
	}
	return strings.Replace(message(id, parent), `{"role":"user","content":"`+id+`"}`,
		`{"role":"assistant","content":[`+strings.Join(blocks, ",")+`],"stopReason":"toolUse"}`, 1)
}

// answering is a line with the result of a call.
func answering(id, parent, callID string) string {
	return strings.Replace(message(id, parent), `{"role":"user"`, `{"role":"toolResult","toolCallId":"`+callID+`","toolName":"read"`, 1)
}

func session(lines ...string) []byte { return []byte(head + strings.Join(lines, "\n") + "\n") }

// Where a repair hangs entries that were cut off, and what it does to those that
// share an id.
func TestPathsAfterRepair(t *testing.T) {
	torn := func(line string) string { return line[:len(line)-10] }
	tests := map[string]struct {
		lines []string
		want  string // the path to the leaf; ids that the repair made are written ?
	}{
		"lost parent, known from its torn line": {
			[]string{message("a", ""), message("b", "a"), message("x", "a"), torn(message("y", "x")), message("z", "y")}, "a x z",
		},
		"lost parents in a row": {
			[]string{message("a", ""), torn(message("b", "a")), torn(message("c", "b")), message("d", "c")}, "a d",
		},
		"lost parent, not known":  {[]string{message("a", ""), message("b", "a"), message("d", "gone")}, "a b d"},
		"lost beginning":          {[]string{message("q", ""), torn(message("a", "")), message("b", "a")}, "b"},
		"first entry cut off":     {[]string{message("a", "gone"), message("b", "a")}, "a b"},
		"own parent":              {[]string{message("a", ""), message("b", "b"), message("c", "b")}, "a b c"},
		"circle":                  {[]string{message("a", ""), message("b", "c"), message("c", "b"), message("d", "c")}, "a b c d"},
		"everything in a circle":  {[]string{message("a", "b"), message("b", "a")}, "a b"},
		"same id twice":           {[]string{message("a", ""), message("b", "a"), message("b", "a"), message("c", "b")}, "a b c"},
		"same id above itself":    {[]string{message("a", ""), message("b", "a"), message("a", "b"), message("c", "a")}, "? b a c"},
		"child of the first":      {[]string{message("a", ""), message("b", "a"), message("c", "b"), message("b", "c"), message("d", "b")}, "a ? c b d"},
		"parent comes later":      {[]string{message("b", "a"), message("a", ""), message("c", "b")}, "a b c"},
		"orphan before its heir":  {[]string{message("b", "a"), message("a", "gone"), message("c", "b")}, "a b c"},
		"result of a lost parent": {[]string{calling("b", "", "1"), answering("r", "gone", "1"), message("c", "r")}, "b r c"},
		"stray result":            {[]string{message("a", ""), answering("r", "a", "1"), message("c", "r")}, "a r c"},
		"open call":               {[]string{message("a", ""), calling("b", "a", "1"), message("c", "b")}, "a b c"},
		"stale name": {
			[]string{message("a", ""), message("b", "a"), `{"type":"session_info","id":"n","parentId":"a","timestamp":"2026-02-03T10:00:01.000Z","name":"x"}`}, "a n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { wantPath(t, tt.lines, tt.want) })
	}
}

// wantPath repairs a session and compares the path to its leaf.
func wantPath(t *testing.T, lines []string, want string) {
	t.Helper()
	path := write(t, "", session(lines...), 0)
	if _, err := doctor.Fix(t.Context(), path, quiet); err != nil {
		t.Fatal(err)
	}
	s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids, err := s.View().PathIDs(s.LeafID())
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if len(id) == 8 {
			ids[i] = "?"
		}
	}
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("path after Fix = %s, want %s; the file is\n%s", got, want, readFile(t, path))
	}
}

// A meddler is a store in which another program appends at the worst moment.
type meddler struct {
	*memstore.Store
	line string
}

func (m meddler) Replace(ctx context.Context, old store.Log, size int64, fill store.Fill, backup string) (store.Log, error) {
	if _, err := old.Append(ctx, size, []byte(m.line)); err != nil {
		return nil, err
	}
	return m.Store.Replace(ctx, old, size, fill, backup)
}

func TestAnotherProgramAppends(t *testing.T) {
	m := meddler{memstore.New(), message("d", "c") + "\n"}
	name := filepath.Join(t.TempDir(), "s.jsonl")
	data := session(message("a", ""), message("b", "gone"))
	if _, err := m.Create(t.Context(), name, store.Bytes(data)); err != nil {
		t.Fatal(err)
	}
	o := quiet
	o.Store = m
	if _, err := doctor.Fix(t.Context(), name, o); !errors.Is(err, store.ErrConflict) {
		t.Errorf("Fix = %v, want a conflict", err)
	}
	d := damaged{t: t, opt: o}
	if got := d.read(name); string(got) != string(data)+m.line {
		t.Errorf("the file is %q; want it as the other program left it", got)
	}
}

func TestReadOnlyFile(t *testing.T) {
	if plainuser.Needed(t) {
		return
	}
	data := session(message("a", ""), message("b", "gone"))
	path := write(t, "", data, 0o400)
	if _, err := doctor.Fix(t.Context(), path, quiet); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("Fix = %v, want that it is read-only", err)
	}
	if !bytes.Equal(readFile(t, path), data) {
		t.Error("the file changed")
	}
}

// Repairing a second time does not overwrite what the first one kept.
func TestBackupsAreKept(t *testing.T) {
	data := session(message("a", ""), message("b", "gone"))
	path := write(t, "", data, 0)
	first, err := doctor.Fix(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	more := append(readFile(t, path), "{\n"...)
	if err := os.WriteFile(path, more, 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := doctor.Fix(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if first.Backup == second.Backup || !bytes.Equal(readFile(t, first.Backup), data) || !bytes.Equal(readFile(t, second.Backup), more) {
		t.Errorf("backups %s and %s; want both former files", first.Backup, second.Backup)
	}
}

// Only limits what is found and what is changed.
func TestOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	data := session(message("a", ""), message("b", "gone"), "junk")
	path := write(t, "", data, 0o644)
	o := quiet
	o.Only = []doctor.Code{doctor.OpenToOthers}
	out, err := doctor.Fix(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Before.Findings) != 1 || out.Backup != "" || !bytes.Equal(readFile(t, path), data) {
		t.Errorf("Fix = %+v; want the mode alone to change", out)
	}
	o.Only = []doctor.Code{doctor.MissingParent}
	if _, err = doctor.Fix(t.Context(), path, o); err != nil {
		t.Fatal(err)
	}
	if got, want := readFile(t, path), session(message("a", ""), message("b", "a"), "junk"); !bytes.Equal(got, want) {
		t.Errorf("Fix gave %s; want %s", got, want)
	}
}

// Only messages have the role of a hook, whatever another entry holds: the file is
// migrated and repaired all the same.
func TestFixOldEntryWithAMessage(t *testing.T) {
	old := `{"type":"session","id":"s","timestamp":"2025-11-11T20:00:00.000Z","cwd":"/p"}` + "\n" +
		`{"type":"message","timestamp":"2025-11-11T20:00:01.000Z","message":{"role":"hookMessage","content":"x"}}` + "\n" +
		`{"type":"odd","timestamp":"2025-11-11T20:00:02.000Z","message":{"role":"hookMessage","content":"x"}}` + "\njunk\n"
	got := string(fix(t, []byte(old), quiet))
	if strings.Contains(got, "junk") || !strings.Contains(got, `"version":3`) || strings.Count(got, `"role":"hookMessage"`) != 1 {
		t.Errorf("Fix gave %s", got)
	}
}

func TestPreviewShowsLines(t *testing.T) {
	path := write(t, "", session(message("a", ""), "junk", message("b", "gone")+message("c", "b")), 0)
	out, err := doctor.Preview(t.Context(), path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range out.Hunks {
		for _, l := range h.Old {
			got = append(got, "-"+string(l))
		}
		for _, l := range h.New {
			got = append(got, "+"+string(l))
		}
	}
	want := []string{"-junk\n", "-" + message("b", "gone") + message("c", "b") + "\n", "+" + message("b", "a") + "\n", "+" + message("c", "b") + "\n"}
	if !slices.Equal(got, want) {
		t.Errorf("Preview shows %q; want %q", got, want)
	}
	if _, err := os.Stat(path + ".old.bak"); !os.IsNotExist(err) {
		t.Errorf("Preview left something: %v", err)
	}
}

// Leftovers of a crash are found once, and links to parent directories do not
// cause a loop.
func TestLeftoversBehindLinks(t *testing.T) {
	dir := t.TempDir()
	artifacts := filepath.Join(dir, "--p--", "2026-02-03T22-52-06-410Z_s1")
	if err := errors.Join(os.MkdirAll(artifacts, 0o700), os.WriteFile(filepath.Join(artifacts, ".pith-tmp-X"), []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(artifacts, "2026-02-03T22-52-06-410Z_s2")); err != nil {
		t.Skip(err) // not everybody may make links
	}
	if left := doctor.Leftovers(t.Context(), dir, quiet); len(left) != 1 {
		t.Errorf("Leftovers = %d; want 1", len(left))
	}
}

// Files finds files with session names, damaged or not, one directory deep.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.jsonl", "a.jsonl.old.bak", "notes.txt", "--p--/b.jsonl", "--p--/deep/c.jsonl", ".pith-tmp-X"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	files, err := doctor.Files(t.Context(), dir)
	if want := []string{filepath.Join(dir, "--p--", "b.jsonl"), filepath.Join(dir, "a.jsonl")}; err != nil || !slices.Equal(files, want) {
		t.Errorf("Files = %v, %v; want %v", files, err, want)
	}
	left := doctor.Leftovers(t.Context(), dir, quiet)
	if len(left) != 1 || filepath.Base(left[0].File) != ".pith-tmp-X" {
		t.Fatalf("Leftovers = %v; want the one that a crash left", left)
	}
	if err := doctor.RemoveLeftover(left[0].File); err != nil {
		t.Fatal(err)
	}
	if again := doctor.Leftovers(t.Context(), dir, quiet); len(again) != 0 {
		t.Errorf("Leftovers after removing it = %v", again)
	}
}
