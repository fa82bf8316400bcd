package journal

import (
	"bytes"
	"io"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

const (
	// HeaderWithin is the number of bytes at the start of a file in which its
	// header must start. A file without such a header is not a session.
	HeaderWithin = 64 << 10
	// HeaderMost is the number of bytes in which a header must end.
	HeaderMost = 6 << 20
)

// BeginsHeader reports whether a header may start in the first HeaderWithin
// bytes of a file and continue after them: their last line, which is
// incomplete, has the type session.
func BeginsHeader(head []byte) bool {
	line := head[bytes.LastIndexByte(head, '\n')+1:]
	_, value, ok := bytes.Cut(line, []byte(`"type"`))
	return ok && bytes.HasPrefix(bytes.TrimLeft(value, " \t:"), []byte(`"`+string(format.TypeSession)+`"`))
}

// Headed returns a reader of a file that ends with ErrNotSession after the first
// bytes, if these show that it is not a session: found reports whether the header
// was read. So the rest of a large file that is not a session is not read.
func Headed(in io.ReaderAt, found func() bool) io.ReaderAt { return headed{in, found} }

type headed struct {
	in    io.ReaderAt
	found func() bool
}

// ReadAt implements io.ReaderAt.
func (h headed) ReadAt(p []byte, off int64) (int, error) {
	if !h.found() {
		if off >= HeaderMost || off >= HeaderWithin && !h.mayBegin() {
			return 0, format.ErrNotSession
		}
		if rest := HeaderWithin - off; rest > 0 {
			p = p[:min(int64(len(p)), rest)]
		}
	}
	return h.in.ReadAt(p, off)
}

// NextData finds the end of a hole: see [jsonl.NextData].
func (h headed) NextData(off, to int64) int64 { return jsonl.NextData(h.in, off, to) }

// mayBegin reports whether a header starts in the first bytes and ends after
// them.
func (h headed) mayBegin() bool {
	head := make([]byte, HeaderWithin)
	n, _ := h.in.ReadAt(head, 0) // unreadable bytes are not a header
	return BeginsHeader(head[:n])
}
