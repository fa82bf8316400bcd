package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/store/memstore"
)

var (
	// ErrChanged means that other writers changed the log. Nothing was appended,
	// and the State returned with the error has their changes.
	ErrChanged = errors.New("the log was changed by another writer")
	// ErrRewriting means that the file became shorter while it was open.
	ErrRewriting = errors.New("the file shrank: another program is rewriting it; try again in a moment")
	// ErrNotDurable means that a line was appended, but that the store could not
	// make it durable or could not read it back.
	ErrNotDurable = errors.New("the entry is written but not durable")
	// ErrEmpty means that a log has no bytes.
	ErrEmpty = fmt.Errorf("%w: it is empty", format.ErrNotSession)
)

// A Journal is a log and what it contains. Its methods other than Current must
// not be called concurrently. No method holds a lock while it reads or writes.
type Journal struct {
	// Sync makes every append call Sync on the log. The default file store syncs
	// during the append.
	Sync bool
	// Now is the clock.
	Now func() time.Time

	current atomic.Pointer[State]
	store   store.Store // nil for a draft
	name    string
	log     store.Log
	files   bool        // other programs may rewrite the file in place
	former  []store.Log // replaced logs, which States may still read
	rewrites
}

// Open opens a log. It changes nothing. The error matches ErrEmpty if the log has
// no bytes.
func Open(ctx context.Context, st store.Store, name string) (*Journal, error) {
	log, err := st.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	j := &Journal{Now: time.Now, store: st, name: name, log: log, files: filestore.Is(st)}
	j.unsettled = j.files
	size, err := log.Size(ctx)
	if err == nil && size == 0 {
		err = ErrEmpty
	}
	var s *State
	if err == nil {
		s, err = read(ctx, log, size)
	}
	if err != nil {
		_ = log.Close() // nothing was written; the first error is returned
		return nil, err
	}
	j.set(s)
	return j, nil
}

// New returns the draft of a log, which is in memory. data begins with a header.
func New(data []byte) (*Journal, error) {
	ctx := context.Background()
	log, err := memstore.New().Create(ctx, "draft", store.Bytes(data))
	if err != nil {
		return nil, err
	}
	s, err := read(ctx, log, int64(len(data)))
	if err != nil {
		return nil, err
	}
	j := &Journal{Now: time.Now, log: log}
	j.set(s)
	return j, nil
}

// Current returns the State of now. It never blocks.
func (j *Journal) Current() *State { return j.current.Load() }

// Draft reports whether the log is only in memory.
func (j *Journal) Draft() bool { return j.store == nil }

// Close closes the log. States cannot be read any more, unless they are of a
// draft.
func (j *Journal) Close() error {
	if j.Draft() {
		return nil
	}
	err := j.log.Close()
	for _, log := range j.former {
		_ = log.Close() // nothing was written to it since it was replaced
	}
	j.former = nil
	return err
}

// set makes a State the one of now.
func (j *Journal) set(s *State) *State {
	j.current.Store(s)
	return s
}

// replace makes a log take the place of the current one.
func (j *Journal) replace(log store.Log) {
	if log != j.log {
		j.former = append(j.former, j.log)
		j.log = log
	}
}

// read reads a whole log. It reads a log of an old version as if it were
// migrated.
func read(ctx context.Context, log store.Log, size int64) (*State, error) {
	s, err := Scan(ctx, log, size)
	if err == nil && s.Header == nil {
		err = s.headerless()
	}
	if err == nil && s.NeedsMigration() {
		s, err = s.migrated(ctx, log)
	}
	return s, err
}

// Append writes a line, which ends in LF, after a State and returns the next
// one. If the log changed since, it writes nothing and returns the State of now
// and an error that matches ErrChanged. The State that Append returns has more
// than the line if a writer that takes no locks interfered, or if a torn line
// was sealed. On an error that matches ErrNotDurable the line is in the log,
// and the State is nil if it could not be read back.
func (j *Journal) Append(ctx context.Context, after *State, line []byte) (*State, error) {
	s := j.Current()
	if after != s {
		return s, ErrChanged
	}
	next, err := j.append(ctx, s, line)
	if errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrGone) {
		if next, err = j.Refresh(ctx); err == nil {
			err = ErrChanged
		}
	}
	return next, err
}

func (j *Journal) append(ctx context.Context, s *State, line []byte) (*State, error) {
	if s.Old != nil {
		if _, err := j.publish(ctx, s, line); err != nil {
			return nil, err
		}
		next := s.with(line, s.Size)
		next.Old, next.Body = nil, j.log
		j.set(next)
		return next, j.checkOverwritten(ctx, s.Size, line)
	}
	if j.files && errors.Is(s.end.check(j.log, s.Size), errRescan) {
		return nil, store.ErrConflict // a program without locks rewrote it, to the same length
	}
	at, text := s.Size, line
	if s.Tail != TailClean {
		text = append([]byte{'\n'}, line...) // ends an unterminated line (pitfalls 1, 2)
	}
	off, err := j.log.Append(ctx, at, text)
	if err != nil {
		return nil, err
	}
	if off != at || s.Tail == TailTorn {
		next, err := j.Refresh(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNotDurable, err) // appending again would duplicate the entry
		}
		return next, j.makeDurable(ctx)
	}
	return j.set(s.with(line, at+int64(len(text)-len(line)))), j.makeDurable(ctx)
}

// with returns the State after a line that was appended at an offset.
func (s *State) with(line []byte, at int64) *State {
	next := s.follow(at)
	size := int64(len(line))
	_ = next.line(&jsonl.Line{Data: line[:size-1], At: at, Size: size, Ended: true}) // it has a header and is an entry
	if at > s.Size {
		next.end.add([]byte{'\n'})
	}
	next.end.add(line)
	return next.done(at + size)
}

func (j *Journal) makeDurable(ctx context.Context) error {
	if !j.Sync || j.Draft() {
		return nil
	}
	if err := j.log.Sync(ctx); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

// Create writes a draft, and the output of rest after it, to a new log in a
// store, and continues there.
func (j *Journal) Create(ctx context.Context, st store.Store, name string, rest store.Fill) (*State, error) {
	draft := j.Current()
	var written *writer
	log, err := st.Create(ctx, name, func(w io.Writer) error {
		written = newWriter()
		w = io.MultiWriter(w, written)
		if _, err := io.Copy(w, io.NewSectionReader(draft.Body, 0, draft.Size)); err != nil {
			return err
		}
		if err := rest(w); err != nil {
			return err
		}
		return written.flush()
	})
	if err != nil {
		return nil, err
	}
	j.log, j.store, j.name, j.files = log, st, name, filestore.Is(st)
	s := written.state(log)
	s.birth = draft.birth
	return j.set(s), nil
}

// Migrate replaces a log of an old version by its migrated form, and returns the
// name of the backup, or "" if there was nothing to do. If the log changed
// since it was read, the State of now has the changes and the error matches
// ErrChanged.
func (j *Journal) Migrate(ctx context.Context) (backup string, err error) {
	s := j.Current()
	if s.Old == nil {
		return "", nil
	}
	backup, err = j.publish(ctx, s, nil)
	switch {
	case err == nil:
		next := *s
		next.Old, next.Body = nil, j.log
		j.set(&next)
	case errors.Is(err, store.ErrConflict) || errors.Is(err, store.ErrGone):
		if _, err = j.Refresh(ctx); err == nil {
			err = ErrChanged
		}
	}
	return backup, err
}

// publish replaces an old log by its migrated form and one more line, if it has
// not changed since it was read (pitfall 167). It keeps the old log as a backup
// (pitfalls 33, 34).
func (j *Journal) publish(ctx context.Context, s *State, line []byte) (backup string, err error) {
	fill := func(w io.Writer) error {
		if _, err := io.Copy(w, io.NewSectionReader(s.Body, 0, s.Size)); err != nil {
			return err
		}
		_, err := w.Write(line)
		return err
	}
	log, backup, err := store.ReplaceKeeping(ctx, j.store, j.log, s.Old.Size, fill, j.name)
	if err == nil {
		j.replace(log)
	}
	return backup, err
}

// Refresh reads what other writers added. On error the State of now stays.
func (j *Journal) Refresh(ctx context.Context) (*State, error) {
	s := j.Current()
	if j.Draft() {
		return s, nil
	}
	size, err := j.log.Size(ctx)
	if errors.Is(err, store.ErrGone) {
		return j.rejoin(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	known := s.Size
	if s.Old != nil {
		known = s.Old.Size
	}
	if err := j.settled(size, known); err != nil {
		return nil, err
	}
	if size < known || s.Old != nil && size != known { // an old version: migrate it again
		return j.reload(ctx, j.log, size)
	}
	slot, err := s.Slot.reread(j.log)
	if err != nil {
		return nil, unread(err)
	}
	next := s
	if s.Old == nil {
		next, err = s.extend(ctx, j.log, size)
	}
	if errors.Is(err, errRescan) {
		return j.reload(ctx, j.log, size)
	}
	if err != nil {
		return nil, unread(err)
	}
	if slot != next.Slot {
		again := *next
		again.Slot = slot
		next = &again
	}
	return j.set(next), nil
}

// reload reads a log from its start, for the rare case that its past has changed
// or that another log replaced it.
func (j *Journal) reload(ctx context.Context, log store.Log, size int64) (*State, error) {
	s, err := read(ctx, log, size)
	if err != nil {
		return nil, unread(err)
	}
	if s.Header.ID != j.Current().Header.ID {
		return nil, fmt.Errorf("%w: the file now contains another session", store.ErrGone)
	}
	j.replace(log)
	return j.set(s), nil
}

// rejoin continues in the log that replaced the journal's own, if it holds the
// same session: another process migrated it, or a tool rewrote it.
func (j *Journal) rejoin(ctx context.Context, gone error) (*State, error) {
	log, err := j.store.Open(ctx, j.name)
	if err != nil {
		return nil, gone
	}
	size, err := log.Size(ctx)
	if err == nil {
		var s *State
		if s, err = j.reload(ctx, log, size); err == nil {
			return s, nil
		}
	}
	_ = log.Close() // only read; the first error is returned
	if errors.Is(err, format.ErrNotSession) {
		err = gone
	}
	return nil, err
}

// unread explains a read error. A log that ends too early was truncated during
// the read.
func unread(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrRewriting
	}
	return err
}
