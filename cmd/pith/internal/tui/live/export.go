package live

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/sessiondir"
)

// Export writes the path to an entry to a file of its own, a session that pi
// opens, and returns its path. An existing file is never overwritten. A path of ""
// means a name made of the time; names are relative to a folder.
func Export(s *pith.Session, id, path, folder string, at time.Time) (string, error) {
	now := format.FormatTime(at)
	if path == "" {
		path = "session-" + strings.NewReplacer(":", "-", ".", "-").Replace(now) + ".jsonl"
	}
	path = sessiondir.ExpandPath(strings.Trim(path, `"'`), folder)
	if filepath.Ext(path) != ".jsonl" {
		return "", fmt.Errorf("export to %s: give a name that ends in .jsonl", path)
	}
	return path, writePath(s, id, path, now)
}

// writePath writes a new file that holds a path, each entry chained to the one
// before it.
func writePath(s *pith.Session, id, path, now string) (err error) {
	entries, err := s.Path(id)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("export to %s: the file exists; give another name", path)
	}
	if err != nil {
		return err
	}
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
		if err != nil {
			os.Remove(path) // it was made here, and is not whole
		}
	}()
	w := bufio.NewWriter(f)
	head := format.Header{Version: format.Version, ID: s.ID(), Timestamp: now, Cwd: s.Cwd()}
	if err := writeLine(w, format.AppendHeader(nil, &head)); err != nil {
		return err
	}
	last := ""
	for e, err := range entries {
		if err != nil {
			return err
		}
		if err := writeLine(w, rechained(e, last)); err != nil {
			return err
		}
		last = e.Head().ID
	}
	return w.Flush()
}

// rechained is the line of an entry with another parent, all else as it is.
func rechained(e format.Entry, parent string) []byte {
	line := format.AppendEntry(nil, e)
	if e.Head().ParentID == parent {
		return line
	}
	value := []byte("null")
	if parent != "" {
		value = jsonl.AppendString(nil, parent)
	}
	return jsonl.Set(line, "parentId", value)
}

func writeLine(w io.Writer, line []byte) error {
	_, err := w.Write(append(line, '\n'))
	return err
}
