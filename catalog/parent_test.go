package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/catalog"
)

const (
	parentID   = "0195aaaa-1111-7000-8000-000000000001"
	parentFile = "2026-02-03T10-00-00-000Z_" + parentID + ".jsonl"
)

// pitfall 134: a parent is found by its path, and by its id when it was moved.
func TestParent(t *testing.T) {
	tests := map[string]struct {
		ref   string              // ROOT is replaced by the directory of pi's sessions
		files map[string][]string // below the directory of pi's sessions: ID and project
		want  string              // file of the parent, below the same directory
	}{
		"where it was": {
			ref:   "ROOT/--p--/" + parentFile,
			files: map[string][]string{"--p--/" + parentFile: {parentID, "/p"}},
			want:  "--p--/" + parentFile,
		},
		"moved to another project": {
			ref:   "ROOT/--p--/" + parentFile,
			files: map[string][]string{"--q--/" + parentFile: {parentID, "/q"}},
			want:  "--q--/" + parentFile,
		},
		"renamed": {
			ref:   "/gone/" + parentFile,
			files: map[string][]string{"--q--/kept.jsonl": {parentID, "/q"}},
			want:  "--q--/kept.jsonl",
		},
		"moved with its child": {
			ref:   "/home/somebody/else/" + parentFile,
			files: map[string][]string{"--child--/" + parentFile: {parentID, "/q"}},
			want:  "--child--/" + parentFile,
		},
		"from another system": {
			ref:   `C:\Users\u\.pi\agent\sessions\--p--\` + parentFile,
			files: map[string][]string{"--p--/" + parentFile: {parentID, "/p"}},
			want:  "--p--/" + parentFile,
		},
		"another session has its place": {
			ref:   "ROOT/--p--/" + parentFile,
			files: map[string][]string{"--p--/" + parentFile: {"stranger", "/p"}, "--q--/1.jsonl": {parentID, "/q"}},
			want:  "--q--/1.jsonl",
		},
		"a name that is no id": {
			ref:   "ROOT/--p--/by hand.jsonl",
			files: map[string][]string{"--p--/by hand.jsonl": {parentID, "/p"}},
			want:  "--p--/by hand.jsonl",
		},
		"an id alone": {
			ref:   parentID,
			files: map[string][]string{"--p--/x.jsonl": {parentID, "/p"}},
			want:  "--p--/x.jsonl",
		},
		"copies, one in the child's project": {
			ref:   "/gone/" + parentFile,
			files: map[string][]string{"--p--/1.jsonl": {parentID, "/p"}, "--child--/2.jsonl": {parentID, "/child"}},
			want:  "--child--/2.jsonl",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := isolated(t, nil)
			root := filepath.Join(o.Home, ".pi", "agent", "sessions")
			for file, of := range tt.files {
				write(t, filepath.Join(root, file), simple(of[0], of[1], 1))
			}
			child := childOf(t, root, tt.ref)
			got, err := catalog.Parent(t.Context(), child, o)
			if want := filepath.Join(root, tt.want); err != nil || got.Path != want || got.MessageCount != 2 {
				t.Errorf("Parent of a child of %s = %s with %d messages, %v; want %s with 2", tt.ref, got.Path, got.MessageCount, err, want)
			}
		})
	}
}

// childOf makes a session whose header names a parent.
func childOf(t *testing.T, root, ref string) catalog.Info {
	t.Helper()
	if len(ref) > 4 && ref[:4] == "ROOT" {
		ref = root + ref[4:]
	}
	path := write(t, filepath.Join(root, "--child--", "child.jsonl"),
		session(header("child", "/child", fmt.Sprintf(`,"parentSession":%q`, ref)), message("user", user, 9)))
	info, err := readInfo(path, false)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// pitfalls 56, 134: a parent that is not there is an error, never another session
// or the child itself.
func TestParentIsGone(t *testing.T) {
	o := isolated(t, nil)
	root := filepath.Join(o.Home, ".pi", "agent", "sessions")
	write(t, filepath.Join(root, "--p--", "other.jsonl"), simple("other", "/p", 1))
	for _, ref := range []string{"", "/gone/" + parentFile, parentID, "child", "child.jsonl", filepath.Join(root, "--child--", "child.jsonl")} {
		if got, err := catalog.Parent(t.Context(), childOf(t, root, ref), o); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("Parent of a child of %q = %s, %v; want ErrNotFound", ref, got.Path, err)
		}
	}
	write(t, filepath.Join(root, "--p--", "1.jsonl"), simple(parentID, "/p", 1))
	write(t, filepath.Join(root, "--q--", "2.jsonl"), simple(parentID, "/q", 1))
	if got, err := catalog.Parent(t.Context(), childOf(t, root, "/gone/"+parentFile), o); !errors.Is(err, catalog.ErrAmbiguous) {
		t.Errorf("Parent with two copies elsewhere = %s, %v; want ErrAmbiguous", got.Path, err)
	}
}

// pitfalls 56, 134: an alias of the parent's directory leads to it.
func TestParentBehindALink(t *testing.T) {
	o := isolated(t, nil)
	root := filepath.Join(o.Home, ".pi", "agent", "sessions")
	write(t, filepath.Join(root, "--p--", parentFile), simple(parentID, "/p", 1))
	alias := filepath.Join(t.TempDir(), "alias")
	symlink(t, filepath.Join(root, "--p--"), alias)
	child := childOf(t, root, filepath.Join(alias, parentFile))
	if got, err := catalog.Parent(t.Context(), child, o); err != nil || got.ID != parentID {
		t.Errorf("Parent through a link = %q, %v; want %q", got.ID, err, parentID)
	}
	if err := os.Remove(alias); err != nil {
		t.Fatal(err)
	}
	if got, err := catalog.Parent(t.Context(), child, o); err != nil || got.ID != parentID {
		t.Errorf("Parent when the link is gone = %q, %v; want %q", got.ID, err, parentID)
	}
}
