package tui

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/picker"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/internal/sources/importer"
	"github.com/pith-sessions/pith/sessiondir"
)

// A library represents all sessions: the list of the picker, and operations on
// sessions that are not open. Its methods are called in the background.
type library struct {
	c          *Config
	background *background
	demo       atomic.Pointer[catalog.Options] // of the demo sessions; nil unless they are shown
	originals  map[string]string               // by path, as far as they were shown
	allShown   chan struct{}                   // receives when the first rows of all sessions were sent
}

// file returns the file to show for a session: that of its agent, or the database
// that contains it.
func (s *library) file(it *picker.Item) string {
	original, known := s.originals[it.Path]
	if !known {
		if s.originals == nil {
			s.originals = map[string]string{}
		}
		original = cmp.Or(ops.Original(it.Path), it.Path)
		s.originals[it.Path] = original
	}
	return original
}

// A batch is sent when it is full, or after a while. The picker sorts the whole
// list again for each batch, so both limits grow with the list. Sorting for all
// batches together then costs a few times as much as for the last one.
const (
	batchSize = 200
	batchTime = 30 * time.Millisecond
	growTime  = 5 * time.Microsecond // for each session that was sent
)

// due reports whether a batch of n sessions is sent, after so many others and so
// much time since the last one.
func due(n, sent int, since time.Duration) bool {
	return n >= max(batchSize, sent) || since >= batchTime+time.Duration(sent)*growTime
}

// Load implements [picker.Sessions].
func (s *library) Load(ctx context.Context, scope picker.Scope) <-chan picker.Batch {
	out := make(chan picker.Batch)
	s.background.run(func() {
		defer close(out)
		send := func(b picker.Batch) bool {
			select {
			case out <- b:
				return true
			case <-ctx.Done():
				return false
			}
		}
		o := s.c.Catalog
		done, total := 0, 0
		o.Progress = func(d, t int) { done, total = d, t }
		marks, pinned, err := s.marks()
		batch := picker.Batch{Unmarked: err}
		last := time.Time{} // the first session is sent immediately
		sent, keys := 0, keyer{}
		if early, ok := s.recent(ctx, scope, o, keys, marks, pinned); ok {
			if !send(early) {
				return
			}
			last = time.Now()
			s.afterFirst(ctx, scope, len(early.Items))
		}
		for info, err := range s.list(ctx, scope, o) {
			if err != nil {
				if ctx.Err() == nil {
					send(picker.Batch{Err: err})
				}
				return
			}
			batch.Items = append(batch.Items, keys.item(info, marks))
			if !due(len(batch.Items), sent, time.Since(last)) {
				continue
			}
			sent += len(batch.Items)
			batch.Done, batch.Total, batch.Demo = done, total, scope == picker.All && s.demo.Load() != nil
			if !send(batch) {
				return
			}
			batch, last = picker.Batch{}, time.Now()
		}
		batch.Done, batch.Total, batch.Demo = done, total, scope == picker.All && s.demo.Load() != nil
		send(batch)
	})
	return out
}

// recent returns the sessions to show while the list is read, if there are any
// or if it is known that the project has none.
func (s *library) recent(ctx context.Context, scope picker.Scope, o catalog.Options, keys keyer, marks func(id string) marks.Marks, pinned []string) (b picker.Batch, ok bool) {
	cwd := ""
	if scope == picker.Current {
		cwd = s.c.Cwd
	}
	infos, maybe := catalog.Recent(ctx, cwd, pinned, o)
	for _, info := range infos {
		b.Items = append(b.Items, keys.item(info, marks))
	}
	b.Early = true
	return b, len(infos) > 0 || !maybe && scope == picker.Current
}

// afterFirst waits until the first rows were sent. If the project has none, they
// are those of all sessions; reading the project's list would delay them.
func (s *library) afterFirst(ctx context.Context, scope picker.Scope, rows int) {
	if scope == picker.All {
		select {
		case s.allShown <- struct{}{}:
		default: // it was received before
		}
		return
	}
	if rows > 0 {
		return
	}
	select {
	case <-s.allShown:
	case <-time.After(200 * time.Millisecond): // they are not shown
	case <-ctx.Done():
	}
}

// list yields the sessions of a scope. Of all sessions it yields the demo's if the user
// has none.
func (s *library) list(ctx context.Context, scope picker.Scope, o catalog.Options) iter.Seq2[catalog.Info, error] {
	own := catalog.ListAll(ctx, o)
	if scope == picker.Current {
		own = catalog.List(ctx, s.c.Cwd, o)
	}
	return func(yield func(catalog.Info, error) bool) {
		any := false
		for info, err := range own {
			any = true
			s.demo.Store(nil)
			if !yield(info, err) || err != nil {
				return
			}
		}
		if any || scope == picker.Current || s.c.Demo == nil || s.c.Pick || ctx.Err() != nil {
			return
		}
		demo, err := s.c.Demo(ctx)
		if err != nil {
			yield(catalog.Info{}, err)
			return
		}
		s.demo.Store(&demo)
		demo.Progress = o.Progress
		catalog.ListAll(ctx, demo)(yield)
	}
}

// catalog returns the options of the sessions that are shown.
func (s *library) catalog() catalog.Options {
	if demo := s.demo.Load(); demo != nil {
		return *demo
	}
	return s.c.Catalog
}

// isDemo reports whether a file is a session of the demo that is shown.
func (s *library) isDemo(file string) bool {
	demo := s.demo.Load()
	return demo != nil && strings.HasPrefix(file, demo.Dir+string(filepath.Separator))
}

// marks returns the marks of sessions by id, and the files of the pinned ones as
// far as they are known. Unreadable marks count as none.
func (s *library) marks() (of func(id string) marks.Marks, pinned []string, err error) {
	of = func(string) marks.Marks { return marks.Marks{} }
	if s.c.Marks == nil {
		return of, nil, nil
	}
	kept, err := s.c.Marks()
	if err != nil {
		return of, nil, err
	}
	for _, id := range kept.IDs() {
		if m := kept.Of(id); m.Pinned && m.Path != "" {
			pinned = append(pinned, m.Path)
		}
	}
	return kept.Of, pinned, nil
}

func (s *library) mark(id, path string, change func(*marks.Marks)) (marks.Marks, error) {
	kept, err := s.c.Marks()
	if err != nil {
		return marks.Marks{}, err
	}
	return kept.Update(id, path, change)
}

// canonical returns a path with its symbolic links resolved, as far as
// possible.
func canonical(path string) string { return keyer{}.canonical(path) }

// A keyer makes the keys of sessions: their paths with symbolic links resolved.
// It resolves each directory once.
type keyer map[string]string

func (k keyer) canonical(path string) string {
	path = filepath.Clean(path)
	dir, base := filepath.Split(path)
	real, known := k[dir]
	if !known {
		var err error
		if real, err = filepath.EvalSymlinks(dir); err != nil {
			real = ""
		}
		k[dir] = real
	}
	if real == "" {
		return path
	}
	resolved := filepath.Join(real, base)
	info, err := os.Lstat(resolved)
	if err != nil {
		return path
	}
	if info.Mode()&os.ModeSymlink != 0 {
		if target, err := filepath.EvalSymlinks(resolved); err == nil {
			return target
		}
		return path
	}
	return resolved
}

func (k keyer) item(info catalog.Info, marks func(id string) marks.Marks) picker.Item {
	it := picker.Item{Info: info, Key: k.canonical(info.Path), Marks: marks(info.ID)}
	it.Marks.Archived = it.Marks.Archived || info.Archived
	switch p := info.ParentSession; {
	case p == "" || p == filepath.Base(p) && filepath.Ext(p) == "":
		it.ParentKey = p // none, or an ID
	case filepath.IsAbs(p):
		it.ParentKey = k.canonical(p)
	default:
		it.ParentKey = k.canonical(filepath.Join(filepath.Dir(info.Path), p))
	}
	return it
}

// Delete implements [picker.Sessions].
func (s *library) Delete(it *picker.Item) (func() error, error) {
	ctx, cancel := s.background.within()
	defer cancel()
	item, err := ops.Remove(ctx, s.c.removal(it.Path))
	if err != nil {
		return nil, ops.Short(err)
	}
	if item.System {
		return nil, nil
	}
	return func() error {
		_, err := trash.Restore(item.ID, s.c.Trash)
		return err
	}, nil
}

// Rename implements [picker.Sessions]. A new name hides no entries, even if the
// session is open here or in another process.
func (s *library) Rename(it *picker.Item, name string) error {
	ctx, cancel := s.background.within()
	defer cancel()
	if ops.IsForeign(it.Path) {
		_, err := ops.Rename(ctx, ops.RenameParams{
			Session: it.Ref(), Name: name, Catalog: s.c.Catalog, Now: s.c.now(), Agree: func(context.Context, *ops.Renamed) error { return nil },
		})
		return ops.Short(err)
	}
	options := s.c.engine()
	options.OnConflict = pith.FollowNew
	return ops.Short(s.with(ctx, it.Path, options, func(session *pith.Session) error {
		_, err := session.SetName(ctx, name)
		return err
	}))
}

// clone creates a new session from the path to the leaf of another one, and
// returns its file.
func (s *library) clone(ctx context.Context, path string) (file string, err error) {
	err = s.with(ctx, path, s.c.engine(), func(from *pith.Session) error {
		file, err = live.Extract(ctx, from, from.LeafID())
		return err
	})
	return file, err
}

// forkInto copies a session into a project, where it continues at the same
// entry, and returns the file.
func (s *library) forkInto(ctx context.Context, from *pith.Session, cwd string) (file string, err error) {
	o := s.c.engine()
	o.Cwd, o.Dir = cwd, s.dirFor(cwd)
	fork, err := pith.ForkFrom(ctx, from.File(), o)
	if err != nil {
		return "", err
	}
	if leaf := from.LeafID(); leaf != "" && leaf != fork.LeafID() {
		err = fork.Branch(leaf)
	}
	return fork.File(), errors.Join(err, fork.Close())
}

// dirFor returns the directory for new sessions of a working directory.
func (s *library) dirFor(cwd string) string {
	if dir := s.c.Catalog.Dir; dir != "" {
		return dir
	}
	env := sessiondir.Environment{Getenv: s.c.Catalog.Getenv, Home: s.c.Catalog.Home}
	return env.Place(cwd).For(cwd)
}

// writable returns the file of a session that another agent may write to.
func (s *library) writable(ctx context.Context, path string) (string, error) {
	o := s.c.Catalog
	o.IncludeInternal = true
	infos, err := catalog.Sorted(catalog.ListAll(ctx, o))
	if err != nil {
		return "", err
	}
	return importer.Writable(ctx, path, importer.Options{DirFor: s.dirFor, Find: importer.Among(infos)})
}

// reading returns a function that opens a session temporarily for reading.
func (s *library) reading(path string) func(context.Context, func(*pith.Session) error) error {
	options := s.c.engine()
	options.ReadOnly = true
	return func(ctx context.Context, do func(*pith.Session) error) error { return s.with(ctx, path, options, do) }
}

// with opens a session temporarily.
func (s *library) with(ctx context.Context, path string, o pith.Options, do func(*pith.Session) error) error {
	session, err := pith.Open(ctx, path, o)
	if err != nil {
		return err
	}
	return errors.Join(do(session), session.Close())
}

// places returns the directories in which sessions are looked for.
func (s *library) places() (dirs []string) {
	for _, r := range catalog.Roots(s.c.Catalog, s.c.Cwd) {
		dirs = append(dirs, r.Dir)
	}
	return dirs
}

// mostRelated is the number of sessions that are offered for a comparison.
const mostRelated = 200

// related returns the sessions of the project of another one: its relatives first.
func (s *library) related(ctx context.Context, it *picker.Item) ([]catalog.Info, error) {
	infos, err := catalog.Sorted(catalog.List(ctx, it.Cwd, s.catalog()))
	if err != nil {
		return nil, err
	}
	infos = slices.DeleteFunc(infos, func(i catalog.Info) bool { return i.Path == it.Path })
	kin := func(i *catalog.Info) bool {
		return i.ParentSession != "" && (i.ParentSession == it.Path || i.ParentSession == it.ID) || it.ParentSession != "" && (it.ParentSession == i.Path || it.ParentSession == i.ID)
	}
	slices.SortStableFunc(infos, func(a, b catalog.Info) int {
		switch {
		case kin(&a) == kin(&b):
			return 0
		case kin(&a):
			return -1
		}
		return 1
	})
	return infos[:min(len(infos), mostRelated)], nil
}
