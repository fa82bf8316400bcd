// Package team reads the sessions that were pulled from other people, as those
// of a program: they are read-only, and continue in a fork.
//
// They are in pith's data directory, in a directory for each person. The ID of
// a session is its owner and its own ID, as in bob/0199a1b2, so that it is
// never mistaken for one of this person's.
package team

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/sessiondir"
)

// Name is the short name of the source.
const Name = "team"

// Program implements [sources.Program].
type Program struct{}

func (Program) Name() string  { return Name }
func (Program) Title() string { return "a team" }

// Roots returns the directory of pulled sessions.
func (Program) Roots(e sources.Environment) []string {
	if dir := (sessiondir.Environment{Getenv: e.Getenv, Home: e.Home}).DataDir(); dir != "" {
		return []string{filepath.Join(dir, "team")}
	}
	return nil
}

// Path returns the file of a person's session in a root.
func Path(root, person, session string) string {
	return filepath.Join(root, person, session+format.FileSuffix)
}

// Sessions lists the files PERSON/SESSION.jsonl.
func (Program) Sessions(ctx context.Context, root string) ([]sources.Session, error) {
	var all []sources.Session
	var failed []error
	err := sources.Files(ctx, root, &failed, func(path string, info fs.FileInfo) error {
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		id, ok := strings.CutSuffix(filepath.ToSlash(rel), format.FileSuffix)
		if person, name, two := strings.Cut(id, "/"); ok && two && person != "" && !strings.Contains(name, "/") && !strings.HasPrefix(name, ".") {
			all = append(all, sources.FileSession(id, path, info))
		}
		return nil
	})
	return all, errors.Join(append(failed, err)...)
}

// Translate copies the lines of a session. Its header gets the ID, and names
// the file.
func (Program) Translate(ctx context.Context, s sources.Session, w *sources.Writer) error {
	f, err := os.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<16)
	for head := true; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := r.ReadBytes('\n')
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if head && jsonl.LookupString(line, "type") == string(format.TypeSession) {
			head = false
			for _, m := range [][2]string{{"id", s.ID}, {"source", Name}, {"original", s.Path}} {
				line = jsonl.Set(line, m[0], jsonl.AppendString(nil, m[1]))
			}
		}
		if len(line) > 0 {
			w.Line(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
