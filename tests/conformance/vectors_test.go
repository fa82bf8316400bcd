package conformance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// vectors reads the cases of one file. No cases is a failure: a conformance
// test without vectors tests nothing.
func vectors[T any](t *testing.T, name string) []T {
	t.Helper()
	dir := os.Getenv("PITH_VECTORS")
	if dir == "" {
		dir = filepath.Join("testdata", "vectors")
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatalf("read vectors: %v", err)
	}
	var cases []T
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatalf("vectors %s: %v", name, err)
	}
	if len(cases) == 0 {
		t.Fatalf("vectors %s: no cases", name)
	}
	return cases
}

// value decodes JSON for comparing: as values, key order free.
func value(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("not JSON: %v: %.200s", err, raw)
	}
	return v
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(want, got))
	}
}
