package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A scanner reads lines into a State that is being made.
type scanner struct {
	*State
	old    int  // number of entries of the State before
	owned  bool // the labels may be changed
	record Record
}

// follow returns a scanner for the lines that follow a State, of which the next
// one starts at an offset.
func (s *State) follow(at int64) *scanner {
	next := *s
	if next.birth == nil {
		next.birth = new(birth)
	}
	if n := len(next.Faults); n > 0 && next.Faults[n-1].Kind.ofTail() {
		next.Faults = next.Faults[: n-1 : n-1] // that line is read again or was repaired
	}
	if s.Tail == TailTorn {
		next.Lines--
	}
	next.Tail, next.next = TailClean, at
	return &scanner{State: &next, old: len(s.Entries)}
}

// done returns the State after the last line.
func (s *scanner) done(size int64) *State {
	s.Size = size
	if s.Tail == TailClean || s.Tail == TailNoNewline {
		s.next = size
	}
	s.link(s.old)
	return s.State
}

// Scan reads a whole log.
func Scan(ctx context.Context, r io.ReaderAt, size int64) (*State, error) {
	return (&State{}).extend(ctx, r, size)
}

// extend reads what follows a State, up to a size. The error matches errRescan
// if the part that was read has changed.
func (s *State) extend(ctx context.Context, r io.ReaderAt, size int64) (*State, error) {
	if size < s.Size {
		return nil, fmt.Errorf("the log shrank from %d to %d bytes: %w", s.Size, size, errRescan)
	}
	in := jsonl.Until(ctx, r)
	start, err := s.resume(in, size)
	if err != nil {
		return nil, err
	}
	if size == s.Size {
		return s, nil
	}
	next := s.follow(start)
	next.Body = r
	var lines jsonl.Lines
	end, err := lines.Each(ctx, Headed(in, func() bool { return next.Header != nil }), start, size, next.line)
	if err == format.ErrNotSession {
		err = &format.LineError{Line: 1, Err: err}
	}
	if err == nil && end < size {
		err = fmt.Errorf("read at byte %d: %w", end, io.ErrUnexpectedEOF)
	}
	if err == nil {
		err = next.end.read(in, size)
	}
	if err != nil {
		return nil, err
	}
	return next.done(size), nil
}

// errRescan means that the part that was read has changed: the State cannot be
// extended, and the log must be read again.
var errRescan = errors.New("the log changed while it was read")

// resume returns the offset at which reading continues. A log whose past has
// changed must be read again. A torn line is read again, because its writer may
// have finished it. A complete line without a line ending must not have grown
// except by that ending.
func (s *State) resume(r io.ReaderAt, size int64) (int64, error) {
	if err := s.end.check(r, s.Size); err != nil {
		return 0, err
	}
	if s.Tail != TailNoNewline || size == s.Size {
		return s.next, nil
	}
	var c [1]byte
	if _, err := jsonl.ReadFull(r, c[:], s.Size); err != nil {
		return 0, err
	}
	if c[0] != '\n' {
		return 0, errRescan
	}
	return s.Size + 1, nil
}

var bom = []byte("\xef\xbb\xbf")

// line reads one physical line.
func (s *scanner) line(l *jsonl.Line) error {
	s.Lines++
	data, off := l.Data, l.At
	if l.TooLong {
		if !l.Ended {
			s.torn(l)
			return nil
		}
		s.Faults = append(s.Faults, Fault{Kind: FaultTooLong, Line: s.Lines, Offset: off, Size: l.Size, Entry: None})
		return nil
	}
	if isBlank(data) {
		if !l.Ended {
			s.Tail = TailNoNewline
		}
		return nil
	}
	if off == 0 && bytes.HasPrefix(data, bom) {
		s.fault(FaultBOM, 0, None)
		data, off = data[len(bom):], int64(len(bom))
	}
	shape, at := s.record.scan(data)
	switch {
	case shape == jsonl.Object:
		if err := s.object(off); err != nil {
			return err
		}
	case shape == jsonl.Other:
		s.fault(FaultNotObject, off, None)
	default:
		found, err := s.salvage(data, off)
		switch {
		case err != nil:
			return err
		case found:
		case !l.Ended:
			s.torn(l)
			return nil
		case s.Header == nil:
			s.fault(FaultEarlyLine, off+int64(at), None)
		default:
			s.fault(FaultMalformed, off+int64(at), None)
		}
	}
	if !l.Ended {
		s.Tail = TailNoNewline
		s.fault(FaultNoNewline, l.At+l.Size, None)
	}
	return nil
}

// torn notes that the last line was cut off.
func (s *scanner) torn(l *jsonl.Line) {
	s.Tail, s.next = TailTorn, l.At
	s.fault(FaultTorn, l.At, None)
}

func (s *scanner) fault(k FaultKind, off int64, entry int) {
	s.Faults = append(s.Faults, Fault{Kind: k, Line: s.Lines, Offset: off, Entry: entry})
}

// salvage takes the complete records of a line that is not JSON: several
// records on one line, or one between NUL bytes (pitfall 6).
func (s *scanner) salvage(data []byte, off int64) (found bool, err error) {
	inner := bytes.Trim(data, "\x00")
	records := Records(inner)
	if len(records) == 0 {
		return false, nil
	}
	start := off + int64(bytes.IndexByte(data, inner[0]))
	first, entry, at := records[0], len(s.Entries), len(s.Faults)
	switch {
	case first.Start > 0:
		s.fault(FaultFused, start+int64(first.Start), entry)
	case first.End < len(inner):
		s.fault(FaultFused, start+int64(first.End), entry)
	default:
		s.fault(FaultPadded, off, entry)
	}
	for k, span := range records {
		s.record.scan(span.Of(inner))
		if err := s.object(start + int64(span.Start)); err != nil {
			return true, err
		}
		if k == 0 && len(s.Entries) == entry {
			s.Faults[at].Entry = None // the record is not an entry
		}
	}
	return true, nil
}

// object takes the current record, which starts at an offset.
func (s *scanner) object(off int64) error {
	r := &s.record
	if s.Header == nil {
		return s.first(off)
	}
	id, typ := r.ID(), r.Type()
	n := len(s.Entries)
	switch {
	case typ == nil && len(id) == 0:
		s.fault(FaultNoType, off, None)
		return nil
	case string(typ) == string(format.TypeSession):
		s.fault(FaultExtraHeader, off, None)
		return nil
	case typ == nil:
		s.fault(FaultNoType, off, n)
	}
	if n == math.MaxInt32 || int64(len(r.line)) > math.MaxUint32 {
		return errors.New("the log has too many entries")
	}
	e := r.Entry()
	e.Offset, e.Line = off, int32(s.Lines)
	if parent := r.Parent(); n > 0 && string(parent) == s.Entries[n-1].ID {
		e.Parent = s.Entries[n-1].ID // shared: nearly every entry has this parent
	} else {
		e.Parent = string(parent)
	}
	if e.Kind == KindMessage && e.bodyLen == 0 {
		s.fault(FaultNoMessage, off, n)
	}
	if n := len(s.Entries); n == cap(s.Entries) { // append would copy a long list twice as often
		s.Entries = slices.Grow(s.Entries, max(n, 16))
	}
	s.Entries = append(s.Entries, e)
	s.Signature.takeEntry(typ, e.Kind, e.Flags)
	if string(typ) != string(format.TypeTitle) {
		if e.ID == "" {
			s.fault(FaultNoID, off, n)
		}
		if e.Time == NoTime {
			s.fault(FaultBadTime, off, n)
		}
	}
	s.note(n)
	return nil
}

// note resolves an entry that concerns the session as a whole.
func (s *scanner) note(n int) {
	switch s.record.kind {
	case KindLabel, KindSessionInfo:
	case KindForeignNote:
		if string(s.record.typ) == string(format.TypeTitleChange) {
			s.title = jsonl.LookupString(s.record.line, "title")
		}
		return
	default:
		return
	}
	entry, err := format.DecodeEntry(bytes.Clone(s.record.line))
	if err != nil {
		return
	}
	switch e := entry.(type) {
	case *format.Label:
		s.setLabel(Label{Target: e.TargetID, Text: e.Label, Time: e.Timestamp})
	case *format.SessionInfo:
		s.Names = append(s.Names, Name{n, e.Name})
	}
}

// first decides the kind of the file by its first object.
func (s *scanner) first(off int64) error {
	data := s.record.line
	fail := func(err error) error { return &format.LineError{Line: s.Lines, Offset: off, Err: err} }
	if off >= HeaderWithin || len(data) > HeaderMost {
		return fail(format.ErrNotSession)
	}
	switch format.ClassifyFirst(data) {
	case format.FirstTitleSlot:
		if s.Slot == nil {
			s.Signature.TakeSlot()
			s.Slot = &Slot{At: off, Len: len(data), Title: jsonl.LookupString(data, "title")}
		}
		return nil
	case format.FirstHeader, format.FirstV4:
		h, err := format.DecodeHeader(bytes.Clone(data))
		if err != nil {
			return fail(err)
		}
		s.Signature.TakeHeader(h)
		s.Header, s.HeaderAt, s.HeaderLen = h, off, len(data)
		return nil
	}
	return fail(format.ErrNotSession)
}

// A writer makes the State of a log that is being written from its first byte
// on, so that the log need not be read again.
type writer struct {
	scan *scanner
	at   int64  // offset of buf in the log
	buf  []byte // the last line, which is incomplete
}

// newWriter returns a writer.
func newWriter() *writer { return &writer{scan: (&State{}).follow(0)} }

// Write takes the lines that p completes.
func (w *writer) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		line, next, ended := bytes.Cut(rest, []byte{'\n'})
		w.buf, rest = append(w.buf, line...), next
		if ended {
			if err := w.take(true); err != nil {
				return 0, err
			}
		}
	}
	w.scan.end.add(p)
	return len(p), nil
}

func (w *writer) take(ended bool) error {
	size := int64(len(w.buf))
	if ended {
		size++
	}
	l := jsonl.Line{Data: w.buf, At: w.at, Size: size, Ended: ended, TooLong: len(w.buf) > jsonl.MaxLine}
	err := w.scan.line(&l)
	w.at += size
	w.buf = w.buf[:0]
	return err
}

// flush takes a last line without a line ending.
func (w *writer) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	return w.take(false)
}

// state returns the State of the log, whose bytes can be read from body.
func (w *writer) state(body io.ReaderAt) *State {
	s := w.scan.done(w.at)
	s.Body = body
	return s
}
