// Package foreign opens sessions by path that are not files of lines: those of
// other agents, and those in databases. Their lines are made while they are read.
//
// A list adds the sessions that it finds; whoever opens one of these paths later
// in the process reads its lines. Nothing is stored: an open session is in memory,
// or, if it is large, in a private temporary file until it is closed.
package foreign

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A Session is a session whose lines are made when it is read.
type Session struct {
	// Path names the session. It need not exist.
	Path string
	// Original is the file or database that is read.
	Original string
	// Modified is the time of the last write to the session.
	Modified time.Time
	// Stamp changes whenever the lines may change.
	Stamp uint64
	// Lines yields the lines, without line feeds. They are valid until the next
	// one. An error comes last; a *DamagedError means that a part was left out.
	Lines func(ctx context.Context) iter.Seq2[[]byte, error]
}

// A DamagedError means that a part of a session could not be read.
type DamagedError struct{ Err error }

func (e *DamagedError) Error() string { return e.Err.Error() }
func (e *DamagedError) Unwrap() error { return e.Err }

// known are the sessions that this process found, by their roots.
var known = struct {
	sync.RWMutex
	roots map[string]*root
}{roots: map[string]*root{}}

// A root is a directory or database with its sessions by their paths.
type root struct {
	real     string // without symbolic links
	sessions map[string]*Session
}

// Add makes the sessions of a root known, in place of those found before.
func Add(dir string, sessions []*Session) {
	r := &root{real: dir, sessions: make(map[string]*Session, len(sessions))}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		r.real = real
	}
	for _, s := range sessions {
		r.sessions[s.Path] = s
	}
	known.Lock()
	defer known.Unlock()
	known.roots[dir] = r
}

// Find returns the session at a path, or nil if it is not foreign.
func Find(path string) *Session {
	known.RLock()
	defer known.RUnlock()
	for dir, r := range known.roots {
		for _, base := range [...]string{dir, r.real} {
			if rest, ok := strings.CutPrefix(path, base); ok {
				if s := r.sessions[dir+rest]; s != nil {
					return s
				}
			}
		}
	}
	return nil
}

// A File is an open session: a regular file, or the lines of a foreign session.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

// Open opens the session at a path.
func Open(ctx context.Context, path string) (File, error) {
	if s := Find(path); s != nil {
		return s.open(ctx)
	}
	return os.Open(path)
}

// Stat describes the file at a path. The size of a foreign session is 0: it is
// known when its lines are made.
func Stat(path string) (fs.FileInfo, error) {
	s := Find(path)
	if s == nil {
		return os.Stat(path)
	}
	if _, err := os.Stat(s.Original); err != nil {
		return nil, err
	}
	return s.Info(), nil
}

// Info describes a session. Its size is 0.
func (s *Session) Info() fs.FileInfo { return info{s, 0} }

// An info describes a session.
type info struct {
	of   *Session
	size int64
}

func (i info) Name() string       { return filepath.Base(i.of.Path) }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return 0o400 }
func (i info) ModTime() time.Time { return i.of.Modified }
func (i info) IsDir() bool        { return false }
func (i info) Sys() any           { return i.of }

// mostMemory is the size of the largest session that is kept in memory.
const mostMemory = 64 << 20

// open reads the lines.
func (s *Session) open(ctx context.Context) (_ File, err error) {
	stamp, err := StampOf(s.Original)
	if err != nil {
		return nil, err
	}
	out := &file{stamp: stamp, original: s.Original}
	defer func() {
		if err != nil {
			_ = out.Close() // it was not used
		}
	}()
	var b bytes.Buffer
	size := int64(0)
	for line, err := range s.Lines(ctx) {
		var damaged *DamagedError
		if errors.As(err, &damaged) {
			break
		} else if err != nil {
			return nil, err
		}
		b.Write(line)
		b.WriteByte('\n')
		size += int64(len(line)) + 1
		if b.Len() > mostMemory || out.temp != nil && b.Len() > 1<<20 {
			if err := out.spill(&b); err != nil {
				return nil, err
			}
		}
	}
	if out.temp != nil {
		if err := out.spill(&b); err != nil {
			return nil, err
		}
		out.SectionReader = io.NewSectionReader(out.temp, 0, size)
	} else {
		out.SectionReader = io.NewSectionReader(bytes.NewReader(b.Bytes()), 0, size)
	}
	out.info = info{s, size}
	return out, nil
}

// A file has the lines of a foreign session.
type file struct {
	*io.SectionReader
	info     fs.FileInfo
	temp     *os.File // nil if they are in memory
	original string
	stamp    string
}

// spill moves lines to the temporary file.
func (f *file) spill(b *bytes.Buffer) (err error) {
	if f.temp == nil {
		if f.temp, err = os.CreateTemp("", "pith-session-"); err != nil {
			return err
		}
		_ = os.Remove(f.temp.Name()) // where an open file can be removed; otherwise Close does
	}
	_, err = b.WriteTo(f.temp)
	return err
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f *file) Close() error {
	if f.temp == nil {
		return nil
	}
	err := f.temp.Close()
	_ = os.Remove(f.temp.Name()) // usually it is gone
	return err
}

// changed reports whether the original was written to since.
func (f *file) changed() bool {
	now, err := StampOf(f.original)
	return err != nil || now != f.stamp
}
