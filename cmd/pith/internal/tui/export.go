package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/sessiondir"
)

// export writes the path to an entry, or to where the session stands, to a file
// of its own: a session that pi opens. An existing file is never overwritten.
func (a *App) export(id, path string) tea.Cmd {
	o := a.open
	a.closeTree()
	return a.work("exporting", func(context.Context) done {
		s := o.session()
		if id == "" {
			id = s.LeafID()
		}
		return a.exported(s, id, path)
	})
}

// exported writes the path to an entry of a session. A path of "" means a name
// made of the time, in the project.
func (a *App) exported(s *pith.Session, id, path string) done {
	now := format.FormatTime(a.c.now())
	if path == "" {
		path = "session-" + strings.NewReplacer(":", "-", ".", "-").Replace(now) + ".jsonl"
	}
	path = sessiondir.ExpandPath(strings.Trim(path, `"'`), a.c.Cwd)
	if filepath.Ext(path) != ".jsonl" {
		return done{err: fmt.Errorf("export to %s: give a name that ends in .jsonl", path)}
	}
	if err := writePath(s, id, path, now); err != nil {
		return done{err: err}
	}
	return done{note: "exported to " + a.homely(path)}
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
