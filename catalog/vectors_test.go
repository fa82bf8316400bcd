package catalog_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
)

// readVectors reads a file of conformance vectors. PITH_VECTORS names another
// directory of them.
func readVectors(t *testing.T, file string, into any) {
	t.Helper()
	dir := os.Getenv("PITH_VECTORS")
	if dir == "" {
		dir = filepath.Join("..", "tests", "conformance", "testdata", "vectors")
	}
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// listed are the facts that the vectors hold.
type listed struct {
	File              string  `json:"file"`
	ID                string  `json:"id"`
	Cwd               string  `json:"cwd"`
	Name              *string `json:"name"`
	ParentSessionPath *string `json:"parentSessionPath"`
	Created           string  `json:"created"`
	Modified          string  `json:"modified"`
	MessageCount      int     `json:"messageCount"`
	FirstMessage      string  `json:"firstMessage"`
	AllMessagesText   string  `json:"allMessagesText"`
}

func asListed(i catalog.Info) listed {
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return listed{
		filepath.Base(i.Path), i.ID, i.Cwd, optional(i.Name), optional(i.ParentSession),
		format.FormatTime(i.Created), format.FormatTime(i.Modified), i.MessageCount, i.FirstMessage, i.Text,
	}
}

func TestListVectors(t *testing.T) {
	var cases []struct {
		Name   string
		Files  map[string]string
		Expect []listed
	}
	readVectors(t, "list.json", &cases)
	if len(cases) == 0 {
		t.Fatal("list.json has no cases")
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.Files {
				write(t, filepath.Join(dir, name), text)
			}
			infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Dir: dir, Text: true}))
			if err != nil {
				t.Fatalf("ListAll = %v", err)
			}
			var got []listed
			for _, i := range infos {
				got = append(got, asListed(i))
			}
			slices.SortFunc(got, func(a, b listed) int { return cmp.Compare(a.File, b.File) })
			if g, w := asJSON(t, got), asJSON(t, c.Expect); g != w {
				t.Errorf("ListAll = %s\nwant %s", g, w)
			}
		})
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A file of an old version has the facts of its migrated form.
func TestOldVersionsHaveTheSameFacts(t *testing.T) {
	var cases []struct {
		Name   string
		File   string
		Expect []json.RawMessage
	}
	readVectors(t, "migrate.json", &cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			var migrated bytes.Buffer
			for _, line := range c.Expect {
				if err := json.Compact(&migrated, line); err != nil {
					t.Fatal(err)
				}
				migrated.WriteByte('\n')
			}
			old := readText(t, c.File)
			now := readText(t, migrated.String())
			if old.Version >= format.Version || now.Version != format.Version {
				t.Errorf("versions %d and %d, want one below %d and %d", old.Version, now.Version, format.Version, format.Version)
			}
			if g, w := asJSON(t, asListed(old)), asJSON(t, asListed(now)); g != w || old.Entries != now.Entries {
				t.Errorf("facts before migration %s (%d entries)\nafter %s (%d entries)", g, old.Entries, w, now.Entries)
			}
		})
	}
}

// readText reads the facts of a session file with this text.
func readText(t testing.TB, text string) catalog.Info {
	t.Helper()
	info, err := readInfo(write(t, filepath.Join(t.TempDir(), "s.jsonl"), text), true)
	if err != nil {
		t.Fatalf("ReadInfo(%.200q) = %v", text, err)
	}
	return info
}

func TestProjectFolderVectors(t *testing.T) {
	var cases []struct{ Cwd, Expect string }
	readVectors(t, "cwd.json", &cases)
	for _, c := range cases {
		o := isolated(t, nil)
		write(t, filepath.Join(o.Home, ".pi", "agent", "sessions", c.Expect, "s.jsonl"), simple("it", c.Cwd, 1))
		if got, err := catalog.Sorted(catalog.List(t.Context(), c.Cwd, o)); err != nil || ids(got) != "it" {
			t.Errorf("List(%q) = %q, %v; want the session in the folder %s", c.Cwd, ids(got), err, c.Expect)
		}
	}
}
