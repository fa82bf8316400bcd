package rpcserver_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// An apiCase is a script of calls and their expected results.
type apiCase struct {
	Name   string
	Script [][]json.RawMessage
	Expect struct {
		Written  bool
		Lines    []any
		KeyOrder [][]string
		Leaf     *string
		Context  []string
	}
}

func apiCases(t *testing.T) []apiCase {
	t.Helper()
	dir := os.Getenv("PITH_VECTORS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "tests", "conformance", "testdata", "vectors")
	}
	data, err := os.ReadFile(filepath.Join(dir, "api.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []apiCase
	if err := json.Unmarshal(data, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("api.json: %d cases, %v", len(cases), err)
	}
	return cases
}

// A client that knows nothing but the RPC gets what pi's own API gives, and the
// file that comes of it is the same (pitfall 37).
func TestVectors(t *testing.T) {
	for _, tc := range apiCases(t) {
		t.Run(tc.Name, func(t *testing.T) {
			dir := t.TempDir()
			c := dial(t, rpcserver.Options{})
			s := c.open("create", []any{"/home/u/p", dir})
			ids := playScript(c, s, tc.Script)
			placeholder := func(id string) string {
				if k := slices.Index(ids, id); k >= 0 {
					return fmt.Sprintf("$%d", k)
				}
				return id
			}
			var leaf *string
			if err := json.Unmarshal(c.call("getLeafId", []any{s}), &leaf); err != nil {
				t.Fatal(err)
			}
			if leaf != nil {
				*leaf = placeholder(*leaf)
			}
			if !reflect.DeepEqual(leaf, tc.Expect.Leaf) {
				t.Errorf("leaf = %v; want %v", show(leaf), show(tc.Expect.Leaf))
			}
			if got := contextRoles(c, s); !slices.Equal(got, tc.Expect.Context) {
				t.Errorf("context = %q; want %q", got, tc.Expect.Context)
			}
			compareFile(t, c.text("getSessionFile", []any{s}), &tc, placeholder)
		})
	}
}

func show(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}

// playScript makes the calls and returns the ids of the entries that they made.
func playScript(c *client, session string, script [][]json.RawMessage) (ids []string) {
	c.t.Helper()
	for _, step := range script {
		var method string
		if err := json.Unmarshal(step[0], &method); err != nil {
			c.t.Fatal(err)
		}
		params := []any{session}
		for _, arg := range step[1:] {
			var ref struct{ Ref *int }
			if json.Unmarshal(arg, &ref) == nil && ref.Ref != nil && bytes.HasPrefix(arg, []byte(`{"ref":`)) {
				params = append(params, ids[*ref.Ref])
				continue
			}
			params = append(params, arg)
		}
		result := c.call(method, params)
		var id string
		if json.Unmarshal(result, &id) == nil && id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

func contextRoles(c *client, session string) []string {
	c.t.Helper()
	var context struct{ Messages []struct{ Role string } }
	if err := json.Unmarshal(c.call("buildSessionContext", []any{session}), &context); err != nil {
		c.t.Fatal(err)
	}
	roles := []string{}
	for _, m := range context.Messages {
		roles = append(roles, m.Role)
	}
	return roles
}

func compareFile(t *testing.T, path string, tc *apiCase, placeholder func(string) string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if !tc.Expect.Written {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("read %s: %v; want that it does not exist", path, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if len(lines) != len(tc.Expect.Lines) {
		t.Fatalf("the file has %d lines; want %d:\n%s", len(lines), len(tc.Expect.Lines), data)
	}
	for i, line := range lines {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		normalize(got, i == 0, placeholder)
		if !reflect.DeepEqual(any(got), tc.Expect.Lines[i]) {
			t.Errorf("line %d = %v\nwant %v", i+1, got, tc.Expect.Lines[i])
		}
		if keys := keysOf(t, line); !slices.Equal(keys, tc.Expect.KeyOrder[i]) {
			t.Errorf("line %d has keys %q; want %q", i+1, keys, tc.Expect.KeyOrder[i])
		}
	}
}

// normalize puts placeholders where values differ from run to run.
func normalize(line map[string]any, header bool, placeholder func(string) string) {
	line["timestamp"] = "<time>"
	if header {
		line["id"] = "<id>"
		return
	}
	for _, key := range []string{"id", "parentId", "targetId", "fromId", "firstKeptEntryId"} {
		if id, ok := line[key].(string); ok {
			line[key] = placeholder(id)
		}
	}
}

func keysOf(t *testing.T, line string) (keys []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(line))
	if _, err := d.Token(); err != nil {
		t.Fatal(err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var skip json.RawMessage
		if err := d.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}
