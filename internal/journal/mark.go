package journal

import (
	"bytes"
	"fmt"
	"io"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// markSize is the number of bytes of a log's end that are remembered. The end
// of a line contains a time in milliseconds, ids or token counts, so that two
// logs of the same length hardly ever agree in it.
const markSize = 128

// A mark is the end of a log as last seen. It distinguishes a log that grew
// from one that was truncated and rewritten in place, with a different past
// (pitfall 32). Such a log has the same identity and may be longer than before.
type mark struct {
	data [markSize]byte
	len  int
}

// read remembers the end of a log of the given size.
func (m *mark) read(r io.ReaderAt, size int64) error {
	m.len = int(min(size, markSize))
	_, err := jsonl.ReadFull(r, m.data[:m.len], size-int64(m.len))
	return err
}

// check compares the remembered end with the current bytes of the log there.
func (m *mark) check(r io.ReaderAt, size int64) error {
	var now [markSize]byte
	if _, err := jsonl.ReadFull(r, now[:m.len], size-int64(m.len)); err != nil {
		return err
	}
	if !bytes.Equal(now[:m.len], m.data[:m.len]) {
		return fmt.Errorf("the log was rewritten: %w", errRescan)
	}
	return nil
}

// add remembers the end of a log to which p was appended.
func (m *mark) add(p []byte) {
	p = p[max(0, len(p)-markSize):]
	kept := copy(m.data[:], m.data[max(0, m.len+len(p)-markSize):m.len])
	m.len = kept + copy(m.data[kept:], p)
}
