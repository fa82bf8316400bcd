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
)

// A library represents all sessions: the list of the picker, and operations on
// sessions that are not open. Its methods are called in the background.
type library struct {
	c          *Config
	background *background
	demo       atomic.Pointer[ops.App] // of the demo sessions; nil unless they are shown
	originals  map[string]string       // by path, as far as they were shown
	allShown   chan struct{}           // receives when the first rows of all sessions were sent
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
		s.load(ctx, scope, func(b picker.Batch) bool {
			select {
			case out <- b:
				return true
			case <-ctx.Done():
				return false
			}
		})
	})
	return out
}

// place returns the project of a scope; "" for all.
func (s *library) place(scope picker.Scope) string {
	if scope == picker.All {
		return ""
	}
	return s.c.Cwd
}

func (s *library) load(ctx context.Context, scope picker.Scope, send func(picker.Batch) bool) {
	app := *s.c.App
	done, total := 0, 0
	app.Working = func(w ops.Work) { done, total = int(w.Done), int(w.Total) }
	marks, err := app.MarksOf()
	batch := picker.Batch{Unmarked: err}
	last := time.Time{} // the first session is sent immediately
	sent, keys := 0, keyer{}
	infos, maybe := ops.Recent(ctx, &app, s.place(scope))
	if len(infos) > 0 || !maybe && scope == picker.Current {
		early := picker.Batch{Early: true}
		for _, info := range infos {
			early.Items = append(early.Items, keys.item(info, marks))
		}
		if !send(early) {
			return
		}
		last = time.Now()
		s.afterFirst(ctx, scope, len(infos))
	}
	for info, err := range s.list(ctx, scope, &app) {
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
func (s *library) list(ctx context.Context, scope picker.Scope, app *ops.App) iter.Seq2[catalog.Info, error] {
	return func(yield func(catalog.Info, error) bool) {
		any := false
		for info, err := range ops.Sessions(ctx, app, s.place(scope)) {
			any = true
			s.demo.Store(nil)
			if !yield(info, err) || err != nil {
				return
			}
		}
		if any || scope == picker.Current || s.c.Demo == nil || s.c.Pick || ctx.Err() != nil {
			return
		}
		demo := *app
		var err error
		if demo.Dir, err = s.c.Demo(ctx); err != nil {
			yield(catalog.Info{}, err)
			return
		}
		s.demo.Store(&demo)
		ops.Sessions(ctx, &demo, "")(yield)
	}
}

// app returns what the use cases work on for the sessions that are shown.
func (s *library) app() *ops.App {
	if demo := s.demo.Load(); demo != nil {
		return demo
	}
	return s.c.App
}

// isDemo reports whether a file is a session of the demo that is shown.
func (s *library) isDemo(file string) bool {
	demo := s.demo.Load()
	return demo != nil && strings.HasPrefix(file, demo.Dir+string(filepath.Separator))
}

// Mark implements [picker.Sessions].
func (s *library) Mark(it *picker.Item, p ops.MarkParams) (marks.Marks, error) {
	ctx, cancel := s.background.within()
	defer cancel()
	p.Path = it.Path
	m, err := ops.Mark(ctx, s.c.App, p)
	return marks.Marks{Pinned: m.Pinned, Archived: m.Archived, Tags: m.Tags}, err
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

// remove moves a session to the trash. undo restores it; nil if that is not possible from
// here.
func (s *library) remove(ctx context.Context, path string) (undo func() error, err error) {
	item, err := ops.Delete(ctx, s.c.App, ops.PathParams{Path: path})
	if err != nil || item.System {
		return nil, err
	}
	return func() error {
		_, err := ops.Restore(context.Background(), s.c.App, ops.RestoreParams{ItemParams: ops.ItemParams{ID: item.ID}})
		return err
	}, nil
}

// Delete implements [picker.Sessions].
func (s *library) Delete(it *picker.Item) (undo func() error, err error) {
	ctx, cancel := s.background.within()
	defer cancel()
	undo, err = s.remove(ctx, it.Path)
	return undo, ops.Short(err)
}

// Rename implements [picker.Sessions]. A new name hides no entries, even if the
// session is open here or in another process.
func (s *library) Rename(it *picker.Item, name string) error {
	ctx, cancel := s.background.within()
	defer cancel()
	if ops.IsForeign(it.Path) {
		_, err := ops.Rename(ctx, ops.RenameParams{
			Session: it.Ref(), Name: name, Catalog: s.c.App.Listing(), Now: s.c.now(), Agree: func(context.Context, *ops.Renamed) error { return nil },
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
	o.Cwd, o.Dir = cwd, s.c.App.DirFor(cwd)
	fork, err := pith.ForkFrom(ctx, from.File(), o)
	if err != nil {
		return "", err
	}
	if leaf := from.LeafID(); leaf != "" && leaf != fork.LeafID() {
		err = fork.Branch(leaf)
	}
	return fork.File(), errors.Join(err, fork.Close())
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

// mostRelated is the number of sessions that are offered for a comparison.
const mostRelated = 200

// related returns the sessions of the project of another one: its relatives first.
func (s *library) related(ctx context.Context, it *picker.Item) ([]catalog.Info, error) {
	list, err := ops.List(ctx, s.app(), ops.ListParams{Cwd: it.Cwd, ListAllParams: ops.ListAllParams{Text: new(false)}})
	if err != nil {
		return nil, err
	}
	infos := slices.DeleteFunc(list.Sessions, func(i catalog.Info) bool { return i.Path == it.Path })
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
