package blame

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// gitPatience is how long Git may take. Without its answer a line that was committed
// before an edit cannot be told from the edit's own, so nothing is attributed.
const gitPatience = 10 * time.Second

// git runs a Git command that reads. It runs no program that the repository names.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotepath=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1")
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, err
}

// A checkout is a Git worktree and its siblings.
type checkout struct {
	root   string
	others []string // roots of the other worktrees of the repository
}

// checkoutOf finds the worktree of a directory; ok is false where there is none, or no
// Git.
func checkoutOf(ctx context.Context, dir string) (c checkout, ok bool) {
	out, err := git(ctx, dir, "worktree", "list", "--porcelain")
	if err != nil {
		return c, false
	}
	for line := range strings.Lines(string(out)) {
		root, isRoot := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "worktree ")
		if !isRoot {
			continue
		}
		root = filepath.Clean(filepath.FromSlash(root))
		if _, in := within(root, dir); in && len(root) > len(c.root) {
			if c.root != "" {
				c.others = append(c.others, c.root)
			}
			c.root = root
		} else {
			c.others = append(c.others, root)
		}
	}
	return c, c.root != ""
}

// within returns the path of something below a directory, from there.
func within(dir, path string) (rel string, ok bool) {
	if dir == path {
		return ".", true
	}
	prefix := strings.TrimSuffix(dir, string(filepath.Separator)) + string(filepath.Separator)
	return strings.CutPrefix(path, prefix)
}

// A commit is what Git says about the one that brought a line.
type commit struct {
	time    time.Time // of the committer
	pending bool      // it is not committed yet
}

// errNoHistory means that Git has no history of a file.
var errNoHistory = errors.New("not in a Git repository")

// commits returns the commit of each line of a file. Those before since need not be told
// apart.
func commits(ctx context.Context, file string, since time.Time) ([]*commit, error) {
	args := []string{"blame", "--porcelain"}
	if !since.IsZero() {
		args = append(args, "--since="+since.UTC().Format(time.RFC3339))
	}
	out, err := git(ctx, filepath.Dir(file), append(args, "--", filepath.Base(file))...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit), errors.Is(err, exec.ErrNotFound):
		return nil, errNoHistory // a file that was never committed, or no repository
	case err != nil:
		return nil, err
	}
	var lines []*commit
	known := map[string]*commit{}
	var now *commit
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "\t") {
			lines = append(lines, now)
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "committer-time":
			n, _ := strconv.ParseInt(value, 10, 64)
			now.time = time.Unix(n, 0)
		default:
			if len(key) < 40 || strings.Trim(key, "0123456789abcdef") != "" {
				continue
			}
			if now = known[key]; now == nil {
				now = &commit{pending: strings.Trim(key, "0") == ""}
				known[key] = now
			}
		}
	}
	return lines, nil
}

// A rename is one that Git found in a commit.
type rename struct {
	time     time.Time
	from, to string // absolute
}

// renames returns the renames of a file since a time, the last one first.
func renames(ctx context.Context, root, file string, since time.Time) []rename {
	args := []string{"log", "--follow", "-M", "--diff-filter=R", "--name-status", "-z", "--format=%ct"}
	if !since.IsZero() {
		args = append(args, "--since="+since.UTC().Format(time.RFC3339))
	}
	rel, in := within(root, file)
	if !in {
		return nil
	}
	out, err := git(ctx, root, append(args, "--", rel)...)
	if err != nil {
		return nil // a file without a history has none
	}
	var list []rename
	var at time.Time
	fields := strings.Split(string(out), "\x00")
	for i := 0; i < len(fields); i++ {
		f := strings.TrimSpace(fields[i])
		if n, err := strconv.ParseInt(f, 10, 64); err == nil {
			at = time.Unix(n, 0)
			continue
		}
		if strings.HasPrefix(f, "R") && i+2 < len(fields) {
			from, to := filepath.Join(root, filepath.FromSlash(fields[i+1])), filepath.Join(root, filepath.FromSlash(fields[i+2]))
			if _, in := within(root, from); in {
				list = append(list, rename{at, from, to})
			}
			i += 2
		}
	}
	return list
}
