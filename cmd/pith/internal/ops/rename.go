package ops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store/filestore"
)

// RenameParams say which session of another agent gets which name.
type RenameParams struct {
	Session catalog.Ref
	Name    string
	// IfUnnamed leaves a session alone that has a name.
	IfUnnamed bool
	Catalog   catalog.Options
	Now       time.Time
	// Agree is shown the plan before anything changes. An error ends Rename.
	Agree func(ctx context.Context, plan *Renamed) error
}

// A Renamed is the plan and the outcome of Rename.
type Renamed struct {
	Program      string // title of the agent
	Before, Name string
	Files        []string // those that change; none if the session has the name
}

// IsForeign reports whether the session that is read from path belongs to another
// agent, so that Rename names it.
func IsForeign(path string) bool {
	h, err := sessiondir.HeaderOf(path)
	return err == nil && h.Source != ""
}

// Rename gives a session of another agent a name as that agent itself does it. It
// changes nothing if the session has the name. The error is a *NoNameError for an
// agent whose sessions cannot be named from outside.
func Rename(ctx context.Context, p RenameParams) (*Renamed, error) {
	info, err := catalog.Facts(ctx, p.Session, p.Catalog)
	if err != nil {
		return nil, err
	}
	f, err := findForeign(ctx, p.Session, p.Catalog, nil)
	if database := (*DatabaseError)(nil); errors.As(err, &database) {
		err = &NoNameError{database.Program, database.Session}
	}
	if err != nil {
		return nil, err
	}
	namer, ok := f.program.(sources.Namer)
	if !ok {
		return nil, &NoNameError{f.program.Title(), f.header.ID}
	}
	r := &Renamed{Program: f.program.Title(), Before: info.Name, Name: format.CleanName(p.Name)}
	changes, err := namer.Rename(ctx, f.root, f.session, r.Name, p.Now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Program, err)
	}
	if r.Name == info.Name || p.IfUnnamed && info.Name != "" {
		r.Name = info.Name
		return r, nil
	}
	for i := range changes {
		r.Files = append(r.Files, changes[i].Path)
	}
	if err := f.checkClosed(ctx); err != nil {
		return nil, err
	}
	if err := p.Agree(ctx, r); err != nil {
		return r, err
	}
	if err := f.checkClosed(ctx); err != nil {
		return r, err
	}
	for i := range changes {
		if err := makeChange(ctx, &changes[i]); err != nil {
			return r, fmt.Errorf("rename in %s: %w", changes[i].Path, err)
		}
	}
	return r, nil
}

// makeChange changes a file of another agent, completely or not at all.
func makeChange(ctx context.Context, c *sources.Change) error {
	switch {
	case c.Do != nil:
		return c.Do(ctx)
	case c.Replace != nil:
		return filestore.WriteFile(c.Path, c.Replace)
	}
	if _, err := os.Lstat(c.Path); errors.Is(err, fs.ErrNotExist) {
		return filestore.WriteFile(c.Path, c.Append)
	}
	files := filestore.New(filestore.Options{})
	log, err := files.Open(ctx, c.Path)
	if err != nil {
		return err
	}
	defer log.Close() // Append reports errors
	size, err := log.Size(ctx)
	if err != nil {
		return err
	}
	line := c.Append
	last := make([]byte, 1)
	if size > 0 {
		if _, err := log.ReadAt(last, size-1); err != nil {
			return err
		}
		if last[0] != '\n' { // a line that was not finished stays, on its own
			line = append([]byte("\n"), bytes.Clone(line)...)
		}
	}
	_, err = log.Append(ctx, size, line)
	return err
}
