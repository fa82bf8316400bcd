package format_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
)

// Decoding never panics, and the line comes back: byte for byte, or on one line
// where it had several.
func FuzzDecodeEntry(f *testing.F) {
	for _, line := range sampleLines(f) {
		f.Add(line)
	}
	for _, tt := range entryLines {
		f.Add([]byte(tt.line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := format.DecodeEntry(line)
		if err != nil {
			if e != nil {
				t.Errorf("DecodeEntry(%q) = %v with the error %v", line, e, err)
			}
			return
		}
		got := format.AppendEntry(nil, e)
		if bytes.IndexByte(line, '\n') < 0 && !bytes.Equal(got, line) {
			t.Errorf("AppendEntry(DecodeEntry(%q)) = %q", line, got)
		}
		e.Head().Raw = nil
		checkLine(t, format.AppendEntry(nil, e))
		if m, ok := e.(*format.MessageEntry); ok {
			checkLine(t, format.AppendEntry(nil, &format.MessageEntry{Message: format.WithContent(m.Message, format.TextContent("x"))}))
		}
	})
}

// checkLine fails for what must not be written to a session file.
func checkLine(t *testing.T, line []byte) {
	t.Helper()
	if bytes.IndexByte(line, '\n') >= 0 {
		t.Errorf("written line holds a line feed: %q", line)
	}
	if _, err := format.DecodeEntry(line); err != nil {
		t.Errorf("written line %q does not read back: %v", line, err)
	}
}

// addedKeys are the members that a migration may add, replace or remove.
var addedKeys = map[string]bool{"id": true, "parentId": true, "firstKeptEntryIndex": true, "firstKeptEntryId": true, "version": true, "message": true}

// A migrated line is valid, keeps the bytes of every member that is not its
// business, and is not changed by a second migration.
func FuzzMigrator(f *testing.F) {
	for i, line := range sampleLines(f) {
		f.Add(line, []byte(`{"type":"message"}`), byte(i%4))
	}
	f.Add([]byte(`{"type":"compaction","firstKeptEntryIndex":1}`), []byte(`{"type":"compaction","firstKeptEntryIndex":2,"x":[ 1.0 ]}`), byte(1))
	f.Add([]byte(`{"type":"session"}`), []byte(`{"id":"a","message":{"role":"hookMessage"},"type":"message"}`), byte(2))
	f.Fuzz(func(t *testing.T, first, second []byte, version byte) {
		h := &format.Header{ID: "s", Version: int(version%5) + 1}
		lines := [][]byte{first, second}
		once := migrateLines(h, lines)
		for i := range lines {
			checkMigrated(t, lines[i], once[i])
		}
		for i, again := range migrateLines(&format.Header{ID: "s", Version: max(h.Version, format.Version)}, once) {
			if !bytes.Equal(again, once[i]) {
				t.Errorf("second migration of %q = %q", once[i], again)
			}
		}
	})
}

func migrateLines(h *format.Header, lines [][]byte) [][]byte {
	m := format.NewMigrator(h, nil)
	m.Header([]byte(`{"type":"session","id":"s"}`))
	var out [][]byte
	for _, line := range lines {
		out = append(out, m.Entry(line))
	}
	return out
}

func checkMigrated(t *testing.T, before, after []byte) {
	t.Helper()
	if _, err := format.DecodeEntry(before); err != nil {
		if !bytes.Equal(before, after) {
			t.Errorf("Entry changed a line that is no object: %q to %q", before, after)
		}
		return
	}
	if _, err := format.DecodeEntry(after); err != nil {
		t.Errorf("Entry(%q) = %q, which does not read: %v", before, after, err)
	}
	if !json.Valid(before) { // the reference decoder refuses bytes that are not UTF-8
		return
	}
	old, migrated := otherMembers(t, before), otherMembers(t, after)
	if strings.Join(old, "\n") != strings.Join(migrated, "\n") {
		t.Errorf("Entry(%q) = %q: other members changed from %q to %q", before, after, old, migrated)
	}
}

// otherMembers lists names and raw values of the members that a migration leaves
// alone, duplicates included.
func otherMembers(t *testing.T, line []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(line))
	if _, err := d.Token(); err != nil {
		t.Fatalf("members of %q: %v", line, err)
	}
	var members []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatalf("members of %q: %v", line, err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatalf("members of %q: %v", line, err)
		}
		if !addedKeys[key.(string)] {
			members = append(members, key.(string)+"="+string(value))
		}
	}
	return members
}

func FuzzParseTime(f *testing.F) {
	for _, s := range []string{"2026-02-03T22:52:06.410Z", "2026", "+275760-09-13T00:00:00.000Z", "2026-02-03 22:52", "-000001-01-01"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := format.ParseTime(s)
		if !ok {
			return
		}
		again, ok := format.ParseTime(format.FormatTime(at))
		if !ok || !again.Equal(at) {
			t.Errorf("ParseTime(FormatTime(ParseTime(%q))) = %v, %v, want %v", s, again, ok, at)
		}
	})
}
