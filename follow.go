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
)

// Refresh reads what others have written since, and returns how many entries came or
// went. The leaf does not move: see Follow. Where others removed the entry at the leaf,
// it is the nearest one of its branch that is left.
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

// Follow moves the leaf to where the file's conversation stood when it was last
// read: by Open, by Refresh, or by an append that was refused.
func (s *Session) Follow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaf, s.stale, s.moved = s.resumePoint(), nil, false
}

// Stay keeps the leaf although others have continued elsewhere: what is
// appended next begins a branch beside theirs.
func (s *Session) Stay() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = nil
}

// catchUp reads what the file holds beyond the table, and returns how many entries
// came or went. If others continued the conversation, the session is stale until the
// caller decides; the entry called own does not count. On an error the session is as it
// was.
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
	if size < known || j.migrated != nil && size != known { // of an old version: migrate it anew
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
	entries, labels := len(j.table.Entries), len(j.table.Labels)
	*j.table = next
	if len(next.Entries) == entries {
		return 0, nil
	}
	j.extend(labels)
	var came []int
	for i := entries; i < len(j.table.Entries); i++ {
		if j.table.ID(i) != own {
			came = append(came, i)
		}
	}
	j.noteStale(came)
	return len(came), nil
}

// unread says why the file could not be read. One that ends before its end was cut
// meanwhile.
func (j *journal) unread(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = ErrRewriting
	}
	return j.wrap("read", err)
}

// rejoin goes on in the file that has taken the place of the session's own, if
// that is the same session: another process migrated it, or a tool rewrote it.
func (j *journal) rejoin(ctx context.Context, own string, gone error) (int, error) {
	log, err := j.store.Open(ctx, j.file)
	if err != nil {
		return 0, j.wrap("read", gone)
	}
	next := newHandle(log)
	if h, err := sessiondir.ReadHeader(next); err != nil || h.ID != j.table.Header.ID {
		_ = next.Close() // a stranger's file; only looked at
		return 0, j.wrap("read", gone)
	}
	n, err := j.reload(ctx, own, next)
	if err != nil {
		_ = next.Close() // only read from; the error that counts is the first
	}
	return n, err
}

// keepFormer remembers a log that was replaced and that views may still read from, so
// that Close closes it.
func (c *content) keepFormer(log *handle) {
	c.former = slices.DeleteFunc(c.former, func(p weak.Pointer[handle]) bool { return p.Value() == nil })
	c.former = append(c.former, weak.Make(log))
}

// settleTime is how long a file that became shorter must stay as it is before
// it is taken for whole.
const settleTime = 500 * time.Millisecond

// A shrinking is what is known of a file that became shorter.
type shrinking struct {
	to int64     // how short
	at time.Time // when that was seen; zero while the file is as long as it was
}

// settled reports whether the file has stayed so for a while. A program that rewrites
// a file in place cuts it first, and would write over what is appended before it has
// finished.
func (s *shrinking) settled(size int64, now time.Time) bool {
	if s.to != size || s.at.IsZero() {
		s.to, s.at = size, now
		return false
	}
	return now.Sub(s.at) >= settleTime
}

// noteStale remembers that others continued the conversation with entries that
// came.
func (j *journal) noteStale(came []int) {
	if !slices.ContainsFunc(came, func(i int) bool { return !j.table.Entries[i].Bookkeeping() }) {
		return // nobody continued the conversation
	}
	if j.stale == nil {
		j.stale = &StaleError{Path: j.file}
	}
	for _, i := range came {
		j.stale.Entries = append(j.stale.Entries, j.table.ID(i))
	}
	j.stale.Leaf = j.idOf(j.resumePoint())
}

// takeInterleaved reads a stretch of the file that holds the own new entry and
// what else changed: lines of a writer that takes no locks, a torn line sealed.
// The caller has not seen such lines when it appended, so they count as those
// of others do.
func (j *journal) takeInterleaved(ctx context.Context, at spot) error {
	j.mu.Lock()
	before := j.standing
	if !at.beside {
		j.stale = nil // the caller, or the policy, has decided about what came before
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

// pi rewrites a file of an old version in place as soon as it opens it, without a
// lock, from what it read a moment before. What is appended in between is gone.
// So the first append to a file that may be rewritten right now waits, and one
// that replaced an old file looks again.
const (
	changedLately = time.Second / 2       // a file that changed since may be about to change again
	quietTime     = 50 * time.Millisecond // a rewrite does not rest for so long
	oldQuiet      = time.Second / 2       // nor does a program between reading an old file and rewriting it
	mostQuiet     = 5 * time.Second       // others may write without end
)

// settle waits, before the first append to a file that was opened, until nobody
// rewrites it, and reads it anew if somebody did. Files of a store that was given
// are nobody else's.
func (j *journal) settle(ctx context.Context) error {
	if !j.opened || j.opt.Store != nil || j.log == nil {
		return nil
	}
	j.opened = false
	first, err := os.Stat(j.file)
	if err != nil {
		return nil // the append says what is wrong
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

// awaitRest waits until the file has not changed for so long, and returns what it
// is then. A change means that somebody is at work, who does not rest for long. The
// error is the context's.
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

// stands reports a conflict when a line that replaced an old file, at that offset,
// was written over by a program that had read the old one. The session has read
// the file again then.
func (j *journal) stands(ctx context.Context, at int64, line []byte) error {
	if j.opt.Store != nil {
		return nil
	}
	now, err := os.Stat(j.file)
	if err != nil {
		return nil // deleted behind the append, as any file can be
	}
	_, _ = j.awaitRest(ctx, now, quietTime) // who does not want to wait is told what holds now
	ctx = context.WithoutCancel(ctx)
	there := make([]byte, len(line))
	if n, _ := j.log.ReadAt(there, at); n == len(line) && bytes.Equal(there, line) {
		return nil
	}
	if _, err := j.reload(ctx, "", j.log); err != nil {
		return fmt.Errorf("the entry was written, and another program wrote over it: %w", err)
	}
	return fmt.Errorf("%w: it wrote over the entry", store.ErrConflict)
}
