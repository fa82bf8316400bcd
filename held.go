package pith

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store/filestore"
)

// Some programs take it that nobody else writes to a session that they have open:
// oh-my-pi saves nothing any more once the file is longer than it left it, Atomic
// writes the file anew from memory. While such a program may have the session, pith
// does not append to it.

// For so long after it wrote a program is taken to have the session: where the system
// tells who has a file open, and where it does not. A program may stay open, and
// silent, for a day.
const (
	recently    = 15 * time.Minute
	thatSameDay = 24 * time.Hour
)

// recheck is for how long an answer holds while nobody else writes.
const recheck = 5 * time.Second

// A HeldError means that the program which a session belongs to seems to have it
// open, and that an append could cost that program's user what comes next. Nothing
// was appended. Options.Force appends nevertheless.
type HeldError struct {
	Path    string
	Program format.Program
	Process int       // that has the file open; 0 when none was found
	Written time.Time // when the program wrote last; zero when that is long ago
}

func (e *HeldError) Error() string {
	why := "wrote to it a moment ago"
	if e.Process != 0 {
		why = fmt.Sprintf("has it open (process %d)", e.Process)
	}
	return fmt.Sprintf("write to %s: %s %s, and may lose what follows when others write to it", e.Path, e.Program, why)
}

// Held returns a *HeldError when the program that the session belongs to seems to
// have it open, and takes it that nobody else writes to it. An append, and Migrate,
// would end with it.
func (s *Session) Held(ctx context.Context) error {
	if err := s.takePen(ctx); err != nil {
		return s.wrap("read", err)
	}
	defer s.dropPen()
	return s.held(ctx)
}

// held is Held for who has the pen.
func (j *journal) held(ctx context.Context) error {
	p := j.program()
	if j.opt.Force || j.log == nil || !p.HoldsSessions() {
		return nil
	}
	now, last := j.opt.now(), len(j.table.Entries)-1
	if j.own == last && now.Sub(j.asked) < recheck && !now.Before(j.asked) {
		return nil
	}
	e := &HeldError{Path: j.file, Program: p}
	_, files := j.store.(*filestore.Store)
	within := recently
	if files {
		var told bool
		if e.Process, told = filestore.Writer(ctx, j.file); !told {
			within = thatSameDay
		}
	}
	written, err := j.lastWritten(files)
	if err != nil {
		return err
	}
	if age := now.Sub(written); -within < age && age < within {
		e.Written = written
	}
	if e.Process != 0 || !e.Written.IsZero() {
		return e
	}
	j.asked, j.own = now, last
	return nil
}

// lastWritten is when the session's program wrote to it last; zero when it said
// that it left. Entries that pith wrote say so, and count for nothing: then the time
// of the last other one counts, else that of the file.
func (j *journal) lastWritten(file bool) (time.Time, error) {
	now := j.now()
	for i := len(j.table.Entries) - 1; i >= 0; i-- {
		line, err := now.rawLine(i)
		if err != nil {
			return time.Time{}, err
		}
		if jsonl.LookupString(line, writerMember) == writerName {
			file = false
			continue
		}
		if j.table.Entries[i].Flags&envelope.IsExit != 0 {
			return time.Time{}, nil
		}
		if file {
			break
		}
		if at := j.table.Entries[i].Time; at != envelope.NoTime {
			return time.UnixMilli(at), nil
		}
	}
	if !file {
		return time.Time{}, nil
	}
	info, err := os.Stat(j.file)
	if err != nil {
		return time.Time{}, j.wrap("append to", cause(err))
	}
	return info.ModTime(), nil
}

// The mark of an entry that pith wrote into a file of a program that holds its
// sessions.
const writerMember, writerName = "writer", "pith"

// marked is a line with that mark, where it is needed.
func (j *journal) marked(line []byte) []byte {
	if !j.program().HoldsSessions() {
		return line
	}
	return jsonl.Set(line, writerMember, []byte(`"`+writerName+`"`))
}
