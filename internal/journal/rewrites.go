package journal

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/pith-sessions/pith/store"
)

// pi rewrites a file of an old version in place as soon as it opens it, without
// a lock, from data that it read a moment before. Entries appended in between
// are lost. So the first append to a file that may be in the middle of a
// rewrite waits, and an append that replaced an old file checks the file again.
const (
	changedLately = time.Second / 2       // a file that changed within this time may change again soon
	quietTime     = 50 * time.Millisecond // a rewrite does not pause this long
	oldQuiet      = time.Second / 2       // nor does a program between reading an old file and rewriting it
	mostQuiet     = 5 * time.Second       // upper bound, because others may write without end
	settleTime    = time.Second / 2       // how long a file that became shorter must stay unchanged
)

// rewrites is what a Journal notices of programs that rewrite its file in place.
type rewrites struct {
	unsettled bool      // opened from a file and not yet written
	shrunkTo  int64     // the size to which the file shrank
	shrunkAt  time.Time // when that was noticed; zero if it did not shrink
}

// settled returns ErrRewriting if the file is shorter than known and has not had
// its size for settleTime. A program that rewrites a file in place truncates it
// first, and would overwrite entries appended before it finishes.
func (j *Journal) settled(size, known int64) error {
	now := j.Now()
	switch {
	case size >= known:
		j.shrunkAt = time.Time{}
	case j.shrunkTo != size || j.shrunkAt.IsZero():
		j.shrunkTo, j.shrunkAt = size, now
		return ErrRewriting
	case now.Sub(j.shrunkAt) < settleTime:
		return ErrRewriting
	}
	return nil
}

// Settle waits, before the first append to an opened file, until no program is
// rewriting it, and rereads it if it changed. Only files are shared with such
// programs.
func (j *Journal) Settle(ctx context.Context) (*State, error) {
	s := j.Current()
	if !j.unsettled {
		return s, nil
	}
	j.unsettled = false
	first, err := os.Stat(j.name)
	if err != nil {
		return s, nil // the append reports the error
	}
	rest := quietTime
	if s.Old != nil {
		rest = oldQuiet
	} else if age := time.Since(first.ModTime()); age < 0 || age > changedLately {
		return s, nil
	}
	last, err := j.awaitRest(ctx, first, rest)
	if err != nil {
		j.unsettled = true // the next append waits again
		return nil, err
	}
	if isUnchanged(first, last) {
		return s, nil
	}
	if !os.SameFile(first, last) || last.Size() > first.Size() {
		return j.Refresh(ctx)
	}
	return j.reloadNow(ctx)
}

func (j *Journal) reloadNow(ctx context.Context) (*State, error) {
	size, err := j.log.Size(ctx)
	if err != nil {
		return nil, err
	}
	return j.reload(ctx, j.log, size)
}

// awaitRest waits until the file has been unchanged for the given time, and
// returns its last state. After a change it waits only quietTime, because a
// program at work does not pause for long. The only error is the context's.
func (j *Journal) awaitRest(ctx context.Context, last fs.FileInfo, rest time.Duration) (fs.FileInfo, error) {
	for end := time.Now().Add(mostQuiet); time.Now().Before(end); rest = quietTime {
		select {
		case <-ctx.Done():
			return last, ctx.Err()
		case <-time.After(rest):
		}
		now, err := os.Stat(j.name)
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
// case the file has been read again.
func (j *Journal) checkOverwritten(ctx context.Context, at int64, line []byte) error {
	if !j.files {
		return nil
	}
	now, err := os.Stat(j.name)
	if err != nil {
		return nil // deleted after the append, as any file can be
	}
	_, _ = j.awaitRest(ctx, now, quietTime) // if ctx is done, check the current state
	ctx = context.WithoutCancel(ctx)
	there := make([]byte, len(line))
	if n, _ := j.log.ReadAt(there, at); n == len(line) && bytes.Equal(there, line) {
		return nil
	}
	if _, err := j.reloadNow(ctx); err != nil {
		return fmt.Errorf("the entry was written, and another program overwrote it: %w", err)
	}
	return fmt.Errorf("%w: it overwrote the entry", store.ErrConflict)
}
