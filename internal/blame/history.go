package blame

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/edits"
)

// Options say which sessions are read.
type Options struct {
	// Sessions are those that may have changed the file, usually all there are.
	Sessions []catalog.Info
	// Index remembers what they touched, for those without Info.Touched; nil means
	// that their files are read.
	Index *catalog.Index
	// Home is what ~ means in a path of a session.
	Home string
}

// A history is the recorded events of a file under all its names, in order.
type history struct {
	o      *Options
	file   string // its absolute path
	events []edits.Event
	paths  []string // by event
	to     []string // by event, of a move
	names  []string // other paths of the file: in worktrees, at a former place
}

// A moved file is one that a call of a session renamed. Both paths are absolute.
type moved struct{ path, from string }

// mostNames is how many former names of a file are followed.
const mostNames = 64

// A collection is what all sessions touched.
type collection struct {
	o       *Options
	records []edits.Record // by session
	places  *places
	moves   []moved
}

func collect(ctx context.Context, o *Options) (*collection, error) {
	c := &collection{o: o, places: newPlaces(o)}
	if c.records = o.touched(ctx, o.Sessions); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i, r := range c.records {
		c.places.learn(i, r.Paths())
		for _, t := range r {
			if t.From != "" {
				c.moves = append(c.moves, moved{c.places.resolve(i, t.Path), c.places.resolve(i, t.From)})
			}
		}
	}
	return c, nil
}

// touched returns what each of some sessions touched, in the order of the results. A
// session that cannot be read touched nothing.
func (o *Options) touched(ctx context.Context, infos []catalog.Info) []edits.Record {
	out := make([]edits.Record, len(infos))
	var others []catalog.Info
	at := map[string]int{}
	for i := range infos {
		if found, ok := infos[i].Touched.([]edits.Touch); ok {
			out[i] = found
			continue
		}
		at[infos[i].Path] = i
		others = append(others, infos[i])
	}
	for _, info := range catalog.Again(ctx, others, catalog.Options{Index: o.Index, Touched: true}) {
		out[at[info.Path]], _ = info.Touched.([]edits.Touch)
	}
	return out
}

// history collects the events of a file. others are further paths under which the
// file is known, renamedBefore asks Git for the renames of a path.
func (c *collection) history(ctx context.Context, file string, others []string, renamedBefore func(path string) []rename) (*history, error) {
	h := &history{o: c.o, file: file, names: others}
	wanted := map[string]bool{file: true}
	for _, name := range others {
		wanted[name] = true
	}
	byGit := h.follow(c.moves, wanted, renamedBefore)
	if err := h.decode(ctx, c.places, c.records, wanted); err != nil {
		return nil, err
	}
	slices.SortStableFunc(byGit, func(a, b rename) int { return a.time.Compare(b.time) })
	for _, m := range byGit {
		h.rename(m)
	}
	return h, nil
}

// follow adds the names that a file had before renames that sessions record or Git
// knows, and returns the latter.
func (h *history) follow(all []moved, wanted map[string]bool, renamedBefore func(path string) []rename) (byGit []rename) {
	todo := []string{h.file}
	add := func(name string) {
		if !wanted[name] && len(wanted) < mostNames {
			wanted[name] = true
			todo = append(todo, name)
		}
	}
	asked := map[string]bool{}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		for _, m := range all {
			if from, ok := m.before(name); ok {
				add(from)
			}
		}
		if asked[name] {
			continue
		}
		for _, m := range renamedBefore(name) {
			asked[m.from] = true // its own renames are among these
			byGit = append(byGit, m)
			add(m.from)
		}
	}
	return byGit
}

// before returns the path that a file had before the rename gave it a name: it was moved
// into a directory, or renamed itself, or a directory above it was.
func (m moved) before(name string) (from string, ok bool) {
	for _, to := range []string{filepath.Join(m.path, filepath.Base(m.from)), m.path} {
		if rest, in := within(to, name); in && m.from != to {
			return filepath.Join(m.from, rest), true
		}
	}
	return "", false
}

// touching returns the touches of a session that are about wanted paths.
func touching(places *places, session int, r edits.Record, wanted, bases map[string]bool) (out []edits.Touch) {
	about := map[string]bool{}
	for _, path := range r.Paths() {
		if base := filepath.Base(bare(path)); (bases[base] || strings.Trim(base, ".") == "") && wanted[places.resolve(session, path)] {
			about[path] = true
		}
	}
	for _, t := range r {
		take := about[t.Path]
		if t.From != "" && !take {
			m := moved{places.resolve(session, t.Path), places.resolve(session, t.From)}
			for name := range wanted {
				_, is := m.before(name)
				take = take || is
			}
		}
		if take {
			out = append(out, t)
		}
	}
	return out
}

// decode reads the events of the wanted paths. An event that a fork or a clone copied is
// that of the session in which it happened.
func (h *history) decode(ctx context.Context, places *places, records []edits.Record, wanted map[string]bool) error {
	bases := map[string]bool{}
	for name := range wanted {
		bases[filepath.Base(name)] = true
	}
	type place struct {
		edits.Event
		path, to string
	}
	var list []place
	origin := map[string]int{}
	for i := range h.o.Sessions {
		touches := touching(places, i, records[i], wanted, bases)
		if len(touches) == 0 {
			continue
		}
		events, err := edits.Decode(ctx, h.o.Sessions[i].Path, touches)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue // it is gone
		}
		for _, e := range events {
			e.Session = i
			p := place{Event: e, path: places.resolve(i, e.Path)}
			if e.Kind == edits.Move {
				m := moved{places.resolve(i, e.To), p.path}
				found := false
				for name := range wanted {
					if from, ok := m.before(name); ok {
						p.path, p.to, found = from, name, true
					}
				}
				if !found {
					continue
				}
			} else if !wanted[p.path] {
				continue
			}
			if e.CallID != "" {
				key := fmt.Sprintf("%s\x00%s\x00%d\x00%x", e.CallID, p.path, e.Kind, sha256.Sum256(fmt.Append(nil, e.Content, e.Swaps, e.Hunks, p.to)))
				if k, ok := origin[key]; ok && list[k].Session != i {
					if h.older(i, list[k].Session) {
						list[k] = p
					}
					continue
				}
				origin[key] = len(list)
			}
			list = append(list, p)
		}
	}
	slices.SortStableFunc(list, func(a, b place) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Result.At, b.Result.At))
	})
	for _, p := range list {
		h.events, h.paths, h.to = append(h.events, p.Event), append(h.paths, p.path), append(h.to, p.to)
	}
	return nil
}

// older reports whether a session was made before another one.
func (h *history) older(a, b int) bool {
	x, y := &h.o.Sessions[a], &h.o.Sessions[b]
	if (x.ParentSession == "") != (y.ParentSession == "") {
		return x.ParentSession == ""
	}
	return x.Created.Before(y.Created)
}

// rename adds a rename that Git knows, after the last event of the former name before
// the commit. One that a session records too is left out.
func (h *history) rename(m rename) {
	at := m.time.Add(time.Second) // commits have no fractions of seconds
	pos := 0
	for i := range h.events {
		if h.events[i].Time.After(at) {
			break
		}
		if h.paths[i] == m.from || h.to[i] == m.from {
			pos = i + 1
			if h.to[i] == m.to {
				return
			}
		}
	}
	if pos == 0 {
		return
	}
	h.events = slices.Insert(h.events, pos, edits.Event{Change: edits.Change{Kind: edits.Move}, Session: -1, Time: m.time})
	h.paths, h.to = slices.Insert(h.paths, pos, m.from), slices.Insert(h.to, pos, m.to)
}

// places resolves the paths that sessions name.
type places struct {
	o         *Options
	real      map[string]string // directories by the names that sessions have for them
	movedFrom map[int]string    // by session, where its project was before it was moved
}

func newPlaces(o *Options) *places {
	return &places{o, map[string]string{}, map[int]string{}}
}

// dir returns the working directory of a session, without symbolic links.
func (p *places) dir(session int) string {
	cwd := p.o.Sessions[session].Cwd
	dir, ok := p.real[cwd]
	if !ok {
		dir = filepath.Clean(cwd)
		if real, err := filepath.EvalSymlinks(cwd); err == nil && filepath.IsAbs(cwd) {
			dir = real
		}
		p.real[cwd] = dir
	}
	return dir
}

// resolve returns the absolute path of a file that a session names. Nothing is looked up
// on the disk but the session's own directory.
func (p *places) resolve(session int, path string) string {
	dir, cwd := p.dir(session), filepath.Clean(p.o.Sessions[session].Cwd)
	path = bare(path)
	if rest, ok := strings.CutPrefix(path, "~/"); ok && p.o.Home != "" {
		path = filepath.Join(p.o.Home, rest)
	}
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		return filepath.Join(dir, path)
	}
	path = filepath.Clean(path)
	for _, root := range []string{cwd, p.movedFrom[session]} {
		if root == "" {
			continue
		}
		if rel, ok := within(root, path); ok {
			return filepath.Join(dir, rel)
		}
	}
	return path
}

// bare is a path that a session names, without marks that programs put before it.
func bare(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "file://"), "@")
}

// learn determines whether the project of a session was moved or renamed. Then
// its header has the new directory, and the absolute paths in it are below
// another one, which has the same name or the same parent. That is the old
// directory if all such paths are below it, none is below the new one, and it no
// longer exists.
func (p *places) learn(session int, paths []string) {
	cwd := filepath.Clean(p.o.Sessions[session].Cwd)
	root := ""
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			continue
		}
		if root == "" {
			root = formerRoot(cwd, filepath.Clean(path))
		}
		if _, in := within(root, filepath.Clean(path)); !in || root == "" {
			return
		}
	}
	if root == "" {
		return
	}
	if _, err := os.Lstat(root); errors.Is(err, fs.ErrNotExist) {
		p.movedFrom[session] = root
	}
}

// formerRoot returns where a project may have been whose directory is cwd, given a path
// that was in it; "" if the path is in cwd.
func formerRoot(cwd, path string) string {
	if _, in := within(cwd, path); in {
		return ""
	}
	slash := string(filepath.Separator)
	if name := slash + filepath.Base(cwd) + slash; strings.Contains(path, name) {
		return path[:strings.Index(path, name)+len(name)-1]
	}
	parent := filepath.Dir(cwd)
	if rest, in := within(parent, path); in && parent != filepath.Clean(os.TempDir()) {
		name, _, _ := strings.Cut(rest, slash)
		return filepath.Join(parent, name)
	}
	return ""
}

// Errors that say why a file cannot be blamed.
var (
	ErrBinary    = errors.New("is a binary file")
	ErrTooLarge  = errors.New("is too large")
	ErrSymlink   = errors.New("is a symbolic link")
	ErrNotFile   = errors.New("is not a regular file")
	ErrNoProject = errors.New("is not in a project")
)
