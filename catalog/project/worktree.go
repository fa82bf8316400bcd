package project

import (
	"os"
	"path/filepath"
	"strings"
)

// worktrees finds the repositories of directories.
type worktrees struct {
	known map[string]tree   // by directory
	gone  map[string]string // worktrees that git knows and that are gone, with their repositories
	read  map[string]bool   // repositories whose list of worktrees was read
}

// A tree is a directory of a repository: git's folder for the whole repository
// and where in its worktree the directory is.
type tree struct {
	common, inside string
	ok             bool
}

func newWorktrees() *worktrees {
	return &worktrees{known: map[string]tree{}, gone: map[string]string{}, read: map[string]bool{}}
}

// of is the repository of a directory and the directory's place in its worktree.
func (w *worktrees) of(cwd string) (common, inside string, ok bool) {
	t := w.look(cwd)
	if !t.ok {
		t = w.fromGone(cwd)
	}
	return t.common, t.inside, t.ok
}

// look looks for the repository of a directory that exists.
func (w *worktrees) look(cwd string) tree {
	if t, known := w.known[cwd]; known {
		return t
	}
	t := w.climb(cwd)
	w.known[cwd] = t
	if t.ok && !w.read[t.common] {
		w.read[t.common] = true
		w.readGone(t.common)
	}
	return t
}

// climb goes up from a directory to the one that holds .git.
func (w *worktrees) climb(cwd string) tree {
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

// commonDir is the folder that all worktrees of a repository share, given .git in
// one of them: the folder itself, or a file that names the worktree's own folder,
// in which a file names the shared one. A submodule has no such second file, and
// is a repository of its own.
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

// readGone reads which worktrees a repository had that are gone, and were not
// forgotten by git.
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

// fromGone looks for a directory that is gone among the worktrees that are gone.
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

// mostPointer is how large a file that only names another may be.
const mostPointer = 64 << 10

// firstLine is the first line of a small regular file, without its end.
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
