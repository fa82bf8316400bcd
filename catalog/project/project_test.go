package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/project"
)

// sessions are some with these working directories, the latest last.
func sessions(cwds ...string) []catalog.Info {
	out := make([]catalog.Info, len(cwds))
	for i, cwd := range cwds {
		out[i] = catalog.Info{ID: fmt.Sprint(i), Cwd: cwd, Size: 10, Modified: time.Date(2026, 2, 1, 0, 0, i, 0, time.UTC)}
	}
	return out
}

// describe formats projects with paths below dir shortened.
func describe(dir string, list []project.Project) string {
	short := func(path string) string { return strings.TrimPrefix(path, dir+string(filepath.Separator)) }
	var out []string
	for _, p := range list {
		text := fmt.Sprintf("%s %v", short(p.Dir), p.Sessions)
		for _, o := range p.Others {
			text += " also " + short(o)
		}
		if p.Missing {
			text += " missing"
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

func folders(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func file(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Projects whose session directories have the same name are two (pitfall 171);
// a directory under two names is one (pitfall 175); a missing one is shown, and
// not taken for another (pitfall 179).
func TestGroup(t *testing.T) {
	dir := t.TempDir()
	folders(t, dir, "a/b", "a-b")
	if err := os.Symlink(filepath.Join(dir, "a/b"), filepath.Join(dir, "link")); err != nil {
		if runtime.GOOS != "windows" { // where a user may not be allowed to make one
			t.Fatal(err)
		}
		t.Skip(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	list := project.Group(sessions(at("a/b"), at("a-b"), at("link"), at("gone"), "", at("gone")+"/", "relative", at("a/b")), project.Options{})
	const want = " [4]; a-b [1]; a/b [0 2 7] also link; gone/ [3 5] also gone missing; relative [6] missing"
	if got := describe(dir, list); got != want {
		t.Errorf("Group = %s; want %s", got, want)
	}
	if list[0].Dir != at("a/b") || list[0].Size != 30 || list[0].LastUsed.Second() != 7 {
		t.Errorf("first %+v; want the one used last, with its size", list[0])
	}
}

// Worktrees of one repository are one project on request (pitfall 180), also
// those that are gone; its directories stay apart, and so does a submodule.
func TestWorktrees(t *testing.T) {
	dir := t.TempDir()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	folders(t, dir, "main/.git/worktrees", "main/sub", "tree/sub", "main/module", "main/.git/modules/module", "other/.git", "plain")
	file(t, at("tree/.git"), "gitdir: "+at("main/.git/worktrees/tree")+"\n")
	file(t, at("main/.git/worktrees/tree/commondir"), "../..\n")
	file(t, at("main/.git/worktrees/tree/gitdir"), at("tree/.git")+"\n")
	file(t, at("main/.git/worktrees/old/commondir"), "../..\n")
	file(t, at("main/.git/worktrees/old/gitdir"), at("old/.git")+"\n")
	file(t, at("main/module/.git"), "gitdir: ../.git/modules/module\n")
	list := sessions(at("old"), at("main"), at("tree"), at("main/sub"), at("tree/sub"), at("main/module"), at("other"), at("plain"), at("never"))
	const apart = "main [1]; main/module [5]; main/sub [3]; never [8] missing; old [0] missing; other [6]; plain [7]; tree [2]; tree/sub [4]"
	if got := describe(dir, project.Group(list, project.Options{})); got != apart {
		t.Errorf("Group = %s; want %s", got, apart)
	}
	const together = "main/module [5]; never [8] missing; other [6]; plain [7]; tree [0 1 2] also main also old; tree/sub [3 4] also main/sub"
	groups := project.Group(list, project.Options{Worktrees: true})
	if got := describe(dir, groups); got != together {
		t.Errorf("Group with worktrees = %s; want %s", got, together)
	}
	for _, p := range groups {
		if p.Dir == at("tree") && p.Repository != at("main/.git") {
			t.Errorf("repository %q; want %q", p.Repository, at("main/.git"))
		}
	}
}

// Files that only look like git's do not cause an error.
func TestOddGitFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "words": "hello", "nowhere": "gitdir: /no/such/place\n", "long": strings.Repeat("gitdir: x", 1<<16)} {
		file(t, filepath.Join(dir, name, ".git"), text)
		if got := project.Group(sessions(filepath.Join(dir, name)), project.Options{Worktrees: true}); len(got) != 1 || got[0].Missing {
			t.Errorf("%s: Group = %+v; want one project", name, got)
		}
	}
}
