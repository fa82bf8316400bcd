package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// ErrExists means that the output file already exists.
var ErrExists = errors.New("file already exists")

// ErrItself means that the export would replace its own session, which is never
// allowed. It matches ErrExists.
var ErrItself = fmt.Errorf("%w: the session itself", ErrExists)

// FileName returns a file name made from the redacted title of the session.
func (p *Plan) FileName() string { return FileName(p.title, p.id, p.Format) }

// FileName returns a file name made from an untrusted title, or from an id.
func FileName(title, id string, f Format) string {
	name := slug(title)
	if name == "" {
		name = "session-" + slug(id[:min(len(id), 8)])
	}
	return name + "." + f.Ending()
}

// slug returns the letters and digits of a text, with dashes between words.
func slug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 60 {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// WriteFile writes the session to a file of that name, which must not exist
// unless replace is set; it never follows a symbolic link. The file appears
// when it is complete and checked: a full disk, an error or a kill leaves no
// partial file.
func (p *Plan) WriteFile(ctx context.Context, name string, replace bool) (r Report, err error) {
	if err := p.free(name, replace); err != nil {
		return r, err
	}
	defer func() { err = asAskedFor(err, name) }()
	sweep(filepath.Dir(name), time.Now())
	sweep(os.TempDir(), time.Now())
	temp, err := os.CreateTemp(filepath.Dir(name), unfinished+"*")
	if err != nil {
		return r, err
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	if r, err = p.Write(ctx, temp); err != nil {
		return r, err
	}
	p.collect()
	synced := make(chan error, 1) // check the file while the disk syncs
	go func() { synced <- temp.Sync() }()
	if err := errors.Join(p.Check(ctx, temp), <-synced); err != nil {
		return r, err
	}
	if err := temp.Close(); err != nil {
		return r, err
	}
	if replace {
		return r, os.Rename(temp.Name(), name)
	}
	err = os.Link(temp.Name(), name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return r, &fs.PathError{Op: "export", Path: name, Err: ErrExists}
	case err != nil: // the file system has no links
		if err := p.free(name, false); err != nil {
			return r, err
		}
		return r, os.Rename(temp.Name(), name)
	}
	return r, nil
}

// asAskedFor rewrites an error about the temporary file to one about the
// requested file.
func asAskedFor(err error, name string) error {
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: "write", Path: name, Err: link.Err}
	}
	path, ok := errors.AsType[*fs.PathError](err)
	if ok && filepath.Dir(path.Path) == filepath.Dir(name) && strings.HasPrefix(filepath.Base(path.Path), unfinished) {
		return &fs.PathError{Op: "write", Path: name, Err: path.Err}
	}
	return err
}

// unfinished is the prefix of temporary files of an export, here and in the
// command.
const unfinished = ".pith-export-"

// abandoned is the age from which a temporary file counts as abandoned.
const abandoned = time.Hour

// sweep removes temporary files and directories of killed exports from a
// directory. It ignores errors.
func sweep(dir string, now time.Time) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), unfinished) {
			continue
		}
		if info, err := f.Info(); err == nil && now.Sub(info.ModTime()) > abandoned {
			_ = os.RemoveAll(filepath.Join(dir, f.Name()))
		}
	}
}

// free returns an error if the file cannot be written.
func (p *Plan) free(name string, replace bool) error {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "export", Path: name, Err: fmt.Errorf("%w and is not a regular file", ErrExists)}
	case !replace:
		return &fs.PathError{Op: "export", Path: name, Err: ErrExists}
	}
	if source, err := os.Stat(p.source); err == nil && os.SameFile(source, info) {
		return &fs.PathError{Op: "export", Path: name, Err: ErrItself}
	}
	return nil
}
