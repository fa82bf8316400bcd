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

// checkHead returns ErrNotSession for a log whose first bytes show that it is
// not a session, so that the rest need not be read.
func checkHead(r io.ReaderAt, size int64) error {
	if size <= HeaderWithin {
		return nil
	}
	head := make([]byte, HeaderWithin)
	if _, err := jsonl.ReadFull(r, head, 0); err != nil {
		return err
	}
	for rest := head; ; {
		line, next, ended := bytes.Cut(rest, []byte{'\n'})
		if !ended {
			break
		}
		if _, ok := FirstRecord(line); ok {
			return nil // it decides
		}
		rest = next
	}
	if BeginsHeader(head) {
		return nil
	}
	return &format.LineError{Line: 1, Err: format.ErrNotSession}
}
