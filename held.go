package pith

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store/filestore"
)

// Some programs assume that no other program writes to a session that they have
// open: oh-my-pi stops saving once the file is longer than it left it, and
// Atomic rewrites the file from memory. pith does not append to a session while
// such a program may have it open.

// After its last write, a program is assumed to have the session open for this
// long: recently if the system reports which process has a file open,
// thatSameDay if not. A program may stay open and idle for a day.
const (
	recently    = 15 * time.Minute
	thatSameDay = 24 * time.Hour
)

// recheck is how long a negative result is valid while no other program writes.
const recheck = 5 * time.Second

// A HeldError means that the program that owns a session seems to have it open,
// and that an append could make that program lose its next entries. Nothing was
// appended. Options.Force appends anyway.
type HeldError struct {
	Path    string
	Program format.Program
	Process int       // PID of the process that has the file open, or 0
	Written time.Time // last write by the program; zero if long ago
}

func (e *HeldError) Error() string {
	why := "wrote to it a moment ago"
	if e.Process != 0 {
		why = fmt.Sprintf("has it open (process %d)", e.Process)
	}
	return fmt.Sprintf("write to %s: %s %s, and may lose its next entries if another program writes to it", e.Path, e.Program, why)
}

// Held returns a *HeldError if the program that owns the session seems to have
// it open and assumes that no other program writes to it. Append and Migrate
// return the same error.
func (s *Session) Held(ctx context.Context) error {
	if err := s.takePen(ctx); err != nil {
		return s.wrap("read", err)
	}
	defer s.dropPen()
	return s.held(ctx)
}

// holder returns the program that may have the file open. ok is false if that
// program notices other writers, or never had this file: it is a copy, made by
// pith, of oh-my-pi's entries.
func (s *Session) holder() (p format.Program, ok bool) {
	p = s.seen.Signature.Program(s.file)
	if owner, _ := s.seen.Signature.Owner(s.file); p == format.OhMyPi && owner != p {
		return p, false
	}
	return p, p.HoldsSessions()
}

// held is Held for callers that hold the pen.
func (s *Session) held(ctx context.Context) error {
	p, holds := s.holder()
	if s.opt.Force || !s.written || !holds {
		return nil
	}
	now, last := s.opt.now(), s.seen.Len()-1
	if s.check.own == last && now.Sub(s.check.at) < recheck && !now.Before(s.check.at) {
		return nil
	}
	e := &HeldError{Path: s.file, Program: p}
	files := filestore.Is(s.store)
	within := recently
	if files {
		var known bool
		if e.Process, known = filestore.Writer(ctx, s.file); !known {
			within = thatSameDay
		}
	}
	written, err := s.lastWritten(files)
	if err != nil {
		return err
	}
	if age := now.Sub(written); -within < age && age < within {
		e.Written = written
	}
	if e.Process != 0 || !e.Written.IsZero() {
		return e
	}
	s.check = heldCheck{now, last}
	return nil
}

// lastWritten returns the time of the program's last write, or zero if the
// program recorded its exit. Entries that pith wrote are marked and ignored:
// lastWritten then uses the time of the last unmarked entry, otherwise that of
// the file.
func (s *Session) lastWritten(file bool) (time.Time, error) {
	for i := s.seen.Len() - 1; i >= 0; i-- {
		line, err := s.seen.Line(i)
		if err != nil {
			return time.Time{}, s.wrap("read", err)
		}
		e := &s.seen.Entries[i]
		if jsonl.LookupString(line, writerMember) == writerName {
			file = false
			continue
		}
		if e.Flags&journal.IsExit != 0 {
			return time.Time{}, nil
		}
		if file {
			break
		}
		if at := e.Time; at != journal.NoTime {
			return time.UnixMilli(at), nil
		}
	}
	if !file {
		return time.Time{}, nil
	}
	info, err := os.Stat(s.file)
	if err != nil {
		return time.Time{}, s.wrap("append to", cause(err))
	}
	return info.ModTime(), nil
}

// The marker of an entry that pith wrote to a file of a program that holds its
// sessions.
const writerMember, writerName = "writer", "pith"

// marked adds the marker to a line if the program requires it.
func (s *Session) marked(line []byte) []byte {
	if _, holds := s.holder(); !holds {
		return line
	}
	return jsonl.Set(line, writerMember, []byte(`"`+writerName+`"`))
}
