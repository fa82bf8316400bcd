package catalog

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/parallel"
)

// A LiveList is a list of sessions for a process that asks for it again and again.
// The first call reads everything; later calls read the folders and files that
// changed. Its methods may be called by several goroutines at once.
type LiveList struct {
	o   Options
	cwd string
	q   query

	mu      sync.Mutex // guards what follows
	roots   []Root
	noted   []string
	folders map[string]time.Time // when each was written last; zero for one that is not there
	unsure  bool                 // they do not tell all changes
	looked  time.Time            // when all files were looked at
	files   []file
	infos   []Info // what was returned is never changed
}

const (
	// quiet is how long a session was not written to that is looked at less often.
	quiet = 24 * time.Hour
	// often is how often that is.
	often = 5 * time.Second
	// coarse is within which two changes of a folder may have the same time.
	coarse = 2 * time.Second
)

// Watch returns a live list of the sessions of the project at cwd, or of all projects
// if cwd is "". It ignores Options.Text and Options.Progress.
func Watch(cwd string, o Options) *LiveList {
	o.Text, o.Progress = false, nil
	l := &LiveList{o: o, cwd: o.expand(cwd, ""), q: query{internal: o.IncludeInternal}}
	if cwd != "" {
		l.q.project = newProject(l.cwd, &o)
	}
	return l
}

// Sessions returns the current sessions, most recently used first; see Sorted. Growth
// of a session that was idle for a day may show a few seconds late. The slice is
// shared and must not be modified.
func (l *LiveList) Sessions(ctx context.Context) ([]Info, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if !l.same() {
		return l.list(ctx, now)
	}
	all := now.Sub(l.looked) > often
	changed, ok := l.changed(ctx, all, now)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !ok {
		return l.list(ctx, now)
	}
	if all {
		l.looked = now
	}
	if len(changed) > 0 {
		l.update(ctx, changed)
	}
	return l.infos, ctx.Err()
}

// same reports whether the same files are there as at the last list.
func (l *LiveList) same() bool {
	if l.infos == nil || l.unsure {
		return false
	}
	roots := Roots(l.o, l.cwd)
	if !slices.Equal(roots, l.roots) || !slices.Equal(notedBy(roots), l.noted) {
		return false
	}
	for dir, before := range l.folders {
		if !written(dir).Equal(before) {
			return false
		}
	}
	return true
}

// written is when a file or folder was written last; zero if that is not known.
func written(path string) (t time.Time) {
	if info, err := os.Stat(path); err == nil {
		t = info.ModTime()
	}
	return t
}

func notedBy(roots []Root) (out []string) {
	for _, r := range roots {
		if r.Notes {
			out = append(out, notedFiles(r.Dir)...)
		}
	}
	return out
}

// list makes the list.
func (l *LiveList) list(ctx context.Context, now time.Time) ([]Info, error) {
	l.infos = nil
	l.roots = Roots(l.o, l.cwd)
	l.noted = notedBy(l.roots)
	var found *finder
	infos := []Info{}
	for info, err := range l.o.listIn(ctx, l.roots, l.q, func(f *finder) { found = f }) {
		if err != nil {
			return nil, err
		}
		if len(infos) == 0 {
			infos = make([]Info, 0, len(found.files)) // they are large, and kept
		}
		infos = append(infos, info)
	}
	sortByRecency(infos)
	l.files, l.folders, l.looked = found.files, found.written, now
	l.unsure = found.failed || slices.ContainsFunc(l.roots, func(r Root) bool { return r.Database != "" })
	for _, at := range l.folders {
		l.unsure = l.unsure || now.Sub(at) < coarse
	}
	l.infos = infos
	return l.infos, nil
}

// lookedAtOnce is how many files one goroutine looks at before it takes more.
const lookedAtOnce = 512

// changed are the files that are no longer as they were listed, by their numbers;
// false if one is gone. Unless all are looked at, only those written lately are; a
// time that is still to come does not say when that was.
func (l *LiveList) changed(ctx context.Context, all bool, now time.Time) (out []int, ok bool) {
	type look struct {
		changed []int
		gone    bool
	}
	chunks := (len(l.files) + lookedAtOnce - 1) / lookedAtOnce
	looks := parallel.InOrder(ctx, chunks, func(_ context.Context, _ *struct{}, n int) (seen look) {
		for i := n * lookedAtOnce; i < min(len(l.files), (n+1)*lookedAtOnce); i++ {
			f := &l.files[i]
			if age := now.Sub(f.modified); !all && (age > quiet || age < -quiet) {
				continue
			}
			info, err := os.Stat(f.path)
			if err != nil || !info.Mode().IsRegular() {
				return look{gone: true}
			}
			if is := fileOf(f.path, f.root, info); is.size != f.size || !is.modified.Equal(f.modified) || is.inode != f.inode {
				seen.changed = append(seen.changed, i)
			}
		}
		return seen
	})
	for seen := range looks {
		if seen.gone {
			return nil, false
		}
		out = append(out, seen.changed...)
	}
	return out, true
}

// update reads files again that changed.
func (l *LiveList) update(ctx context.Context, changed []int) {
	now := make(map[string]*Info, len(changed)) // nil for what is no session that was asked for
	var r reader
	var kept []keeping
	for _, i := range changed {
		f := &l.files[i]
		info, err := os.Stat(f.path)
		if err != nil {
			continue // the next look sees it
		}
		*f = fileOf(f.path, f.root, info)
		if l.o.Index != nil {
			l.o.Index.fetch(ctx, f.path)
		}
		out := r.lookup(ctx, *f, l.q, &l.o)
		if ctx.Err() != nil {
			f.size = -1 // it is looked at again; what was read before it counts
			break
		}
		now[f.path] = nil
		switch {
		case out.err == nil:
			now[f.path] = &out.info
		case out.err != errUnwanted && !errors.Is(out.err, pith.ErrNotSession):
			l.o.skip(f.path, out.err)
		}
		if out.kept != nil {
			kept = append(kept, *out.kept)
		}
	}
	if l.o.Index != nil {
		l.o.Index.keep(ctx, kept, nil)
	}
	infos := make([]Info, 0, len(l.infos)+len(now))
	for i := range l.infos {
		if _, again := now[l.infos[i].Path]; !again {
			infos = append(infos, l.infos[i])
		}
	}
	for _, info := range now {
		if info != nil {
			infos = append(infos, *info)
		}
	}
	sortByRecency(infos)
	l.infos = infos
}
