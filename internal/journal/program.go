package journal

import (
	"io"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A Slot is the place where oh-my-pi stores the title of a session: a line of
// fixed length before the header.
type Slot struct {
	At    int64 // of the line's first byte
	Len   int   // without the line ending
	Title string
}

// reread returns the slot with its title of now, which oh-my-pi may have
// overwritten.
func (s *Slot) reread(r io.ReaderAt) (*Slot, error) {
	if s == nil {
		return nil, nil
	}
	line := make([]byte, s.Len)
	if _, err := jsonl.ReadFull(r, line, s.At); err != nil {
		return nil, err
	}
	if title, ok := format.DecodeTitleSlot(line); ok && title != s.Title {
		return &Slot{s.At, s.Len, title}, nil
	}
	return s, nil
}

// A Signature contains the hints of a file about the program that it belongs to
// (F110). The zero Signature contains none.
type Signature uint8

// Two programs, with their numbers plus one so that 0 means none, and a flag.
const (
	signedBySlot  Signature = 1 << 6
	headerShift             = 3
	signatureMask           = 1<<headerShift - 1
)

// TakeSlot adds a title slot, which only one program writes.
func (s *Signature) TakeSlot() { *s |= signedBySlot }

// TakeHeader adds the header.
func (s *Signature) TakeHeader(h *format.Header) {
	if p, ok := h.Program(); ok {
		*s |= Signature(p+1) << headerShift
	}
}

// takeEntry adds an entry. The first one with a hint counts.
func (s *Signature) takeEntry(typ []byte, kind Kind, flags Flags) {
	if kind == KindMessage || *s&signatureMask != 0 {
		return
	}
	p, ok := format.ProgramOfType(format.Type(typ))
	if flags&IsVerbatim != 0 {
		p, ok = format.Atomic, true
	}
	if ok {
		*s |= Signature(p + 1)
	}
}

// TakeRecord adds an entry that was read as a record.
func (s *Signature) TakeRecord(r *Record) { s.takeEntry(r.Type(), r.Kind(), r.flags()) }

// Program returns the program by whose rules a file is read: its owner, or else
// the one that alone writes a type of entry found in it, or else pi. The path
// may be empty.
func (s Signature) Program(path string) format.Program {
	if p, ok := s.Owner(path); ok {
		return p
	}
	if n := s & signatureMask; n > 0 {
		return format.Program(n - 1)
	}
	return format.Pi
}

// Owner returns the program that writes a file: the one that writes title slots,
// or else the one whose directory contains it, or else the one whose members the
// header has. ok is false if none of them tells, as in a copy elsewhere.
func (s Signature) Owner(path string) (p format.Program, ok bool) {
	if s&signedBySlot != 0 {
		return format.OhMyPi, true
	}
	if path != "" {
		if p, ok := format.ProgramOfFolder(path); ok {
			return p, true
		}
	}
	if n := s >> headerShift & signatureMask; n > 0 {
		return format.Program(n - 1), true
	}
	return format.Pi, false
}

// SignatureOf returns the hints of a header, which may be nil.
func SignatureOf(h *format.Header) (s Signature) {
	if h != nil {
		s.TakeHeader(h)
	}
	return s
}

// databaseVersion is the header version that OpenClaw writes since it stores
// sessions in a database. Its entries are those of version 3.
const databaseVersion = 4

// InDatabase reports whether a session with a header of that version is in
// OpenClaw's database, which only OpenClaw may write.
func (s Signature) InDatabase(path string, version int) bool {
	return version == databaseVersion && (s.Program(path) == format.OpenClaw || foreign.Find(path) != nil)
}

// Titles are the names of a session in its file.
type Titles struct {
	Slot   string // of oh-my-pi's slot
	Header string // of oh-my-pi's header
	Record string // of oh-my-pi's last title_change record
	Named  bool   // a session_info entry names the session or clears its name
	Name   string // of the last one
}

// Of returns the name that is used in a file of a program. In a file of
// oh-my-pi with a slot, oh-my-pi reads only the slot, so it has precedence
// (F25).
func (t Titles) Of(p format.Program) string {
	title := t.Record
	switch {
	case t.Slot != "":
		title = t.Slot
	case t.Header != "":
		title = t.Header
	}
	if !t.Named || p == format.OhMyPi && t.Slot != "" {
		return title
	}
	return format.TrimName(t.Name)
}

// DisplayName returns the session's name in a file at a path.
func (s *State) DisplayName(path string) string {
	names := Titles{Header: s.Header.Title, Record: s.title}
	if s.Slot != nil {
		names.Slot = s.Slot.Title
	}
	if n := len(s.Names); n > 0 {
		names.Named, names.Name = true, s.Names[n-1].Name
	}
	return names.Of(s.Signature.Program(path))
}
