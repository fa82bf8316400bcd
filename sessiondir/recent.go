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

// MostRecent is the session file in which something was said last among those of
// a working directory in some folders; "" if there is none. Recency is the time of
// the last message of user or assistant, as in a list, and not that of the file,
// which a rename changes too. Only heads and tails of files are read. A file that
// cannot be read is passed over; sessions that a machinery marked as its own are
// too.
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
		// No message is younger than its file, so nothing that follows can win.
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
			last = f.modified // a clock was wrong: nothing is said after its file was written
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

// sessionFiles are the regular files of folders that may be sessions, the
// youngest first. What cannot be looked at is left out.
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

// headAndTail reads a session's header and the time of its last message of
// user or assistant, which is zero when the end of the file has none.
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

// lastActivity looks in the end of a file for the last message of user or
// assistant. A quarter of a megabyte holds many; where it holds none, one more
// look reads sixteen times as much.
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

// activityTime is when something was said: the time of a message of user or
// assistant. ok is false for every other entry, and where the time is unknown.
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
