package tables

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"strings"
)

// labelSize is how much of a file the label takes. What follows is aligned as
// memory wants it.
const labelSize = 4096

// A label is the beginning of a file: what the rest is about, and how to know that
// it is right.
type label struct {
	length   int64  // of what follows
	checksum uint32 // of what follows
	boot     string // when the system was started, when the file was written or checked last
	stamp    int64  // the file's own time, in seconds
	covered  int64  // bytes of the session
	session  identity
}

// An identity tells files apart, and a file from itself before it was changed.
type identity struct {
	device, inode uint64 // 0 where the system has none
	size          int64
	modified      int64 // in nanoseconds
}

var magic = [8]byte([]byte("pithtab1"))

const bootSize = 64

// fixed is a label as it is written. The checksum at its end is of all before.
type fixed struct {
	Magic    [8]byte
	Length   int64
	Checksum uint32
	_        uint32
	Boot     [bootSize]byte
	Stamp    int64
	Covered  int64
	Device   uint64
	Inode    uint64
	Size     int64
	Modified int64
}

func (l *label) encode() []byte {
	x := fixed{
		Magic: magic, Length: l.length, Checksum: l.checksum, Stamp: l.stamp, Covered: l.covered,
		Device: l.session.device, Inode: l.session.inode, Size: l.session.size, Modified: l.session.modified,
	}
	copy(x.Boot[:], l.boot)
	out, _ := binary.Append(make([]byte, 0, labelSize), binary.LittleEndian, &x) // fixed has a fixed size
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli()))
}

var errNoLabel = errors.New("not a table")

func readLabel(r io.ReaderAt) (label, error) {
	var x fixed
	size := binary.Size(&x)
	data := make([]byte, size+4)
	if _, err := r.ReadAt(data, 0); err != nil {
		return label{}, err
	}
	if _, err := binary.Decode(data[:size], binary.LittleEndian, &x); err != nil {
		return label{}, err
	}
	if x.Magic != magic || crc32.Checksum(data[:size], castagnoli()) != binary.LittleEndian.Uint32(data[size:]) || x.Length <= 0 {
		return label{}, errNoLabel
	}
	return label{
		length: x.Length, checksum: x.Checksum, boot: strings.TrimRight(string(x.Boot[:]), "\x00"), stamp: x.Stamp,
		covered: x.Covered, session: identity{x.Device, x.Inode, x.Size, x.Modified},
	}, nil
}

// fits reports whether the session's file is the one that the table is about, as
// it was or longer.
func (l *label) fits(session string) bool {
	now, err := identityOf(session)
	if err != nil || now.device != l.session.device || now.inode != l.session.inode || now.size < l.covered {
		return false
	}
	if now.size > l.covered {
		return true // appended to; who reads it compares the end of what is covered
	}
	return l.session.size == l.covered && now.modified == l.session.modified
}

func identityOf(file string) (identity, error) {
	info, err := os.Stat(file)
	if err != nil {
		return identity{}, err
	}
	id := identity{size: info.Size(), modified: info.ModTime().UnixNano()}
	id.device, id.inode = numbersOf(info)
	return id, nil
}
