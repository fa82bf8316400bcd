package search

import (
	"context"
	"errors"
	"github.com/pith-sessions/pith/internal/cache"
	"os"
	"slices"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache/index"
)

// A Build configures Fill.
type Build struct {
	// Catalog selects the sessions.
	Catalog catalog.Options
	// Within is an approximate time limit; 0 means no limit.
	Within time.Duration
	// Progress is called from time to time, by one goroutine, with the number of
	// session bytes that are indexed and the total.
	Progress func(done, total int64)
}

// Fill indexes the parts of all sessions that are not indexed yet, the least
// recently used session first, and removes files that are gone. If ctx ends, it
// returns early without an error, and the parts indexed until then stay. It
// waits for another process that is writing.
func (ix *Index) Fill(ctx context.Context, b Build) error {
	if b.Within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, b.Within)
		defer cancel()
	}
	b.Catalog.Text, b.Catalog.Progress, b.Catalog.IncludeInternal = false, nil, true
	infos, err := catalog.Sorted(catalog.ListAll(ctx, b.Catalog))
	if err != nil {
		return ended(ctx, err)
	}
	slices.Reverse(infos)
	defer ix.reload()
	for last := int64(-1); ; {
		ix.reload()
		have, failed := ix.prune(ctx, infos)
		if err = failed; err != nil {
			break
		}
		indexed := have.bytes()
		if indexed == last {
			break // no process makes progress
		}
		if err = ix.fill(ctx, b, infos, have); !errors.Is(err, index.ErrOutdated) {
			break
		}
		last, err = indexed, nil // another process was faster: read what is missing now
	}
	ix.heal(err)
	return ended(ctx, err)
}

// bytes returns the number of session bytes that are in the index.
func (c *contents) bytes() (n int64) {
	for _, s := range c.sources {
		n += s.mark.end
	}
	return n
}

// Pending returns the number of session bytes that are not in the index.
func (ix *Index) Pending(ctx context.Context, infos []catalog.Info) (int64, error) {
	have := ix.load(ctx)
	var n int64
	for i := range infos {
		n += infos[i].Size
		if s := have.sources[infos[i].Path]; s != nil && s.mark.covers(&infos[i]) {
			n -= min(s.mark.end, infos[i].Size) // it may have grown since it was listed
		}
	}
	return n, ctx.Err()
}

// ended returns nil if ctx ended, and err otherwise.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (ix *Index) fill(ctx context.Context, b Build, infos []catalog.Info, have *contents) error {
	var done, total int64
	var jobs []job
	for _, info := range infos {
		j, ok := ix.jobOf(ctx, have, &info)
		total += info.Size
		done += j.from
		if ok {
			jobs = append(jobs, j)
		} else {
			done += info.Size - j.from
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	size := batchText
	if b.Within > 0 {
		size = briefBatch
	}
	parts := make(chan part)
	go func() {
		defer close(parts)
		var r indexer
		for _, j := range jobs {
			if !r.file(ctx, j, parts) {
				return
			}
		}
	}()
	batches := make(chan []index.Addition)
	go func() {
		defer close(batches)
		collect(parts, size, batches, func(n int64) {
			if done += n; b.Progress != nil {
				b.Progress(done, total)
			}
		})
	}()
	var failed error
	written := false
	for batch := range batches {
		if failed == nil && (ctx.Err() == nil || !written) { // each call stores something, however short its time
			failed = patiently(ctx, func(write context.Context) error { return ix.texts.Add(write, batch...) })
			if failed != nil {
				cancel() // the goroutines end when they see that
			}
			written = true
		}
	}
	return failed
}

// collect sends the parts in batches of about size bytes of words. It calls
// progress with the number of file bytes of each part.
func collect(parts <-chan part, size int, batches chan<- []index.Addition, progress func(n int64)) {
	var batch []index.Addition
	text := 0
	for p := range parts {
		progress(p.bytes)
		batch = append(batch, p.Addition)
		if text += p.text; text >= size {
			batches <- batch
			batch, text = nil, 0
		}
	}
	if len(batch) > 0 {
		batches <- batch
	}
}

// A job is the part of a file that is not indexed.
type job struct {
	path   string
	from   int64
	tail   int64  // fingerprint of the bytes before from
	before []byte // state in the index; nil if there is none
	afresh bool   // the state cannot be used
}

// jobOf returns the job for a session; ok is false if nothing is to be done.
func (ix *Index) jobOf(ctx context.Context, have *contents, info *catalog.Info) (_ job, ok bool) {
	s := have.sources[info.Path]
	if s == nil {
		if s = have.movedTo(info); s != nil && ix.texts.Rename(ctx, s.path, info.Path) != nil {
			s = nil
		}
	}
	switch {
	case s == nil:
		return job{path: info.Path}, info.Size > 0
	case !s.mark.covers(info):
		return job{path: info.Path, before: s.mark.encode(), afresh: true}, true
	}
	return job{path: info.Path, from: s.mark.end, tail: s.mark.tail, before: s.mark.encode()}, info.Size > s.mark.end
}

// prune removes files that are gone, except those that were renamed. It returns
// the contents of the index.
func (ix *Index) prune(ctx context.Context, infos []catalog.Info) (*contents, error) {
	have := ix.load(ctx)
	gone := have.gone(infos)
	if len(gone) == 0 {
		return have, nil
	}
	if err := patiently(ctx, func(ctx context.Context) error { return ix.texts.Forget(ctx, gone) }); err != nil {
		return nil, err
	}
	return ix.load(ctx), nil
}

func (c *contents) gone(infos []catalog.Info) []string {
	there := make(map[string]bool, len(infos))
	moved := map[cache.Inode]bool{} // files at paths that are not known yet
	for i := range infos {
		there[infos[i].Path] = true
		if c.sources[infos[i].Path] == nil {
			moved[cache.Inode(infos[i].Inode)] = true
		}
	}
	delete(moved, cache.Inode{})
	var gone []string
	for path, s := range c.sources {
		if there[path] || moved[s.mark.inode] {
			continue
		}
		if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
			gone = append(gone, path)
		}
	}
	return gone
}
