package format_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
)

// vectorFolder is where the conformance vectors are.
func vectorFolder() string {
	if folder := os.Getenv("PITH_VECTORS"); folder != "" {
		return folder
	}
	return filepath.Join("..", "tests", "conformance", "testdata", "vectors")
}

// readVectors reads one file of vectors. Numbers keep their text.
func readVectors[T any](t testing.TB, name string) []T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectorFolder(), name))
	if err != nil {
		t.Fatalf("vectors: %v", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var cases []T
	if err := d.Decode(&cases); err != nil {
		t.Fatalf("vectors %s: %v", name, err)
	}
	if len(cases) == 0 {
		t.Fatalf("vectors %s: no cases", name)
	}
	return cases
}

// sampleLines are lines of every kind, many of them odd.
func sampleLines(t testing.TB) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "lines.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if len(lines) < 20 {
		t.Fatalf("testdata/lines.jsonl has %d lines, want at least 20", len(lines))
	}
	return lines
}

// vectorLines are the lines of all session files in the vectors.
func vectorLines(t testing.TB) [][]byte {
	t.Helper()
	type holder struct {
		File  json.RawMessage
		Files map[string]string
	}
	var lines [][]byte
	add := func(text string) {
		for line := range strings.SplitSeq(text, "\n") {
			lines = append(lines, []byte(line))
		}
	}
	for _, name := range []string{
		"context.json", "tree.json", "extract.json", "list.json", "migrate.json", "compaction.json", "branchsummary.json",
	} {
		for _, c := range readVectors[holder](t, name) {
			var file string
			if json.Unmarshal(c.File, &file) == nil {
				add(file)
			}
			for _, text := range c.Files {
				add(text)
			}
		}
	}
	return lines
}

// parse reads JSON as a value that reflect.DeepEqual compares, numbers by text.
func parse(t testing.TB, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("parse %s: %v", text, err)
	}
	return v
}

// differences compares two values field by field and leaves out the bytes that
// decoded values keep: fields named Raw and unexported ones.
func differences(path string, got, want reflect.Value) []string {
	if got.Kind() != want.Kind() || got.IsValid() && got.Type() != want.Type() {
		return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
	}
	switch got.Kind() {
	case reflect.Pointer, reflect.Interface:
		if got.IsNil() || want.IsNil() {
			if got.IsNil() != want.IsNil() {
				return []string{fmt.Sprintf("%s: got %v, want %v", path, got, want)}
			}
			return nil
		}
		return differences(path, got.Elem(), want.Elem())
	case reflect.Struct:
		var all []string
		for i := range got.NumField() {
			f := got.Type().Field(i)
			if f.Name == "Raw" || !f.IsExported() {
				continue
			}
			all = append(all, differences(path+"."+f.Name, got.Field(i), want.Field(i))...)
		}
		return all
	case reflect.Slice:
		if got.Type().Elem().Kind() != reflect.Uint8 {
			if got.Len() != want.Len() {
				return []string{fmt.Sprintf("%s: got %d elements, want %d", path, got.Len(), want.Len())}
			}
			var all []string
			for i := range got.Len() {
				all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), got.Index(i), want.Index(i))...)
			}
			return all
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			return []string{fmt.Sprintf("%s: got %q, want %q", path, got.Bytes(), want.Bytes())}
		}
		return nil
	default:
		if !got.Equal(want) {
			return []string{fmt.Sprintf("%s: got %#v, want %#v", path, got, want)}
		}
		return nil
	}
}

func compareValues(t *testing.T, call string, got, want any) {
	t.Helper()
	for _, d := range differences("", reflect.ValueOf(got), reflect.ValueOf(want)) {
		t.Errorf("%s%s", call, d)
	}
}

// rebuilt returns an entry without its bytes, so that it is encoded again. The
// message of an entry keeps its own bytes.
func rebuilt(t testing.TB, line []byte) format.Entry {
	t.Helper()
	e, err := format.DecodeEntry(line)
	if err != nil {
		t.Fatalf("DecodeEntry(%s): %v", line, err)
	}
	e.Head().Raw = nil
	return e
}

func ref[T any](v T) *T { return &v }
