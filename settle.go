package pith

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/pith-sessions/pith/store"
)

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
func (j *journal) settle() error {
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
	last := j.awaitRest(first, rest)
	if isUnchanged(first, last) {
		return nil
	}
	if !os.SameFile(first, last) || last.Size() >= first.Size() && j.migrated == nil {
		return j.catchUp(context.Background(), "")
	}
	return j.reload(context.Background(), "")
}

// awaitRest waits until the file has not changed for so long, and returns what it
// is then. A change means that somebody is at work, who does not rest for long.
func (j *journal) awaitRest(last fs.FileInfo, rest time.Duration) fs.FileInfo {
	for end := time.Now().Add(mostQuiet); time.Now().Before(end); rest = quietTime {
		time.Sleep(rest)
		now, err := os.Stat(j.file)
		if err != nil || isUnchanged(last, now) {
			break
		}
		last = now
	}
	return last
}

func isUnchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// stands reports a conflict when a line that replaced an old file, at that offset,
// was written over by a program that had read the old one. The session has read
// the file again then.
func (j *journal) stands(at int64, line []byte) error {
	if j.opt.Store != nil {
		return nil
	}
	now, err := os.Stat(j.file)
	if err != nil {
		return nil // deleted behind the append, as any file can be
	}
	j.awaitRest(now, quietTime)
	there := make([]byte, len(line))
	if n, _ := j.log.ReadAt(there, at); n == len(line) && bytes.Equal(there, line) {
		return nil
	}
	if err := j.reload(context.Background(), ""); err != nil {
		return fmt.Errorf("the entry was written, and another program wrote over it: %w", err)
	}
	return fmt.Errorf("%w: it wrote over the entry", store.ErrConflict)
}
