package journal

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/store"
)

// NeedsMigration reports whether the log is to be read as if it were migrated:
// it has an old version, or entries without ids.
func (s *State) NeedsMigration() bool {
	if s.Header.Version != format.Version {
		return s.Header.Version < format.Version
	}
	return slices.ContainsFunc(s.Faults, func(f Fault) bool { return f.Kind == FaultNoID })
}

// ErrEvents means that a file contains the events of a run.
var ErrEvents = fmt.Errorf("%w: it contains the events of a run", format.ErrNotSession)

// isEvents reports whether the log is the event stream of a run. Such a stream
// may start with a session header, but none of its lines is an entry.
func (s *State) isEvents() (bool, error) {
	if s.Len() == 0 {
		return false, nil
	}
	line, err := s.Line(0)
	var r Record
	return err == nil && r.Read(line) && r.IsEvent(), err
}

// IsEvent reports whether the record is an event of a run, not an entry of a
// session.
func (r *Record) IsEvent() bool { return r.RawID() == nil && IsEvent(string(r.Type())) }

// IsEvent reports whether a type is that of an event of a run.
func IsEvent(name string) bool {
	switch name {
	case "agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_update", "message_end",
		"tool_execution_start", "tool_execution_update", "tool_execution_end", "tool_result_end":
		return true
	}
	return false
}

// Migrate calls change for the header and then for every entry, in the order of
// the log, with a function that converts its bytes to the current version.
// Missing ids are derived from the line and its position, so that they are the
// same each time.
func (s *State) Migrate(change func(at int64, length int, migrate func(line []byte) []byte)) {
	taken := make(map[string]bool, s.Len())
	for i := range s.Len() {
		taken[s.ID(i)] = true
	}
	m := format.NewMigrator(s.Header, func(line []byte, index int) string {
		id := format.LineID(s.Header.ID, index, line, func(id string) bool { return taken[id] })
		taken[id] = true
		return id
	})
	change(s.HeaderAt, s.HeaderLen, m.Header)
	others := s.otherValues()
	for i := range s.Len() {
		e := s.Entries[i]
		for ; len(others) > 0 && others[0] < e.Offset; others = others[1:] {
			m.Skip()
		}
		change(e.Offset, int(e.Len), m.Entry)
	}
}

// otherValues returns the offsets of JSON values after the header that are not
// entries. Version 1 counts them in its index of the first kept line.
func (s *State) otherValues() []int64 {
	var out []int64
	for _, f := range s.Faults {
		switch f.Kind {
		case FaultNotObject, FaultNoType, FaultExtraHeader:
			if f.Offset > s.HeaderAt && f.Entry < 0 {
				out = append(out, f.Offset)
			}
		}
	}
	return out
}

// headerless returns the error for a log without a header.
func (s *State) headerless() error {
	why := format.ErrSyntax
	if s.Tail == TailTorn && s.Lines == 1 {
		why = format.ErrTorn
	}
	return &format.LineError{Line: 1, Err: fmt.Errorf("%w: no header: %w", format.ErrNotSession, why)}
}

// migrated returns the State of the migrated form of a log of an old version,
// which is in memory, because pi may rewrite such a log in place at any moment.
// It changes only the fields that migration concerns; everything between
// entries, including damaged lines, is copied unchanged.
func (s *State) migrated(ctx context.Context, log store.Log) (*State, error) {
	if events, err := s.isEvents(); err != nil {
		return nil, err
	} else if events {
		return nil, ErrEvents
	}
	data := make([]byte, s.Size)
	if _, err := jsonl.ReadFull(jsonl.Until(ctx, log), data, 0); err != nil {
		return nil, err
	}
	size, err := log.Size(ctx)
	if err != nil {
		return nil, err
	}
	old, err := Scan(ctx, bytes.NewReader(data), s.Size)
	if err == nil && (size != s.Size || old.Header == nil) {
		err = fmt.Errorf("it changed while it was read: %w", io.ErrUnexpectedEOF)
	}
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(data)+len(data)/8)
	at := int64(0) // data is processed up to here
	if old.HeaderAt == 3 {
		at = old.HeaderAt // only a byte order mark fits before it; pi refuses such a file
	}
	old.Migrate(func(from int64, length int, migrate func([]byte) []byte) {
		if from == at && from != old.HeaderAt { // several records on one line, which pi cannot read
			out = append(out, '\n')
		}
		out = append(out, data[at:from]...)
		at = from + int64(length)
		out = append(out, migrate(data[from:at:at])...)
	})
	out = append(out, data[at:]...)
	if old.Tail != TailClean {
		out = append(out, '\n') // so that it can be appended to
	}
	next, err := Scan(ctx, bytes.NewReader(out), int64(len(out)))
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	next.Old = old
	return next, nil
}
