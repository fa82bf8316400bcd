package blame

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/pith-sessions/pith/catalog"
)

// MostBytes is the size of the largest file that is read.
const MostBytes = 8 << 20

// A FileError says why a file cannot be blamed. Err matches one of the errors of this
// package or of package fs.
type FileError struct {
	Path string
	Err  error
	// Target is where a symbolic link leads.
	Target string
	// Size is that of a file that is too large.
	Size int64
}

func (e *FileError) Error() string { return e.Path + " " + e.Err.Error() }

func (e *FileError) Unwrap() error { return e.Err }

// A Report says which edit wrote each line of a file.
type Report struct {
	Path  string // absolute, without symbolic links
	Root  string // of the project: the Git worktree, or the directory of a session
	Lines []Line
	Edits []Edit // in the order of their times
	// Events is how many recorded events of the file there are.
	Events int
	// GitFailed says that Git could not be asked: lines that were committed before an
	// edit cannot be told apart, and no line is attributed.
	GitFailed bool
}

// A Line is one line of a file.
type Line struct {
	Text string // without its end
	Edit int    // index into Report.Edits; -1 if no session is known to have written it
}

// An Edit is a recorded edit and the conversation around it.
type Edit struct {
	Session catalog.Info
	EntryID string    `json:"entryId" empty:"null"` // of the call
	Time    time.Time `json:"time"`
	Tool    string    `json:"tool"`
	Turn              // zero where the session cannot be read
}

// File blames the file at an absolute path.
func File(ctx context.Context, path string, o Options) (*Report, error) {
	path, text, err := content(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	r := &Report{Path: path}
	tree, inGit := checkoutOf(ctx, dir)
	if r.Root = tree.root; !inGit {
		if r.Root = projectOf(dir, &o); r.Root == "" {
			return nil, &FileError{Path: path, Err: ErrNoProject}
		}
	}
	var others []string
	if rel, ok := within(tree.root, path); ok && inGit {
		for _, root := range tree.others {
			others = append(others, filepath.Join(root, rel))
		}
	}
	var committed []*commit
	renamedBefore := func(string) []rename { return nil }
	if inGit {
		since := oldest(o.Sessions)
		var looking sync.WaitGroup
		var moved []rename
		looking.Go(func() { moved = renames(ctx, tree.root, path, since) })
		committed, err = commits(ctx, path, since)
		looking.Wait()
		renamedBefore = func(name string) []rename {
			if name == path {
				return moved
			}
			return renames(ctx, tree.root, name, since)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.GitFailed = err != nil && !errors.Is(err, errNoHistory)
	}
	all, err := collect(ctx, &o)
	if err != nil {
		return nil, err
	}
	h, err := all.history(ctx, path, others, renamedBefore)
	if err != nil {
		return nil, err
	}
	r.Events = len(h.events)
	by, err := h.authors(ctx, text)
	if err != nil {
		return nil, err
	}
	lines := split(text)
	for j := range by {
		if by[j] != none && (r.GitFailed || j < len(committed) && committed[j].before(h.events[by[j]].Time)) {
			by[j] = none
		}
	}
	r.fill(ctx, lines, by, h)
	return r, ctx.Err()
}

// before reports whether a commit was there before a time.
func (c *commit) before(t time.Time) bool { return !c.pending && c.time.Add(time.Second).Before(t) }

// authors replays the history and returns the event that brought each line of the file.
func (h *history) authors(ctx context.Context, text string) ([]int32, error) {
	r := &replay{h, map[string]*state{}}
	for i := range h.events {
		if err := r.step(ctx, i); err != nil {
			return nil, err
		}
	}
	s := r.stateOf(h.file)
	s.sync(text)
	by := slices.Clone(s.by)
	for _, name := range h.names { // the same file in another worktree, from which lines come by Git
		other := r.files[name]
		if other == nil {
			continue
		}
		other.sync(text)
		for j, author := range other.by {
			switch {
			case author == none || by[j] == author:
			case by[j] == none:
				by[j] = author
			case s.by[j] == none: // two other worktrees claim it
				by[j] = none
			}
		}
	}
	return by, nil
}

// fill sets the lines and describes the edits that wrote them.
func (r *Report) fill(ctx context.Context, lines []string, by []int32, h *history) {
	dropLoose(lines, by)
	number := map[int32]int{}
	var used []int32
	for _, author := range by {
		if author != none && number[author] == 0 {
			number[author] = 1
			used = append(used, author)
		}
	}
	slices.Sort(used) // events are in the order of their times
	for k, author := range used {
		number[author] = k
		e := &h.events[author]
		r.Edits = append(r.Edits, Edit{Session: h.o.Sessions[e.Session], EntryID: e.EntryID, Time: e.Time, Tool: e.Tool})
	}
	describe(ctx, r.Edits)
	r.Lines = make([]Line, len(lines))
	for j, line := range lines {
		r.Lines[j] = Line{line, -1}
		if by[j] != none {
			r.Lines[j].Edit = number[by[j]]
		}
	}
}

// dropLoose removes the author of each line that says nothing by itself, such as a
// closing brace, unless the nearest other line above or below has the same one and
// the other of the two has an author too. The ends of the file count as either.
func dropLoose(lines []string, by []int32) {
	const edge = none - 1
	above := make([]int32, len(lines))
	last := int32(edge)
	for j, line := range lines {
		above[j] = last
		if !isTrivial(line) {
			last = by[j]
		}
	}
	last = edge
	for j := len(lines) - 1; j >= 0; j-- {
		if !isTrivial(lines[j]) {
			last = by[j]
		} else if above[j] == none || last == none || by[j] != above[j] && by[j] != last {
			by[j] = none
		}
	}
}

// content reads the file at a path, which is returned without symbolic links.
func content(path string) (real, text string, err error) {
	path = filepath.Clean(path)
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return "", "", &FileError{Path: path, Err: cause(err)}
	}
	defer root.Close()
	text, err = readFile(root, filepath.Base(path), path)
	if err != nil {
		return "", "", err
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return path, normal(text), nil
}

// readFile reads the text file with a name below a directory. Its errors are
// *[FileError] with the given path.
func readFile(root *os.Root, name, path string) (text string, err error) {
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return "", &FileError{Path: path, Err: cause(err)}
	case info.Mode()&fs.ModeSymlink != 0:
		target, _ := root.Readlink(name)
		return "", &FileError{Path: path, Err: ErrSymlink, Target: target}
	case !info.Mode().IsRegular():
		return "", &FileError{Path: path, Err: ErrNotFile}
	case info.Size() > MostBytes:
		return "", &FileError{Path: path, Err: ErrTooLarge, Size: info.Size()}
	}
	f, err := root.Open(name)
	if err != nil {
		return "", &FileError{Path: path, Err: cause(err)}
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MostBytes))
	if err != nil {
		return "", &FileError{Path: path, Err: cause(err)}
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", &FileError{Path: path, Err: ErrBinary}
	}
	return string(data), nil
}

// cause returns an error without its path, which the message already has.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// projectOf returns the nearest directory at or above one in which a session ran.
func projectOf(dir string, o *Options) string {
	p := newPlaces(o)
	best := ""
	for i := range o.Sessions {
		if o.Sessions[i].Cwd == "" {
			continue
		}
		if root := p.dir(i); len(root) > len(best) {
			if _, in := within(root, dir); in && filepath.IsAbs(root) {
				best = root
			}
		}
	}
	return best
}

// oldest is when the first of the sessions began.
func oldest(infos []catalog.Info) (t time.Time) {
	for i := range infos {
		if c := infos[i].Created; t.IsZero() || c.Before(t) {
			t = c
		}
	}
	return t
}
