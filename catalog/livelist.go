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
	"github.com/pith-sessions/pith/internal/sources"
)

// A LiveList is a list of sessions for a process that requests it repeatedly.
// The first call reads everything; later calls read the directories and files
// that changed. It is safe for concurrent use.
type LiveList struct {
	o   Options
	cwd string
	q   query

	mu      sync.Mutex // guards the fields below
	roots   []Root
	noted   []string
	folders map[string]time.Time // modification times; zero for one that does not exist
	unsure  bool                 // the times do not reveal all changes
	listed  time.Time            // when the sessions of other agents were listed
	took    time.Duration        // how long that took
	looked  time.Time            // when all files were checked
	files   []*file
	infos   []Info // a returned slice is never modified
}

const (
	// quiet is the time without a write after which a session is checked less
	// often.
	quiet = 24 * time.Hour
	// often is the interval of these checks.
	often = 5 * time.Second
	// listingShare is how much longer than listing the sessions of other agents the
	// time is before they are listed again.
	listingShare = 20
	// coarse is the time within which two changes of a directory may have the
	// same timestamp.
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
	if ok && now.Sub(l.listed) > listingShare*l.took {
		var others []int
		others, ok = l.foreign(ctx)
		changed = append(changed, others...)
	}
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

// same reports whether the same files exist as at the last list.
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

// written returns the modification time of a file or directory, or zero if it
// is unknown.
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
			infos = make([]Info, 0, len(found.files)) // infos are large, and stay in memory
		}
		infos = append(infos, info)
	}
	sortByRecency(infos)
	l.files, l.folders, l.looked = found.files, found.written, now
	l.unsure = found.failed
	for _, at := range l.folders {
		l.unsure = l.unsure || now.Sub(at) < coarse
	}
	l.infos = infos
	return l.infos, nil
}

// lookedAtOnce is the number of files that one goroutine checks before it takes
// more.
const lookedAtOnce = 512

// changed returns the indexes of the files that differ from the list; ok is
// false if one is gone. Unless all is set, only files written recently are
// checked. A modification time far in the future does not count as recent.
func (l *LiveList) changed(ctx context.Context, all bool, now time.Time) (out []int, ok bool) {
	type look struct {
		changed []int
		gone    bool
	}
	chunks := (len(l.files) + lookedAtOnce - 1) / lookedAtOnce
	looks := parallel.InOrder(ctx, chunks, func(_ context.Context, _ *struct{}, n int) (seen look) {
		for i := n * lookedAtOnce; i < min(len(l.files), (n+1)*lookedAtOnce); i++ {
			f := l.files[i]
			if age := now.Sub(f.modified); f.isForeign() || !all && (age > quiet || age < -quiet) {
				continue
			}
			info, err := os.Stat(f.path())
			if err != nil || !info.Mode().IsRegular() {
				return look{gone: true}
			}
			if is := fileOf(f.path(), f.root(), info); is.size != f.size || !is.modified.Equal(f.modified) || is.inode != f.inode {
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

// foreign lists the sessions of other agents again, and returns the indexes of
// those that changed; ok is false if there are others than before.
func (l *LiveList) foreign(ctx context.Context) (out []int, ok bool) {
	l.listed = time.Now()
	defer func() { l.took = time.Since(l.listed) }()
	at := map[string]int{}
	for i, f := range l.files {
		if f.isForeign() {
			at[f.path()] = i
		}
	}
	found := 0
	for _, r := range l.roots {
		if r.program == nil {
			continue
		}
		list, _ := sources.List(ctx, r.program, r.Dir) // a list reports what cannot be read
		for _, s := range list {
			i, known := at[s.Path]
			if !known {
				return nil, false
			}
			if found++; l.files[i].inode.Number != s.Stamp {
				out = append(out, i)
			}
		}
	}
	return out, found == len(at)
}

func (l *LiveList) row(ctx context.Context, f *file) *row { return l.o.Index.row(ctx, &l.q, f) }

// update reads changed files again.
func (l *LiveList) update(ctx context.Context, changed []int) {
	now := make(map[string]*Info, len(changed)) // nil if it is not a session that matches
	var r reader
	var kept []*row
	for _, i := range changed {
		f := l.files[i]
		is, err := fileOn(f.path(), f.root())
		if err != nil {
			continue // the next call handles it
		}
		*f = is
		out := r.lookup(ctx, *f, l.q, &l.o, l.row)
		if ctx.Err() != nil {
			f.size = -1 // check it again; files read before it count
			break
		}
		now[f.path()] = nil
		switch {
		case out.err == nil:
			now[f.path()] = &out.info
		case out.err != errUnwanted && !errors.Is(out.err, pith.ErrNotSession):
			l.o.skip(f.path(), out.err)
		}
		if out.kept != nil {
			kept = append(kept, out.kept)
		}
	}
	l.o.Index.store(ctx, kept, nil)
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
