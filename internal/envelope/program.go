package envelope

import (
	"io"

	"github.com/pith-sessions/pith/format"
)

// A Slot is where oh-my-pi keeps the title of a session: a line of fixed length
// before the header.
type Slot struct {
	At    int64 // of the line's first byte
	Len   int   // without the line's end
	Title string
}

// ReadSlot reads the title again, which its program may have written over.
func (t *Table) ReadSlot(r io.ReaderAt) error {
	if t.Slot == nil {
		return nil
	}
	line := make([]byte, t.Slot.Len)
	if _, err := ReadFull(r, line, t.Slot.At); err != nil {
		return err
	}
	if slot, ok := format.DecodeTitleSlot(line); ok && slot.Title != t.Slot.Title {
		t.Slot = &Slot{t.Slot.At, t.Slot.Len, slot.Title} // copies of the table have the old one
	}
	return nil
}

// A Signature is what a file tells about the program that it belongs to (F110). The
// zero Signature tells nothing.
type Signature uint8

// Two programs, one more than their numbers so that 0 is none, and a flag.
const (
	signedBySlot  Signature = 1 << 6
	headerShift             = 3
	signatureMask           = 1<<headerShift - 1
)

// TakeSlot takes a title slot, which one program has alone.
func (s *Signature) TakeSlot() { *s |= signedBySlot }

// TakeHeader takes the header.
func (s *Signature) TakeHeader(h *format.Header) {
	if p, ok := h.Program(); ok {
		*s |= Signature(p+1) << headerShift
	}
}

// takeEntry takes an entry. The first that tells counts.
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

// TakeRecord takes an entry that was read as a record.
func (s *Signature) TakeRecord(r *Record) {
	kind, flags := r.Kind(), Flags(0)
	if kind == KindCompaction && isVerbatim(r.Member("details")) {
		flags = IsVerbatim
	}
	s.takeEntry(r.Type(), kind, flags)
}

// join takes what the lines behind tell.
func (s *Signature) join(next Signature) {
	if *s&signatureMask == 0 {
		*s |= next & signatureMask
	}
}

// Program is the program that a file belongs to: that of the title slot, else that in
// whose folder it lies, else that whose members the header has, else that of the
// first entry which only one program writes, else pi. The path may be empty.
func (s Signature) Program(path string) format.Program {
	if s&signedBySlot != 0 {
		return format.OhMyPi
	}
	if path != "" {
		if p, ok := format.ProgramOfFolder(path); ok {
			return p
		}
	}
	for _, n := range []Signature{s >> headerShift & signatureMask, s & signatureMask} {
		if n > 0 {
			return format.Program(n - 1)
		}
	}
	return format.Pi
}

// Titles are the names that a file has for its session.
type Titles struct {
	Slot   string // of oh-my-pi's slot
	Header string // of oh-my-pi's header
	Record string // of oh-my-pi's last record of a change
	Named  bool   // a session_info entry names the session, or takes its name away
	Name   string // of the last one
}

// Of is the name that counts in a file of a program: where oh-my-pi has a slot, it
// knows that alone, so it comes first there (F25).
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

// DisplayName is the session's name.
func (t *Table) DisplayName(path string) string {
	names := Titles{Header: t.Header.Title}
	if t.Slot != nil {
		names.Slot = t.Slot.Title
	}
	if n := len(t.Titles); n > 0 {
		names.Record = t.Titles[n-1].Name
	}
	if n := len(t.Names); n > 0 {
		names.Named, names.Name = true, t.Names[n-1].Name
	}
	return names.Of(t.Signature.Program(path))
}
