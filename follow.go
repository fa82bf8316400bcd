package pith

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
	"weak"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

// Refresh reads entries that other writers added, and returns the number of
// entries added or removed. The leaf does not move: see Follow. If another
// writer removed the leaf entry, its nearest remaining ancestor becomes the
// leaf.
func (s *Session) Refresh(ctx context.Context) (int, error) {
	if err := s.takePen(ctx); err != nil {
		return 0, s.wrap("read", err)
	}
	defer s.dropPen()
	if s.closed {
		return 0, s.wrap("read", ErrClosed)
	}
	return s.catchUp(ctx, "")
}

// Follow moves the leaf to the end of the conversation in the file, as of the
// last read by Open, Refresh or a refused append.
func (s *Session) Follow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaf, s.stale, s.moved = s.resumePoint(), nil, false
}

// Stay keeps the leaf although other writers continued elsewhere. The next
// append starts a separate branch.
func (s *Session) Stay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = nil
}

// catchUp reads the part of the file beyond the table, and returns the number
// of entries added or removed. If other writers continued the conversation, the
// session is stale until the caller decides. The entry whose id is own does not
// count. On error the session is unchanged.
func (j *journal) catchUp(ctx context.Context, own string) (int, error) {
	if j.log == nil {
		return 0, nil
	}
	size, err := j.log.Size(ctx)
	if errors.Is(err, store.ErrGone) {
		return j.rejoin(ctx, own, err)
	}
	if err != nil {
		return 0, j.wrap("read", err)
	}
	known := j.table.Size()
	if j.migrated != nil {
		known = j.source
	}
	if size >= known {
		j.shrunk = shrinking{}
	} else if !j.shrunk.settled(size, j.opt.now()) {
		return 0, j.wrap("read", ErrRewriting)
	}
	if size < known || j.migrated != nil && size != known { // an old version: migrate it again
		return j.reload(ctx, own, j.log)
	}
	next := *j.table
	err = next.ReadSlot(j.log)
	switch {
	case err != nil || j.migrated != nil:
	case size == known:
		err = next.Check(envelope.Until(ctx, j.log))
	default:
		err = next.Extend(envelope.Until(ctx, j.log), size)
	}
	if errors.Is(err, envelope.ErrRescan) {
		return j.reload(ctx, own, j.log)
	}
	if err != nil {
		return 0, j.unread(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	entries, labels := j.table.Len(), len(j.table.Labels)
	*j.table = next
	if next.Len() == entries {
		return 0, nil
	}
	j.extend(labels)
	var came []int
	for i := entries; i < j.table.Len(); i++ {
		if j.table.ID(i) != own {
			came = append(came, i)
		}
	}
	j.noteStale(came)
	return len(came), nil
}

// unread wraps a read error. A file that ends too early was truncated during
// the read.
func (j *journal) unread(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = ErrRewriting
	}
	return j.wrap("read", err)
}

// rejoin continues in the file that replaced the session's own, if it holds the
// same session: another process migrated it, or a tool rewrote it.
func (j *journal) rejoin(ctx context.Context, own string, gone error) (int, error) {
	log, err := j.store.Open(ctx, j.file)
	if err != nil {
		return 0, j.wrap("read", gone)
	}
	next := newHandle(log)
	if h, err := sessiondir.ReadHeader(next); err != nil || h.ID != j.table.Header.ID {
		_ = next.Close() // another session's file; only read
		return 0, j.wrap("read", gone)
	}
	n, err := j.reload(ctx, own, next)
	if err != nil {
		_ = next.Close() // only read; the first error is returned
	}
	return n, err
}

// keepFormer remembers a replaced log that views may still read, so that Close
// closes it.
func (c *content) keepFormer(log *handle) {
	c.replaced = slices.DeleteFunc(c.replaced, func(p weak.Pointer[handle]) bool { return p.Value() == nil })
	c.replaced = append(c.replaced, weak.Make(log))
}

// settleTime is how long a file that became shorter must stay unchanged before
// it counts as complete.
const settleTime = 500 * time.Millisecond

// shrinking records that a file became shorter.
type shrinking struct {
	to int64     // its new size
	at time.Time // when that was noticed; zero if the file did not shrink
}

// settled reports whether the size has been stable for settleTime. A program
// that rewrites a file in place truncates it first, and would overwrite entries
// appended before it finishes.
func (s *shrinking) settled(size int64, now time.Time) bool {
	if s.to != size || s.at.IsZero() {
		s.to, s.at = size, now
		return false
	}
	return now.Sub(s.at) >= settleTime
}

// noteStale records that other writers continued the conversation with the new
// entries.
func (j *journal) noteStale(came []int) {
	if !slices.ContainsFunc(came, func(i int) bool { return !j.table.At(i).Bookkeeping() }) {
		return // the conversation was not continued
	}
	if j.stale == nil {
		j.stale = &StaleError{Path: j.file}
	}
	for _, i := range came {
		j.stale.Entries = append(j.stale.Entries, j.table.ID(i))
	}
	j.stale.Leaf = j.idOf(j.resumePoint())
}

// takeInterleaved reads the part of the file that holds the new entry and other
// changes: lines of a writer that takes no locks, or a torn line that was
// sealed. The caller had not seen such lines when it appended, so they count as
// written by others.
func (j *journal) takeInterleaved(ctx context.Context, at spot) error {
	j.mu.Lock()
	before := j.standing
	if !at.stays {
		j.stale = nil // the caller or the policy has decided about earlier changes
	}
	j.mu.Unlock()
	_, err := j.catchUp(ctx, at.id)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		if j.moves == before.moves {
			j.standing = before
		}
		return err
	}
	if i := j.tree.Find(at.id); i != tree.None {
		came := j.stale
		j.standAt(i, at)
		j.stale = came
	}
	return nil
}

// pi rewrites a file of an old version in place as soon as it opens it, without
// a lock, from data that it read a moment before. Entries appended in between
// are lost. So the first append to a file that may be in the middle of a
// rewrite waits, and an append that replaced an old file checks the file again.
const (
	changedLately = time.Second / 2       // a file that changed within this time may change again soon
	quietTime     = 50 * time.Millisecond // a rewrite does not pause this long
	oldQuiet      = time.Second / 2       // nor does a program between reading an old file and rewriting it
	mostQuiet     = 5 * time.Second       // upper bound, because others may write without end
)

// settle waits, before the first append to an opened file, until no program is
// rewriting it, and rereads it if it changed. Only files are shared with such
// programs.
func (j *journal) settle(ctx context.Context) error {
	if !j.opened || !filestore.Is(j.store) || j.log == nil {
		return nil
	}
	j.opened = false
	first, err := os.Stat(j.file)
	if err != nil {
		return nil // the append reports the error
	}
	rest := quietTime
	if j.migrated != nil {
		rest = oldQuiet
	} else if age := time.Since(first.ModTime()); age < 0 || age > changedLately {
		return nil
	}
	last, err := j.awaitRest(ctx, first, rest)
	if err != nil {
		j.opened = true // the next append waits again
		return j.wrap("append to", err)
	}
	if isUnchanged(first, last) {
		return nil
	}
	if !os.SameFile(first, last) || last.Size() > first.Size() {
		_, err = j.catchUp(ctx, "")
	} else {
		_, err = j.reload(ctx, "", j.log)
	}
	return err
}

// awaitRest waits until the file has been unchanged for the given time, and
// returns its last state. After a change it waits only quietTime, because a
// program at work does not pause for long. The only error is the context's.
func (j *journal) awaitRest(ctx context.Context, last fs.FileInfo, rest time.Duration) (fs.FileInfo, error) {
	for end := time.Now().Add(mostQuiet); time.Now().Before(end); rest = quietTime {
		select {
		case <-ctx.Done():
			return last, ctx.Err()
		case <-time.After(rest):
		}
		now, err := os.Stat(j.file)
		if err != nil || isUnchanged(last, now) {
			break
		}
		last = now
	}
	return last, nil
}

func isUnchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// checkOverwritten returns a conflict if a line written at that offset while replacing an
// old file was overwritten by a program that had read the old file. In that
// case the session has reread the file.
func (j *journal) checkOverwritten(ctx context.Context, at int64, line []byte) error {
	if !filestore.Is(j.store) {
		return nil
	}
	now, err := os.Stat(j.file)
	if err != nil {
		return nil // deleted after the append, as any file can be
	}
	_, _ = j.awaitRest(ctx, now, quietTime) // if ctx is done, check the current state
	ctx = context.WithoutCancel(ctx)
	there := make([]byte, len(line))
	if n, _ := j.log.ReadAt(there, at); n == len(line) && bytes.Equal(there, line) {
		return nil
	}
	if _, err := j.reload(ctx, "", j.log); err != nil {
		return fmt.Errorf("the entry was written, and another program overwrote it: %w", err)
	}
	return fmt.Errorf("%w: it overwrote the entry", store.ErrConflict)
}
