package rpcserver_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// chain is a session whose entries hang one under the other.
func chain(n int) string {
	var b strings.Builder
	b.WriteString(aHeader)
	parent := "null"
	for i := range n {
		fmt.Fprintf(&b, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-02-03T22:52:06.410Z","message":{"role":"user","content":"%d"}}`+"\n", i, parent, i)
		parent = fmt.Sprintf(`"%08x"`, i)
	}
	return b.String()
}

// manyEntries is how many entries a tree has that is deep or wide.
func manyEntries() int {
	if testing.Short() {
		return 5000
	}
	return 100_000
}

// pitfall 74
func TestDeepTree(t *testing.T) {
	depth := manyEntries()
	path := write(t, t.TempDir(), "x.jsonl", chain(depth))
	c := dial(t, rpcserver.Options{})
	c.open("open", with{"path": path})
	tree := c.call("getTree", []any{"s1"})
	if !jsonl.Valid(tree) || strings.Count(string(tree), `"children":[`) != depth {
		t.Fatalf("getTree returned %d bytes with %d nodes; want valid JSON with %d", len(tree), strings.Count(string(tree), `"children":[`), depth)
	}
	if tail := strings.Repeat("]}", depth) + "]"; !strings.HasSuffix(string(tree), `"children":[`+tail) {
		t.Errorf("getTree ends with %q; want %d closed levels", tree[len(tree)-100:], depth)
	}
	if n := len(entryIDs(t, c.call("getBranch", []any{"s1"}))); n != depth {
		t.Errorf("getBranch has %d entries; want %d", n, depth)
	}
}

// pitfall 74
func TestWideTree(t *testing.T) {
	width := manyEntries()
	var b strings.Builder
	b.WriteString(aHeader + anEntry)
	for i := range width {
		fmt.Fprintf(&b, `{"type":"custom","id":"%08x","parentId":"e1","timestamp":"2026-02-03T22:52:06.410Z"}`+"\n", i)
	}
	c := dial(t, rpcserver.Options{})
	c.open("open", with{"path": write(t, t.TempDir(), "x.jsonl", b.String())})
	var roots []treeNode
	if err := json.Unmarshal(c.call("getTree", []any{"s1"}), &roots); err != nil || len(roots) != 1 || len(roots[0].Children) != width {
		t.Errorf("getTree has %d roots (%v); want 1 with %d children", len(roots), err, width)
	}
	if n := len(entryIDs(t, c.call("getChildren", []any{"s1", "e1"}))); n != width {
		t.Errorf("getChildren has %d entries; want %d", n, width)
	}
}

// A treeNode is a node of a tree as a client reads it.
type treeNode struct {
	Entry    struct{ ID, Note string }
	Label    string
	Children []treeNode
}

func (n treeNode) String() string {
	s := n.Entry.ID + n.Entry.Note
	if n.Label != "" {
		s += "=" + n.Label
	}
	if len(n.Children) > 0 {
		s += fmt.Sprint(n.Children)
	}
	return s
}

func TestTreeShapes(t *testing.T) {
	entry := func(id, parent, more string) string {
		if parent != "null" {
			parent = `"` + parent + `"`
		}
		return fmt.Sprintf(`{"type":"custom","id":%q,"parentId":%s,"timestamp":"2026-02-03T22:52:06.410Z"%s}`+"\n", id, parent, more)
	}
	tests := map[string]struct{ file, want string }{
		"branches and roots": {entry("a", "null", "") + entry("b", "a", "") + entry("c", "a", "") + entry("d", "b", "") + entry("e", "null", ""),
			"[a[b[d] c] e]"},
		"label": {entry("a", "null", "") + `{"type":"label","id":"l","parentId":"a","timestamp":"2026-02-03T22:52:06.410Z","targetId":"a","label":"here"}` + "\n", "[a=here[l]]"},
		"one id three times": {entry("a", "null", `,"note":"1"`) + entry("a", "gone", `,"note":"2"`) + entry("b", "null", "") + entry("a", "b", `,"note":"3"`),
			"[a1 a2 b[a3]]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := write(t, t.TempDir(), "x.jsonl", aHeader+tt.file)
			c := dial(t, rpcserver.Options{})
			c.open("open", with{"path": path})
			var roots []treeNode
			if err := json.Unmarshal(c.call("getTree", []any{"s1"}), &roots); err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(roots); got != tt.want {
				t.Errorf("getTree = %s; want %s", got, tt.want)
			}
		})
	}
}
