package search

import (
	"encoding/binary"
	"io/fs"
	"os"

	"github.com/pith-sessions/pith/internal/index"
)

// A mark is how far a file was indexed, and which file it was.
type mark struct {
	inode       index.Inode
	size, mtime int64  // of the file when it was indexed
	end         int64  // the entries before it are in the index
	tail        uint64 // fingerprint of the bytes before end
}

func (m *mark) encode() []byte {
	b := binary.AppendUvarint(nil, m.inode.Device)
	b = binary.AppendUvarint(b, m.inode.Number)
	b = binary.AppendVarint(b, m.size)
	b = binary.AppendVarint(b, m.mtime)
	b = binary.AppendVarint(b, m.end)
	return binary.LittleEndian.AppendUint64(b, m.tail)
}

func decodeMark(b []byte) (m mark, ok bool) {
	unsigned := func() uint64 {
		v, n := binary.Uvarint(b)
		b = b[max(n, 0):]
		return v
	}
	signed := func() int64 {
		v, n := binary.Varint(b)
		b = b[max(n, 0):]
		return v
	}
	m.inode = index.Inode{Device: unsigned(), Number: unsigned()}
	m.size, m.mtime, m.end = signed(), signed(), signed()
	if len(b) != 8 || m.end <= 0 || m.size < m.end {
		return mark{}, false
	}
	m.tail = binary.LittleEndian.Uint64(b)
	return m, true
}

// covers reports whether a file still begins with what was indexed. Only of a
// file that changed since are a few bytes read.
func (m *mark) covers(path string, stat fs.FileInfo) bool {
	if stat.Size() < m.end || index.InodeOf(stat) != m.inode {
		return false
	}
	sameTime := stat.ModTime().UnixNano() == m.mtime
	switch {
	case stat.Size() == m.size && sameTime:
		return true
	case stat.Size() == m.size:
		return false // it was rewritten
	}
	return m.hasTail(path)
}

// hasTail compares the fingerprint.
func (m *mark) hasTail(path string) bool {
	in, err := os.Open(path)
	if err != nil {
		return false
	}
	defer in.Close()
	tail, err := index.Fingerprint(in, m.end)
	return err == nil && tail == m.tail
}
