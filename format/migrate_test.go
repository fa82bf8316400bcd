package format_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
)

// numberedIDs names entries e1, e2, ... by position, as the vectors do.
func numberedIDs(_ []byte, index int) string { return fmt.Sprintf("e%d", index) }

// migrateFile runs the text of a file through a Migrator. Blank lines are left out.
func migrateFile(t testing.TB, text string, newID func([]byte, int) string) [][]byte {
	t.Helper()
	var m *format.Migrator
	var out [][]byte
	for raw := range strings.SplitSeq(text, "\n") {
		line := []byte(raw)
		switch {
		case raw == "":
		case m == nil:
			h, err := format.DecodeHeader(line)
			if err != nil {
				t.Fatalf("DecodeHeader(%s): %v", line, err)
			}
			m = format.NewMigrator(h, newID)
			out = append(out, m.Header(line))
		default:
			out = append(out, m.Entry(line))
		}
	}
	return out
}

func TestMigrateVectors(t *testing.T) { // pitfall 98
	type vector struct {
		Name, File string
		Expect     []json.RawMessage
	}
	for _, c := range readVectors[vector](t, "migrate.json") {
		t.Run(c.Name, func(t *testing.T) {
			got := migrateFile(t, c.File, numberedIDs)
			if len(got) != len(c.Expect) {
				t.Fatalf("migrated file has %d lines, want %d", len(got), len(c.Expect))
			}
			for i, want := range c.Expect {
				if !reflect.DeepEqual(parse(t, got[i]), parse(t, want)) {
					t.Errorf("line %d = %s\nwant %s", i+1, got[i], want)
				}
				if g, w := keyOrder(t, got[i]), keyOrder(t, want); !reflect.DeepEqual(g, w) {
					t.Errorf("line %d has the keys %v, want %v", i+1, g, w)
				}
			}
		})
	}
}

// keyOrder lists the names of an object's members in their order.
func keyOrder(t testing.TB, text []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		t.Fatalf("keys of %s: %v", text, err)
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatalf("keys of %s: %v", text, err)
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatalf("keys of %s: %v", text, err)
		}
	}
	return keys
}

func TestMigrate(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"version 1": {
			`{"type":"session","id":"s"}
{ "type":"message", "message":{"role":"user","content":"a \ud83d","x":1.0} }
{"type":"compaction","summary":"s","firstKeptEntryIndex":1,"tokensBefore":1e2}`,
			`{"type":"session","id":"s","version":3}
{ "type":"message", "message":{"role":"user","content":"a \ud83d","x":1.0},"id":"e1","parentId":null }
{"type":"compaction","summary":"s","tokensBefore":1e2,"id":"e2","parentId":"e1","firstKeptEntryId":"e1"}`,
		},
		"index of itself keeps none": {
			`{"type":"session","id":"s"}
{"type":"compaction","firstKeptEntryIndex":1}`,
			`{"type":"session","id":"s","version":3}
{"type":"compaction","id":"e1","parentId":null,"firstKeptEntryId":"e1"}`,
		},
		"index of nothing goes": {
			`{"type":"session","id":"s"}
{"type":"compaction","firstKeptEntryIndex":0}
{"type":"compaction","firstKeptEntryIndex":9}
{"type":"compaction","firstKeptEntryIndex":-1}
{"type":"compaction","firstKeptEntryIndex":1.5}
{"type":"compaction","firstKeptEntryIndex":"1"}`,
			`{"type":"session","id":"s","version":3}
{"type":"compaction","id":"e1","parentId":null}
{"type":"compaction","id":"e2","parentId":"e1"}
{"type":"compaction","id":"e3","parentId":"e2"}
{"type":"compaction","id":"e4","parentId":"e3"}
{"type":"compaction","firstKeptEntryIndex":"1","id":"e5","parentId":"e4"}`,
		},
		"index just behind itself goes": {
			`{"type":"session","id":"s"}
{"type":"compaction","firstKeptEntryIndex":2}`,
			`{"type":"session","id":"s","version":3}
{"type":"compaction","id":"e1","parentId":null}`,
		},
		"malformed lines stay and do not count": { // pitfall 5
			`{"type":"session","id":"s"}
{"type":"message","message":{"role":"us
{"type":"message"}
{"type":"compaction","firstKeptEntryIndex":1}`,
			`{"type":"session","id":"s","version":3}
{"type":"message","message":{"role":"us
{"type":"message","id":"e1","parentId":null}
{"type":"compaction","id":"e2","parentId":"e1","firstKeptEntryId":"e1"}`,
		},
		"what is no entry stays and counts": { // pitfall 16
			`{"type":"session","id":"s"}
[1]
{"no":"type"}
{"type":"message"}
{"type":"compaction","firstKeptEntryIndex":3}
{"type":"compaction","firstKeptEntryIndex":2}`,
			`{"type":"session","id":"s","version":3}
[1]
{"no":"type"}
{"type":"message","id":"e3","parentId":null}
{"type":"compaction","id":"e4","parentId":"e3","firstKeptEntryId":"e3"}
{"type":"compaction","id":"e5","parentId":"e4"}`,
		},
		"second header": { // pitfall 15
			`{"type":"session","id":"s"}
{"type":"message"}
{"type":"session","id":"old"}
{"type":"message"}
{"type":"compaction","firstKeptEntryIndex":3}`,
			`{"type":"session","id":"s","version":3}
{"type":"message","id":"e1","parentId":null}
{"type":"session","id":"old","version":3}
{"type":"message","id":"e3","parentId":"e1"}
{"type":"compaction","id":"e4","parentId":"e3","firstKeptEntryId":"e3"}`,
		},
		"ids of version 1 are kept": {
			`{"type":"session","version":1,"id":"s"}
{"type":"message","id":"x","parentId":null}
{"type":"message","id":"y"}
{"type":"message","id":"z","parentId":"x"}
{"type":"message"}`,
			`{"type":"session","version":3,"id":"s"}
{"type":"message","id":"x","parentId":null}
{"type":"message","id":"y","parentId":"x"}
{"type":"message","id":"z","parentId":"x"}
{"type":"message","id":"e4","parentId":"z"}`,
		},
		"version 2": {
			`{"type":"session", "version": 2 ,"id":"s","extra":1.50}
{"type":"message","id":"a","parentId":null,"message":{"content":"hookMessage","role":"hookMessage", "n":1.0}}
{"type":"custom_message","id":"b","parentId":"a","role":"hookMessage"}
{"type":"message","id":"c","message":{"role":"user"}}`,
			`{"type":"session", "version": 3 ,"id":"s","extra":1.50}
{"type":"message","id":"a","parentId":null,"message":{"content":"hookMessage","role":"custom", "n":1.0}}
{"type":"custom_message","id":"b","parentId":"a","role":"hookMessage"}
{"type":"message","id":"c","message":{"role":"user"}}`,
		},
		"version 3 copy of a version 1 file": { // pitfall 99
			`{"type":"session","version":3,"id":"s","parentSession":"/old.jsonl"}
{"type":"message","message":{"role":"hookMessage"}}
{"type":"compaction","firstKeptEntryIndex":1}
{"type":"message","id":"a","parentId":null}
{"type":"message"}`,
			`{"type":"session","version":3,"id":"s","parentSession":"/old.jsonl"}
{"type":"message","message":{"role":"custom"},"id":"e1","parentId":null}
{"type":"compaction","id":"e2","parentId":"e1","firstKeptEntryId":"e1"}
{"type":"message","id":"a","parentId":null}
{"type":"message","id":"e4","parentId":"a"}`,
		},
		"pi_agent_rust": {
			`{"type":"session","version":3,"id":"s"}
{"type":"message","id":"a","message":{"role":"user"}}
{"type":"message","id":"b","parentId":"a"}
{"type":"message","parentId":"a"}`,
			`{"type":"session","version":3,"id":"s"}
{"type":"message","id":"a","message":{"role":"user"}}
{"type":"message","id":"b","parentId":"a"}
{"type":"message","parentId":"a","id":"e3"}`,
		},
		"newer version is left alone": {
			`{"type":"session","version":9,"id":"s"}
{"type":"message","id":"a","parentId":null}`,
			`{"type":"session","version":9,"id":"s"}
{"type":"message","id":"a","parentId":null}`,
		},
		"byte order mark": {
			"\ufeff" + `{"type":"session","id":"s"}`,
			`{"type":"session","id":"s","version":3}`,
		},
		"title slot": {
			`{"type":"session","version":3,"id":"s"}
{"type":"title","v":1,"title":"t"}
{"type":"message"}`,
			`{"type":"session","version":3,"id":"s"}
{"type":"title","v":1,"title":"t"}
{"type":"message","id":"e1","parentId":null}`,
		},
		"CRLF": {
			"{\"type\":\"session\",\"id\":\"s\"}\r\n{\"type\":\"message\"}\r",
			"{\"type\":\"session\",\"id\":\"s\",\"version\":3}\r\n{\"type\":\"message\",\"id\":\"e1\",\"parentId\":null}\r",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := string(bytes.Join(migrateFile(t, tt.in, numberedIDs), []byte("\n")))
			if got != tt.want {
				t.Errorf("migrated:\n%s\nwant:\n%s", got, tt.want)
			}
			again := string(bytes.Join(migrateFile(t, got, numberedIDs), []byte("\n")))
			if again != got {
				t.Errorf("migrated a second time:\n%s\nwant no change:\n%s", again, got)
			}
		})
	}
}

// An old file shows the same ids each time, before and after it is migrated.
func TestMigrateStableIDs(t *testing.T) {
	const text = `{"type":"session","id":"s"}
{"type":"message","message":{"role":"user","content":"same"}}
{"type":"message","message":{"role":"user","content":"same"}}`
	first := migrateFile(t, text, nil)
	second := migrateFile(t, text, nil)
	if !reflect.DeepEqual(first, second) {
		t.Errorf("two migrations differ:\n%s\n%s", first, second)
	}
	a, b := rebuilt(t, first[1]).Head(), rebuilt(t, first[2]).Head()
	if a.ID == b.ID || b.ParentID != a.ID {
		t.Errorf("ids of equal lines: %q and %q with parent %q, want different ids in a chain", a.ID, b.ID, b.ParentID)
	}
	third := migrateFile(t, string(bytes.Join(first, []byte("\n"))), nil)
	if !reflect.DeepEqual(first, third) {
		t.Errorf("migration of a migrated file changed it:\n%s\n%s", first, third)
	}
}

func TestMigratorSkip(t *testing.T) {
	m := format.NewMigrator(&format.Header{Version: 1, ID: "s"}, numberedIDs)
	m.Header([]byte(`{"type":"session","id":"s"}`))
	m.Skip()
	m.Entry([]byte(`{"type":"message"}`))
	got := m.Entry([]byte(`{"type":"compaction","firstKeptEntryIndex":2}`))
	if want := `{"type":"compaction","id":"e3","parentId":"e2","firstKeptEntryId":"e2"}`; string(got) != want {
		t.Errorf("Entry after Skip = %s, want %s", got, want)
	}
}
