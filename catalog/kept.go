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

// A Kept list is for a process that asks again and again which sessions there are.
// It is made once; then folders are read again when they changed, and files that
// did. It may be used by several goroutines.
type Kept struct {
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

// Keep is a list of the project at cwd, or of all projects for "". Of the options,
// Text and Progress do not count.
func Keep(cwd string, o Options) *Kept {
	o.Text, o.Progress = false, nil
	k := &Kept{o: o, cwd: o.expand(cwd, ""), q: query{internal: o.IncludeInternal}}
	if cwd != "" {
		k.q.project = newProject(k.cwd, &o)
	}
	return k
}

// Sessions are those that there are now, the one that was used last first; see
// Sorted. That a session has grown to which nobody wrote for a day may be seen a few
// seconds late. The slice is shared: it must not be changed.
func (k *Kept) Sessions(ctx context.Context) ([]Info, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if !k.same() {
		return k.list(ctx, now)
	}
	all := now.Sub(k.looked) > often
	changed, ok := k.changed(ctx, all, now)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !ok {
		return k.list(ctx, now)
	}
	if all {
		k.looked = now
	}
	if len(changed) > 0 {
		k.update(ctx, changed)
	}
	return k.infos, ctx.Err()
}

// same reports whether the same files are there as at the last list.
func (k *Kept) same() bool {
	if k.infos == nil || k.unsure {
		return false
	}
	roots := Roots(k.o, k.cwd)
	if !slices.Equal(roots, k.roots) || !slices.Equal(notedBy(roots), k.noted) {
		return false
	}
	for dir, before := range k.folders {
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
func (k *Kept) list(ctx context.Context, now time.Time) ([]Info, error) {
	k.infos = nil
	k.roots = Roots(k.o, k.cwd)
	k.noted = notedBy(k.roots)
	var found *finder
	infos := []Info{}
	for info, err := range k.o.listIn(ctx, k.roots, k.q, func(f *finder) { found = f }) {
		if err != nil {
			return nil, err
		}
		if len(infos) == 0 {
			infos = make([]Info, 0, len(found.files)) // they are large, and kept
		}
		infos = append(infos, info)
	}
	sortByRecency(infos)
	k.files, k.folders, k.looked = found.files, found.written, now
	k.unsure = found.failed || slices.ContainsFunc(k.roots, func(r Root) bool { return r.Database != "" })
	for _, at := range k.folders {
		k.unsure = k.unsure || now.Sub(at) < coarse
	}
	k.infos = infos
	return k.infos, nil
}

// lookedAtOnce is how many files one goroutine looks at before it takes more.
const lookedAtOnce = 512

// changed are the files that are no longer as they were listed, by their numbers;
// false if one is gone. Unless all are looked at, only those written lately are; a
// time that is still to come does not say when that was.
func (k *Kept) changed(ctx context.Context, all bool, now time.Time) (out []int, ok bool) {
	type look struct {
		changed []int
		gone    bool
	}
	chunks := (len(k.files) + lookedAtOnce - 1) / lookedAtOnce
	looks := parallel.InOrder(ctx, chunks, func(_ context.Context, _ *struct{}, n int) (l look) {
		for i := n * lookedAtOnce; i < min(len(k.files), (n+1)*lookedAtOnce); i++ {
			f := &k.files[i]
			if age := now.Sub(f.modified); !all && (age > quiet || age < -quiet) {
				continue
			}
			info, err := os.Stat(f.path)
			if err != nil || !info.Mode().IsRegular() {
				return look{gone: true}
			}
			if is := fileOf(f.path, f.root, info); is.size != f.size || !is.modified.Equal(f.modified) || is.inode != f.inode {
				l.changed = append(l.changed, i)
			}
		}
		return l
	})
	for l := range looks {
		if l.gone {
			return nil, false
		}
		out = append(out, l.changed...)
	}
	return out, true
}

// update reads files again that changed.
func (k *Kept) update(ctx context.Context, changed []int) {
	now := make(map[string]*Info, len(changed)) // nil for what is no session that was asked for
	var r reader
	var kept []keeping
	for _, i := range changed {
		f := &k.files[i]
		info, err := os.Stat(f.path)
		if err != nil {
			continue // the next look sees it
		}
		*f = fileOf(f.path, f.root, info)
		if k.o.Index != nil {
			k.o.Index.fetch(ctx, f.path)
		}
		out := r.lookup(ctx, *f, k.q, &k.o)
		if ctx.Err() != nil {
			f.size = -1 // it is looked at again; what was read before it counts
			break
		}
		now[f.path] = nil
		switch {
		case out.err == nil:
			now[f.path] = &out.info
		case out.err != errUnwanted && !errors.Is(out.err, pith.ErrNotSession):
			k.o.skip(f.path, out.err)
		}
		if out.kept != nil {
			kept = append(kept, *out.kept)
		}
	}
	if k.o.Index != nil {
		k.o.Index.keep(ctx, kept, nil)
	}
	infos := make([]Info, 0, len(k.infos)+len(now))
	for i := range k.infos {
		if _, again := now[k.infos[i].Path]; !again {
			infos = append(infos, k.infos[i])
		}
	}
	for _, info := range now {
		if info != nil {
			infos = append(infos, *info)
		}
	}
	sortByRecency(infos)
	k.infos = infos
}
