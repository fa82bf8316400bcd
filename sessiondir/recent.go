package sessiondir

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/format"
)

// MostRecent returns the session file with the most recent message of those of
// a working directory in some directories, or "". It uses the time of the last
// user or assistant message, as in a list, and not that of the file, which a
// rename changes too. It reads only the heads and tails of files. It skips
// unreadable files and sessions that tools marked as internal.
func MostRecent(ctx context.Context, cwd string, dirs ...string) (string, error) {
	files, err := sessionFiles(dirs)
	if err != nil {
		return "", err
	}
	var best string
	var bestTime time.Time
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		// No message is newer than its file, so no later file can win.
		if best != "" && f.modified.Before(bestTime) {
			break
		}
		h, last, err := headAndTail(f.path)
		if err != nil || h.Internal || !SameProject(h.Cwd, cwd) {
			continue
		}
		if last.IsZero() {
			last, _ = h.Time()
		}
		if last.After(f.modified) {
			last = f.modified // a clock was wrong: no message is newer than its file
		}
		if best == "" || last.After(bestTime) {
			best, bestTime = f.path, last
		}
	}
	return best, nil
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

// headAndTail returns a session's header and the time of its last user or
// assistant message, which is zero if the end of the file has none.
func headAndTail(path string) (*format.Header, time.Time, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	h, err := ReadHeader(f)
	if err != nil {
		return nil, time.Time{}, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	return h, lastActivity(f, info.Size()), nil
}

// lastActivity searches the end of a file for the last user or assistant
// message. A quarter of a megabyte contains many; if it contains none, a second
// read is sixteen times as large.
func lastActivity(r io.ReaderAt, size int64) time.Time {
	for span := int64(256 << 10); ; span *= 16 {
		from := max(0, size-span)
		buf := make([]byte, size-from)
		if _, err := r.ReadAt(buf, from); err != nil && !errors.Is(err, io.EOF) {
			return time.Time{}
		}
		if from > 0 {
			_, buf, _ = bytes.Cut(buf, []byte{'\n'})
		}
		if t := lastMessageTime(buf); !t.IsZero() || from == 0 || span >= 4<<20 {
			return t
		}
	}
}

func lastMessageTime(buf []byte) time.Time {
	for len(buf) > 0 {
		i := bytes.LastIndexByte(buf[:len(buf)-1], '\n')
		line := buf[i+1:]
		buf = buf[:i+1]
		if !bytes.Contains(line, []byte(`"message"`)) {
			continue
		}
		entry, err := format.DecodeEntry(line)
		if err != nil {
			continue
		}
		if t, ok := activityTime(entry); ok {
			return t
		}
	}
	return time.Time{}
}

// activityTime returns the time of a user or assistant message. ok is false for
// every other entry, and if the time is unknown.
func activityTime(e format.Entry) (_ time.Time, ok bool) {
	m, ok := e.(*format.MessageEntry)
	if !ok || m.Message == nil {
		return time.Time{}, false
	}
	if r := m.Message.Role(); r != format.RoleUser && r != format.RoleAssistant {
		return time.Time{}, false
	}
	if t, ok := m.Message.Time(); ok {
		return t, true
	}
	return m.Time()
}
