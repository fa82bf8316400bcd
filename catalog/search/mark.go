package search

import (
	"encoding/binary"
	"github.com/pith-sessions/pith/internal/cache"
	"os"

	"github.com/pith-sessions/pith/catalog"
)

// A mark records how far a file was indexed, and its identity.
type mark struct {
	inode       cache.Inode
	size, mtime int64 // of the file when it was indexed
	end         int64 // the entries before it are indexed
	tail        int64 // fingerprint of the bytes before end
}

func (m *mark) encode() []byte {
	b := binary.AppendUvarint(nil, m.inode.Device)
	b = binary.AppendUvarint(b, m.inode.Number)
	b = binary.AppendVarint(b, m.size)
	b = binary.AppendVarint(b, m.mtime)
	b = binary.AppendVarint(b, m.end)
	return binary.LittleEndian.AppendUint64(b, uint64(m.tail))
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
	m.inode = cache.Inode{Device: unsigned(), Number: unsigned()}
	m.size, m.mtime, m.end = signed(), signed(), signed()
	if len(b) != 8 || m.end <= 0 || m.size < m.end {
		return mark{}, false
	}
	m.tail = int64(binary.LittleEndian.Uint64(b))
	return m, true
}

// covers reports whether a file, when it was listed, still started with the
// bytes that were indexed. Only if the file changed, a few bytes are read: a
// file that was modified in its middle and also appended to, in place, is taken
// for appended.
func (m *mark) covers(f *catalog.Info) bool {
	return m.coversState(f.Path, cache.Inode(f.Inode), f.Size, f.FileTime.UnixNano())
}

// coversFile is like covers for a file that was not listed.
func (m *mark) coversFile(path string, f os.FileInfo) bool {
	return m.coversState(path, cache.InodeOf(f), f.Size(), f.ModTime().UnixNano())
}

func (m *mark) coversState(path string, inode cache.Inode, size, mtime int64) bool {
	switch {
	case inode != m.inode:
		return false
	case size == m.size:
		return mtime == m.mtime // otherwise it was rewritten
	}
	return m.hasTail(path)
}

// hasTail compares the fingerprint. It returns false for a file that is too
// short.
func (m *mark) hasTail(path string) bool {
	in, err := os.Open(path)
	if err != nil {
		return false
	}
	defer in.Close()
	tail, err := cache.Fingerprint(in, m.end)
	return err == nil && tail == m.tail
}
