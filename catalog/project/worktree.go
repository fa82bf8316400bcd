package project

import (
	"os"
	"path/filepath"
	"strings"
)

// worktrees finds the repositories of directories.
type worktrees struct {
	known map[string]tree   // by directory
	gone  map[string]string // removed worktrees that git still lists, with their repositories
	read  map[string]bool   // repositories with a list of worktrees that was read
}

// A tree is a directory in a repository: the git directory of the whole
// repository, and the path of the directory in its worktree.
type tree struct {
	common, inside string
	ok             bool
}

func newWorktrees() *worktrees {
	return &worktrees{known: map[string]tree{}, gone: map[string]string{}, read: map[string]bool{}}
}

// of returns the repository of a directory and the path of the directory in its
// worktree.
func (w *worktrees) of(cwd string) (common, inside string, ok bool) {
	t := w.look(cwd)
	if !t.ok {
		t = w.fromGone(cwd)
	}
	return t.common, t.inside, t.ok
}

// look returns the repository of an existing directory.
func (w *worktrees) look(cwd string) tree {
	if t, known := w.known[cwd]; known {
		return t
	}
	t := climb(cwd)
	w.known[cwd] = t
	if t.ok && !w.read[t.common] {
		w.read[t.common] = true
		w.readGone(t.common)
	}
	return t
}

// Repository returns the git directory of the repository of an existing
// directory, which all its worktrees share, and the path of the directory in
// its worktree.
func Repository(dir string) (common, inside string, ok bool) {
	t := climb(dir)
	return t.common, t.inside, t.ok
}

// climb walks up from a directory to the one that contains .git.
func climb(cwd string) tree {
	if !filepath.IsAbs(cwd) {
		return tree{}
	}
	start, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		return tree{}
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if common, ok := commonDir(filepath.Join(dir, ".git")); ok {
			inside, err := filepath.Rel(dir, start)
			return tree{common, inside, err == nil}
		}
		if dir == filepath.Dir(dir) {
			return tree{}
		}
	}
}

// commonDir returns the directory that all worktrees of a repository share,
// given .git in one of them. That is either the directory itself, or a file
// that names the worktree's own directory, which contains a file that names the
// shared one. A submodule has no such second file and is a repository of its
// own.
func commonDir(git string) (string, bool) {
	info, err := os.Stat(git)
	if err != nil {
		return "", false
	}
	if info.IsDir() {
		return canonical(git), true
	}
	own, ok := firstLine(git)
	if !ok {
		return "", false
	}
	own, ok = strings.CutPrefix(own, "gitdir: ")
	if !ok {
		return "", false
	}
	own = below(filepath.Dir(git), own)
	if shared, ok := firstLine(filepath.Join(own, "commondir")); ok {
		return canonical(below(own, shared)), true
	}
	return canonical(own), true
}

// readGone records the worktrees of a repository that were removed but are
// still listed by git.
func (w *worktrees) readGone(common string) {
	all := filepath.Join(common, "worktrees")
	entries, _ := os.ReadDir(all) // most repositories have none
	for _, e := range entries {
		own := filepath.Join(all, e.Name())
		git, ok := firstLine(filepath.Join(own, "gitdir"))
		if !ok {
			continue
		}
		git = below(own, git)
		if _, err := os.Stat(git); err != nil {
			w.gone[filepath.Dir(git)] = common
		}
	}
}

// fromGone looks up a missing directory in the removed worktrees.
func (w *worktrees) fromGone(cwd string) tree {
	if !filepath.IsAbs(cwd) {
		return tree{}
	}
	start := filepath.Clean(cwd)
	for dir := start; ; dir = filepath.Dir(dir) {
		if common, ok := w.gone[dir]; ok {
			inside, err := filepath.Rel(dir, start)
			return tree{common, inside, err == nil}
		}
		if dir == filepath.Dir(dir) {
			return tree{}
		}
	}
}

func below(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

func canonical(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// mostPointer is the maximum size of a file that only names another.
const mostPointer = 64 << 10

// firstLine returns the first line of a small regular file, without its line
// ending.
func firstLine(path string) (string, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostPointer {
		return "", false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", false
	}
	line, _, _ := strings.Cut(string(text), "\n")
	line = strings.TrimRight(line, "\r ")
	return line, line != ""
}
