package sessiondir

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// MostRecent returns the session of a working directory in some directories
// that was used last, or "": the one that a list of them has first. It reads
// the sessions in the order in which their files were written, until no other
// can be more recent, and only the headers of other projects' sessions. It skips
// unreadable files and sessions that tools marked as internal.
func MostRecent(ctx context.Context, cwd string, dirs ...string) (string, error) {
	files, err := sessionFiles(dirs)
	if err != nil {
		return "", err
	}
	var best struct {
		path, id string
		used     time.Time
	}
	now := time.Now()
	for _, f := range files {
		if best.path != "" && f.modified.Before(best.used) {
			break // see Recency: so are all others
		}
		id, used, err := f.read(ctx, cwd, now)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			continue
		}
		if best.path == "" || cmp.Or(used.Compare(best.used), cmp.Compare(best.id, id), cmp.Compare(best.path, f.path)) > 0 {
			best.path, best.id, best.used = f.path, id, used
		}
	}
	return best.path, nil
}

// LastUsed returns the time at which a session was last used, as in pi's list:
// that of its last user or assistant message in milliseconds, or if that is 0,
// the time in the header, or if there is none, the time of its file.
func LastUsed(h *format.Header, activity int64, written time.Time) time.Time {
	if activity > 0 {
		return time.UnixMilli(activity).UTC()
	}
	if t, ok := h.Time(); ok && h.Version <= format.Version { // messages of newer versions cannot be read
		return t
	}
	return written
}

// clockError is how far ahead the clock of another machine may be.
const clockError = time.Minute

// Recency returns the time by which lists order sessions, the latest first. It
// is the time when the session was last used, but no later than its file was
// written: no message is newer than its file. If that is in the future too, a
// clock was wrong, and it is the time when the session was created, or the zero
// time. A zero written means that the session has no file.
func Recency(used, created, written, now time.Time) time.Time {
	if !written.IsZero() && used.After(written) {
		used = written
	}
	future := now.Add(clockError)
	if !used.After(future) {
		return used
	}
	if !created.After(future) {
		return created
	}
	return time.Time{}
}

type sessionFile struct {
	path     string
	modified time.Time
}

// sessionFiles returns the regular files in directories that may be sessions,
// the newest first. It omits files that it cannot stat.
func sessionFiles(dirs []string) ([]sessionFile, error) {
	var out []sessionFile
	for i, dir := range dirs {
		if slices.Contains(dirs[:i], dir) {
			continue
		}
		names, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, listError(dir, err)
		}
		for _, n := range names {
			if !strings.HasSuffix(n.Name(), ".jsonl") {
				continue
			}
			path := filepath.Join(dir, n.Name())
			info, err := os.Stat(path)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			out = append(out, sessionFile{path, info.ModTime()})
		}
	}
	slices.SortStableFunc(out, func(a, b sessionFile) int { return b.modified.Compare(a.modified) })
	return out, nil
}

// read returns the ID of a session of a working directory, and its Recency.
func (f *sessionFile) read(ctx context.Context, cwd string, now time.Time) (id string, used time.Time, err error) {
	in, err := os.Open(f.path)
	if err != nil {
		return "", time.Time{}, err
	}
	defer in.Close()
	h, err := ReadHeader(in)
	if err != nil {
		return "", time.Time{}, err
	}
	if h.Internal || !SameProject(h.Cwd, cwd) {
		return "", time.Time{}, errOther
	}
	var lines jsonl.Lines
	var record journal.Record
	var activity int64
	take := func(r *journal.Record) {
		if at, ok := r.Activity(); ok {
			activity = max(activity, at)
		}
	}
	_, err = lines.Each(ctx, in, 0, math.MaxInt64, func(line *jsonl.Line) error {
		record.Each(line.Data, take)
		return nil
	})
	if err != nil {
		return "", time.Time{}, err
	}
	created, ok := h.Time()
	if !ok {
		created = f.modified
	}
	return h.ID, Recency(LastUsed(h, activity, f.modified), created, f.modified, now), nil
}

// errOther means that a session is not one of those to choose from.
var errOther = errors.New("a session of another project")
