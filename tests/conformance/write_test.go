package conformance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
)

type migrateCase struct {
	Name   string
	File   string
	Expect []map[string]any
}

// A file of an old version is migrated on the first write and shows the same
// before it (pitfalls 34, 98).
func TestMigrationVectors(t *testing.T) {
	inEachStore(t, func(t *testing.T, k keeper) {
		for _, c := range vectors[migrateCase](t, "migrate.json") {
			t.Run(c.Name, func(t *testing.T) {
				s := k.open(t, c.File)
				before := leafPath(t, s)
				backup, err := s.Migrate(t.Context())
				if err != nil {
					t.Fatalf("Migrate: %v", err)
				}
				same(t, "lines after migration", normalIDs(linesIn(k.read(t, s.File())), c.File), c.Expect)
				if k.read(t, backup) != c.File {
					t.Errorf("backup %s is not the old file, which must be kept as it was", backup)
				}
				same(t, "ids before and after migration", leafPath(t, openPith(t, s.File(), pith.Options{ReadOnly: true, Store: k.store})), before)
			})
		}
	})
}

func fileLines(t *testing.T, path string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return linesIn(string(data))
}

func linesIn(text string) []map[string]any {
	var out []map[string]any
	for line := range strings.Lines(text) {
		var v map[string]any
		if json.Unmarshal([]byte(line), &v) == nil {
			out = append(out, v)
		}
	}
	return out
}

// normalIDs names the ids that migration gave e1, e2, … in file order. Files
// that had ids keep them.
func normalIDs(lines []map[string]any, source string) []map[string]any {
	if strings.Contains(strings.SplitN(source, "\n", 2)[0], `"version":2`) {
		return lines
	}
	names := map[any]string{}
	n := 0
	for _, l := range lines[1:] {
		n++
		names[l["id"]] = fmt.Sprintf("e%d", n)
	}
	for _, l := range lines[1:] {
		for _, key := range []string{"id", "parentId", "firstKeptEntryId", "targetId", "fromId"} {
			if name, ok := names[l[key]]; ok && l[key] != nil {
				l[key] = name
			}
		}
	}
	return lines
}

type extractCase struct {
	Name   string
	File   string
	LeafID string
	Expect struct {
		Written bool
		Lines   []map[string]any
	}
}

func TestExtractVectors(t *testing.T) {
	inEachStore(t, func(t *testing.T, k keeper) {
		for _, c := range vectors[extractCase](t, "extract.json") {
			t.Run(c.Name, func(t *testing.T) {
				s := k.open(t, c.File)
				x, err := s.Clone(t.Context(), c.LeafID)
				if err != nil {
					t.Fatalf("Clone(%q): %v", c.LeafID, err)
				}
				defer x.Close()
				if x.Written() != c.Expect.Written {
					t.Errorf("Written() = %v, want %v", x.Written(), c.Expect.Written)
				}
				got := k.lines(t, x)
				if n := len(got); n == len(c.Expect.Lines)+1 && got[n-1]["type"] == "session_info" {
					got = got[:n-1] // carries the display name over
				}
				got[0]["id"], got[0]["timestamp"] = "<id>", "<time>"
				if got[0]["parentSession"] == s.File() {
					got[0]["parentSession"] = "<source>"
				}
				nameNewLabels(got, c.File)
				same(t, "lines of the extract", got, c.Expect.Lines)
				sameContext(t, s, c.LeafID, x)
				if x.Name() != s.Name() && s.Name() != "" {
					t.Errorf("name of the extract = %q, want %q", x.Name(), s.Name()) // pitfall 130
				}
			})
		}
	})
}

// lines are header and entries of a session, as they are kept when they are.
func (k keeper) lines(t *testing.T, s *pith.Session) []map[string]any {
	t.Helper()
	if s.Written() {
		return linesIn(k.read(t, s.File()))
	}
	lines := []map[string]any{value(t, s.Header().Raw).(map[string]any)}
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, value(t, e.Head().Raw).(map[string]any))
	}
	return lines
}

// nameNewLabels names the ids of label entries that the source does not have
// new-1, new-2, … as the vectors do.
func nameNewLabels(lines []map[string]any, source string) {
	names := map[any]string{}
	for _, l := range lines[1:] {
		id, _ := l["id"].(string)
		if l["type"] == "label" && !strings.Contains(source, `"id":"`+id+`"`) {
			names[id] = fmt.Sprintf("new-%d", len(names)+1)
		}
	}
	for _, l := range lines[1:] {
		for _, key := range []string{"id", "parentId"} {
			if name, ok := names[l[key]]; ok && l[key] != nil {
				l[key] = name
			}
		}
	}
}

// sameContext holds a fork's context against its source's (pitfall 129).
func sameContext(t *testing.T, s *pith.Session, leaf string, x *pith.Session) {
	t.Helper()
	want, err := s.View().Context(leaf)
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Context()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "context of the extract", messages(t, got), messages(t, want))
}
