package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/internal/blame"
	"github.com/pith-sessions/pith/internal/edits"
)

func (s *server) blame(ctx context.Context, c *call) error {
	path, line, offset := c.need("path", "a path"), c.number("line", 0, 1), c.offset()
	if c.bad != nil {
		return c.bad
	}
	l, err := s.library(ctx)
	if err != nil || s.empty(c, l) {
		return err
	}
	file, ok := l.file(path)
	if !ok {
		return usagef("no file %q in the visible projects; use an absolute path, or one relative to a project", short(path, 100))
	}
	index := edits.Open(ctx, s.opt.Catalog.Index.Dir())
	defer index.Close(ctx)
	r, err := blame.File(ctx, file, blame.Options{Sessions: l.infos, Index: index})
	switch f := (*blame.FileError)(nil); {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("no such file: %q", short(path, 100))
	case errors.As(err, &f):
		return usagef("the file %s", f.Err)
	case err != nil:
		return err
	}
	runs := runsOf(r, line)
	if len(runs) == 0 {
		return usagef("the file has %s", humanize.Count(len(r.Lines), "line"))
	}
	asking := s.asking(ctx, l)
	runs = runs[min(offset, len(runs)):]
	c.list(offset, len(runs), false, func(i int, room int64) string { return s.run(l, r, &runs[i], asking, characters(room)) })
	return nil
}

// file finds a file in the projects of the sessions that can be seen.
func (l *library) file(path string) (string, bool) {
	seen := map[string]bool{}
	for i := range l.infos {
		dir := l.infos[i].Cwd
		if seen[dir] || !filepath.IsAbs(dir) {
			continue
		}
		seen[dir] = true
		full := filepath.Clean(path)
		if !filepath.IsAbs(path) {
			full = filepath.Join(dir, path)
		}
		if !strings.HasPrefix(full, strings.TrimRight(dir, string(filepath.Separator))+string(filepath.Separator)) {
			continue
		}
		if _, err := os.Lstat(full); err == nil {
			return full, true
		}
	}
	return "", false
}

// A run is lines that follow each other and that one edit wrote; edit is -1 for none.
type run struct{ first, last, edit int }

// runsOf returns the runs of a file, or the one of a line if that is not 0.
func runsOf(r *blame.Report, line int) (out []run) {
	for i, l := range r.Lines {
		if n := len(out) - 1; n >= 0 && out[n].edit == l.Edit {
			out[n].last = i + 1
		} else {
			out = append(out, run{i + 1, i + 1, l.Edit})
		}
	}
	if line > 0 {
		out = slices.DeleteFunc(out, func(x run) bool { return line < x.first || line > x.last })
	}
	return out
}

func (s *server) run(l *library, r *blame.Report, x *run, asking []string, room int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "lines %d-%d: ", x.first, x.last)
	if x.first == x.last {
		b.Reset()
		fmt.Fprintf(&b, "line %d: ", x.first)
	}
	if x.edit < 0 {
		return b.String() + "not written by any known session\n"
	}
	e := &r.Edits[x.edit]
	if slices.Contains(asking, e.Session.ID) {
		return b.String() + "this session\n"
	}
	s.origin(&b, l, &e.Session, e.EntryID, e.Time)
	if e.Model != "" {
		fmt.Fprintf(&b, ", %s", s.guard.line(e.Model, 60))
	}
	b.WriteString("\n")
	if e.Left {
		b.WriteString("on an abandoned branch\n")
	}
	if e.Request != "" {
		fmt.Fprintf(&b, "asked: %s\n", s.guard.line(e.Request, min(300, room)))
	}
	return b.String()
}
