package pith

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/tree"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store"
)

// Refresh reads what others have appended since, and returns how many entries
// came. The leaf does not move: see Follow.
func (s *Session) Refresh(ctx context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, s.wrap("read", ErrClosed)
	}
	before := len(s.table.Entries)
	if err := s.catchUp(ctx, ""); err != nil {
		return 0, err
	}
	return max(0, len(s.table.Entries)-before), nil
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

// catchUp reads what the file holds beyond the table. If others continued the
// conversation, the session is stale until the caller decides; the entry called
// own does not count.
func (j *journal) catchUp(ctx context.Context, own string) error {
	if j.log == nil {
		return nil
	}
	size, err := j.log.Size(ctx)
	if errors.Is(err, store.ErrGone) {
		return j.rejoin(ctx, own, err)
	}
	if err != nil {
		return j.wrap("read", err)
	}
	known := j.table.Size()
	if j.migrated != nil {
		known = j.source
	}
	if err := j.table.ReadSlot(j.log); err != nil {
		return j.wrap("read", err)
	}
	if size >= known {
		j.shrunk = shrinking{}
	} else if !j.shrunk.settled(size, j.opt.now()) {
		return j.wrap("read", ErrRewriting)
	}
	if j.migrated != nil { // of an old version; migrate it anew if it changed
		if size == known {
			return nil
		}
		return j.reload(ctx, own)
	}
	entries, labels := len(j.table.Entries), len(j.table.Labels)
	err = j.table.Extend(envelope.Until(ctx, j.log), size)
	if errors.Is(err, envelope.ErrRescan) {
		return j.reload(ctx, own)
	}
	if err != nil {
		return j.wrap("read", err)
	}
	j.extend(labels)
	var came []int
	for i := entries; i < len(j.table.Entries); i++ {
		if j.table.ID(i) != own {
			came = append(came, i)
		}
	}
	j.noteStale(came)
	return nil
}

// rejoin goes on in the file that has taken the place of the session's own, if
// that is the same session: another process migrated it, or a tool rewrote it.
func (j *journal) rejoin(ctx context.Context, own string, gone error) error {
	log, err := j.store.Open(ctx, j.file)
	if err != nil {
		return j.wrap("read", gone)
	}
	if h, err := sessiondir.ReadHeader(log); err != nil || h.ID != j.table.Header.ID {
		_ = log.Close() // a stranger's file; only looked at
		return j.wrap("read", gone)
	}
	former := j.log
	j.log = log
	if err := j.reload(ctx, own); err != nil {
		_ = log.Close() // only read from; the error that counts is the first
		j.log = former
		return err
	}
	j.keepFormer(former)
	return nil
}

// keepFormer keeps a log that was replaced open for contexts that were taken
// before. Only the latest few: each holds a file open.
func (c *content) keepFormer(log store.Log) {
	const most = 4
	c.former = append(c.former, log)
	if len(c.former) > most {
		_ = c.former[0].Close() // only read from
		c.former = c.former[1:]
	}
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
func (j *journal) takeInterleaved(ctx context.Context, own string) error {
	if err := j.catchUp(ctx, own); err != nil {
		return err
	}
	if i := j.tree.Find(own); i != tree.None {
		j.leaf, j.moved = i, j.moved && j.table.Entries[i].Annotates()
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
		return j.catchUp(ctx, "")
	}
	return j.reload(ctx, "")
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
	if err := j.reload(ctx, ""); err != nil {
		return fmt.Errorf("the entry was written, and another program wrote over it: %w", err)
	}
	return fmt.Errorf("%w: it wrote over the entry", store.ErrConflict)
}
